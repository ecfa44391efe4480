"""Makes a shipped policy of a training run: the policy alone, and its card.

Use: python -m tefuda.training.ship RUN_FOLDER [--games 2000] [--ismcts-games 400] [--jobs 2]

Writes three files for the run's game into `training/policies` (or `--to FOLDER`): NAME.zip, the
model without what only training needs; NAME.json, all facts; NAME.md, the same for people. All
figures are read from the run or measured here, with the very file that is shipped. The facts are:

| key | what |
|---|---|
| `trained_for` | game, players, options, components |
| `encoder`, `parameters`, `file` | of the model; name, bytes and SHA-256 of its file |
| `training` | `config` as saved, `lessons`, `decisions`, `games`, `seconds`, `versions` |
| `evaluation` | `results` against random, greedy and search on duplicate deals; `seed`, `date` |
| `limits`, `notes` | sentences |
| `versions` | with which code and packages it was evaluated |
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from tefuda.envs.core.engine import make_engine
from tefuda.envs.core.errors import TefudaError
from tefuda.envs.core.registry import find_game
from tefuda.training.agents.policy import load_model
from tefuda.training.arguments import positive, whole
from tefuda.training.card import card_text, limits
from tefuda.training.crossplay import CrossPlay
from tefuda.training.files import replacing, write_json
from tefuda.training.ppo import SelfPlayPPO
from tefuda.training.progress import counting
from tefuda.training.runs import RunFolder, code_versions
from tefuda.training.shipped import POLICIES, file_hash, game_facts

#: The largest size of a shipped policy in bytes.
MOST_BYTES = 3_000_000

#: Games against each baseline, and the simulations of the search that may be met too.
GAMES, SIMULATIONS = 2000, 400

_SEED = 1
_NAME = "policy"
_REFUSED, _INTERRUPTED = 2, 130

# What a model keeps of the tables at which it learnt.
_OF_TRAINING = [
    *("_last_obs", "_last_original_obs", "_last_episode_starts", "_last_action_masks"),
    *("ep_info_buffer", "ep_success_buffer"),
]


def ship(
    run: Path,
    folder: Path = POLICIES,
    *,
    games: int = GAMES,
    ismcts_games: int = 0,
    simulations: int = SIMULATIONS,
    seed: int = _SEED,
    jobs: int | None = None,
    notes: str = "",
) -> list[Path]:
    """Writes policy and card of a run; the files of an earlier one are replaced at the very end.

    Args:
        run: The folder of the run.
        folder: Where the files go.
        games: Games against random and against greedy.
        ismcts_games: Games against search; 0 for none.
        simulations: What that search has for a decision.
        seed: The seed of the deals.
        jobs: How many processes play.
        notes: Markdown for the card, such as what else was tried.

    Returns:
        The files.

    Raises:
        TefudaError: The folder is not that of a run which has learnt something, or the policy is
            too large.
    """
    training = read_run(RunFolder(run))
    config = training["config"]
    model = load_model(run)
    engine = make_engine(find_game(config["game"]), model.encoder, **config["options"])
    opponents = {"random": games, "greedy": games, f"ismcts:{simulations}": ismcts_games}
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / f"{engine.spec.name}.zip"
        strip(model, file)
        evaluation = measure(file, config, opponents, seed, jobs)
        facts = {
            "trained_for": game_facts(engine),
            **_describe_model(model, file),
            "training": {**training, "decisions": model.num_timesteps},
            "evaluation": evaluation,
            "limits": limits(game_facts(engine), evaluation["results"]),
            "notes": notes,
            "versions": _public(code_versions()),
        }
        return _place(folder, engine.spec.name, file, facts)


def read_run(folder: RunFolder) -> dict[str, Any]:
    """What a run was and what it took, see `training` among the facts.

    Its settings are taken as they are: this code may know others by now.

    Raises:
        TefudaError: A file is missing or holds something else.
    """
    try:
        last = folder.points()[-1]
        return {
            "config": _public_config(json.loads(folder.config.read_text(encoding="utf-8"))),
            "lessons": int(last["lessons"]),
            "games": int(last["games"]),
            "seconds": float(last["seconds"]),
            "versions": [
                _public(entry) for entry in json.loads(folder.versions.read_text(encoding="utf-8"))
            ],
        }
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise TefudaError(f"{folder.path} is no folder of a finished run: {error!r}") from error


def _public_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """Settings without folders of somebody's machine."""
    return {**config, "start": Path(config.get("start", "")).name}


def _public(versions: Mapping[str, Any]) -> dict[str, Any]:
    """Versions without what tells of somebody's machine."""
    return {name: value for name, value in versions.items() if name != "platform"}


