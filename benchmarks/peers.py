"""Decisions per CPU second of other libraries' games beside ours, in one process, in turns.

Use: .venv-peers/bin/python benchmarks/peers.py [--quick] [--results FOLDER]

It needs an environment with all these libraries; `make bench-peers` makes it. What is compared is
of one kind: single tables as they are, single tables under PettingZoo's usual wrappers, batches.
Everybody plays random legal games, looks at every observation, and begins the next game itself.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# One thread, before JAX is imported; CPU time would count all of them anyway.
os.environ.update(NPROC="1", XLA_FLAGS="--xla_cpu_multi_thread_eigen=false", JAX_PLATFORMS="cpu")

import command
import peer_batches
import peer_tables
from measure import Case, Contender, Effort, measure
from peer import GROUPS, Peer
from results import FOLDER, Results, circumstances

_NAME = "peers"
_EFFORT = Effort(rounds=5, seconds=0.1)
_QUICK = Effort(rounds=3, seconds=0.01)
_LIBRARIES = ("pettingzoo", "rlcard", "open-spiel", "pgx", "jax", "envpool")


@dataclass(frozen=True)
class Candidate:
    """A peer that may turn out not to be installed, or not to run.

    Attributes:
        library: Whose it is.
        game: Its name there.
        make: Makes it.
    """

    library: str
    game: str
    make: Callable[[], Peer]


def candidates() -> Iterator[Candidate]:
    """All that is compared, group by group."""
    for found in (*peer_tables.MAKERS, *peer_batches.MAKERS):
        yield Candidate(*found)


def invite(invited: Sequence[Candidate]) -> tuple[list[Peer], list[Results]]:
    """Makes the peers and lets each play once; those that fail are named with the reason."""
    found: list[Peer] = []
    missing: list[Results] = []
    for candidate in invited:
        print(f"{candidate.library}: {candidate.game} ...", file=sys.stderr, flush=True)
        try:
            peer = candidate.make()
            peer.run()
        except Exception as error:  # whatever another library fails with
            reason = f"{type(error).__name__}: {error}"
            missing.append({"library": candidate.library, "game": candidate.game, "reason": reason})
        else:
            found.append(peer)
    return found, missing


def rows(peers: Sequence[Peer], effort: Effort) -> list[Results]:
    """Measures all peers in turns."""
    contenders = [Contender(Case(peer.facts.group), peer.run) for peer in peers]
    return [
        {**asdict(peer.facts), "rounds": [round(rate) for rate in rates]}
        for peer, rates in zip(peers, measure(contenders, effort), strict=True)
    ]


def installed() -> dict[str, str]:
    """The versions of the libraries, those that are there."""
    found = {}
    for library in _LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(description="Measures other libraries' games beside ours.")
    parser.add_argument("--quick", action="store_true", help="a rough run that writes no results")
    parser.add_argument("--results", type=Path, metavar="FOLDER", help="write the result file here")
    parser.add_argument(
        "--libraries", nargs="+", metavar="LIBRARY", help="measure these alone, for a trial"
    )
    arguments = parser.parse_args()
    effort = _QUICK if arguments.quick else _EFFORT
    wanted = arguments.libraries
    peers, missing = invite([c for c in candidates() if not wanted or c.library in wanted])
    if not peers:
        sys.exit("\n".join(["nothing can be measured", *(row["reason"] for row in missing)]))
    results: Results = {
        **circumstances(),
        "settings": asdict(effort),
        "libraries": installed(),
        "rows": sorted(rows(peers, effort), key=lambda row: GROUPS.index(row["group"])),
        "missing": missing,
    }
    whole = not arguments.quick and not wanted
    command.finish(_NAME, results, arguments.results or (FOLDER if whole else None))


if __name__ == "__main__":
    main()