def strip(model: SelfPlayPPO, file: Path) -> None:
    """Saves a model without what only training needs: optimiser state, and what it saw last.

    It can be loaded like any other, and learn on with a fresh optimiser.

    Raises:
        TefudaError: The file is larger than a shipped policy may be.
    """
    model.policy.optimizer.state.clear()
    model.save(file, exclude=_OF_TRAINING)
    size = file.stat().st_size
    if size > MOST_BYTES:
        raise TefudaError(
            f"the policy has {size:,} bytes; a shipped one may have {MOST_BYTES:,}: "
            "train one with smaller layers"
        )


def _describe_model(model: SelfPlayPPO, file: Path) -> dict[str, Any]:
    size = file.stat().st_size
    return {
        "encoder": model.encoder,
        "parameters": sum(weights.numel() for weights in model.policy.parameters()),
        "file": {"name": file.name, "bytes": size, "sha256": file_hash(file)},
    }


def measure(
    file: Path,
    config: Mapping[str, Any],
    opponents: Mapping[str, int],
    seed: int,
    jobs: int | None = None,
) -> dict[str, Any]:
    """What the policy of a file earns in one seat, by opponent, paid for winning.

    Args:
        file: The policy.
        config: The settings of its run; its game and options count.
        opponents: Games against each; none where 0.
        seed: The seed of the deals.
        jobs: How many processes play.

    Returns:
        `evaluation` among the facts.

    Raises:
        TefudaError: The policy or an opponent cannot play this game.
    """
    agent = f"policy:{file}"
    games = {(agent, opponent): count for opponent, count in opponents.items() if count}
    crossplay = CrossPlay(
        [agent, *(opponent for _, opponent in games)],
        config["game"],
        games=games,
        seed=seed,
        options={**config["options"], "reward": "win"},
    )
    with counting("games", crossplay.games) as count:
        crossplay.play(jobs, count)
    return {
        "plays": "its likeliest action",
        "seed": seed,
        "date": datetime.now(UTC).date().isoformat(),
        "results": [{**result.as_dict(), "agent": _NAME} for result in crossplay.results()],
    }


def _place(folder: Path, name: str, model: Path, facts: Mapping[str, Any]) -> list[Path]:
    """Puts model and card where they belong, the facts last."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{name}{suffix}" for suffix in (".zip", ".md", ".json")]
    with replacing(files[0]) as part:
        shutil.copyfile(model, part)
    with replacing(files[1]) as part:
        part.write_text(card_text(name, facts), encoding="utf-8")
    write_json(files[2], facts)
    return files


# ==================================================================== the command


def main(argv: Sequence[str] | None = None) -> int:
    """Ships the policy of a run; returns what the shell is told."""
    arguments = _parser().parse_args(argv)
    torch.set_num_threads(1)  # small networks gain nothing by more
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # for the other processes
    try:
        files = ship(
            arguments.run,
            arguments.to,
            games=arguments.games,
            ismcts_games=arguments.ismcts_games,
            simulations=arguments.simulations,
            seed=arguments.seed,
            jobs=arguments.jobs,
            notes=arguments.notes.read_text(encoding="utf-8") if arguments.notes else "",
        )
    except (TefudaError, OSError) as error:
        print(f"ship: {error}", file=sys.stderr)
        return _REFUSED
    except KeyboardInterrupt:
        print("ship: interrupted; nothing was written", file=sys.stderr)
        return _INTERRUPTED
    print(files[1].read_text(encoding="utf-8"))
    for file in files:
        print(f"wrote {file}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tefuda.training.ship",
        description="Makes a shipped policy of a training run: the policy alone, and its card.",
    )
    parser.add_argument("run", type=Path, metavar="RUN_FOLDER", help="the folder of the run")
    parser.add_argument(
        "--to", type=Path, default=POLICIES, metavar="FOLDER", help="where (default: the package)"
    )
    numbers: list[tuple[str, Callable[[str], int], int, str]] = [
        ("--games", positive, GAMES, "games against random and against greedy"),
        ("--ismcts-games", whole, 0, "games against search; 0 for none"),
        ("--simulations", positive, SIMULATIONS, "simulations a decision of that search"),
        ("--seed", whole, _SEED, "seed of the deals"),
        ("--jobs", positive, 1, "processes that play"),
    ]
    for flag, kind, default, meaning in numbers:
        parser.add_argument(
            flag, type=kind, default=default, metavar="N", help=f"{meaning} (default: {default})"
        )
    parser.add_argument(
        "--notes", type=Path, metavar="FILE", help="Markdown for the card: what else was tried"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
