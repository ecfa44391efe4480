"""Tables made from result files, for the terminal and for the documents.

README.md and the pages of docs/ hold them between two comments:

    <!-- table: throughput -->
    <!-- end -->

A table whose result file does not exist yet is empty.

Use: python benchmarks/tables.py [--check] [--results FOLDER] [DOCUMENT ...]

Writes every table into its place; with --check it fails if a document differs from the results.
"""

import argparse
import importlib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from statistics import median
from typing import Any

from measure import ratio
from results import FOLDER, Results, read

ROOT = Path(__file__).resolve().parent.parent

_PLACE = re.compile(
    r"(?P<begin><!-- table: (?P<name>[\w-]+) -->\n)(?P<body>.*?)(?P<end><!-- end -->)",
    re.DOTALL,
)
_BEGIN = re.compile(r"<!-- table: [^>]*-->")
_MISSING = "–"  # noqa: RUF001
_MIB = 2**20
# The number of tables by which the batch engine is judged.
_USUAL = 1024
_PLAY_OUTS: dict[str, Any] = {"encoder": None, "sampling": True}


@dataclass(frozen=True)
class Table:
    """A table: words to the left, numbers to the right.

    Attributes:
        title: What it shows.
        headings: One a column.
        rows: The cells.
        note: How it was measured.
        words: How many columns hold words.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str
    words: int = 1


# ==================================================================== numbers in words


def count(value: float) -> str:
    """Three digits with k or M: 5.26 M, 412 k, 9.13 k, 87.5."""
    for size, unit in ((1e6, " M"), (1e3, " k"), (1, "")):
        if value >= size:
            return _three_digits(value / size) + unit
    return f"{value:.2g}"


def _three_digits(value: float) -> str:
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


# ==================================================================== reading results


def rate(game: Results, **case: Any) -> float | None:
    """The median rate of the contender that fits (see `find`); None if it was not measured."""
    rounds = find(game, **case)
    return median(rounds) if rounds else None


def share(game: Results, to: str = "floor", **case: Any) -> float | None:
    """The rate of a batch as a part of another face's, round by round."""
    batch, other = find(game, face="batch", **case), find(game, face=to, **case)
    return ratio(batch, other) if batch and other else None


def find(game: Results, **case: Any) -> list[float]:
    """The rates of the one contender that fits; without a word neither float32 nor sampling."""
    wanted = {"float32": False, "sampling": False, **case}
    for row in game["rates"]:
        if all(row[key] == value for key, value in wanted.items()):
            return list(row["rounds"])
    return []


def encoder_of(game: Results) -> str:
    """The default encoder of a game."""
    return next(iter(game["sizes"]["observation_shapes"]))


def _cell(value: float | None, words: Callable[[float], str] = count) -> str:
    return _MISSING if value is None else words(value)


def _percent(value: float) -> str:
    return f"{value:.0%}" if value >= 0.1 else f"{value:.1%}"


def _where(results: Results) -> str:
    machine, versions = results["machine"], results["versions"]
    packages = ", ".join(f"{name} {versions[name]}" for name in ("python", "numpy", "numba"))
    return f"{machine['cpu']}, {machine['cores']} cores; {packages}; {results['date']}"


def _how(results: Results) -> str:
    effort = results["settings"]
    return (
        f"Decisions per CPU second, all in one process in turns, one thread, median of "
        f"{effort['rounds']} rounds of {effort['seconds']:g} s ({_where(results)})."
    )


# ==================================================================== throughput


def throughput(results: Results) -> Table:
    """The main rates of every game."""
    games: dict[str, Results] = results["games"]
    usual: dict[str, Any] = {"tables": _USUAL}
    lines: list[tuple[str, Callable[[Results], str]]] = [
        (f"batch, {_USUAL:,} tables: step", _of("batch", **usual)),
        ("... with a float32 copy", _of("batch", float32=True, **usual)),
        ("... with sampling of actions", _of("batch", sampling=True, **usual)),
        ("floor: only writing as many bytes", _of("floor", **usual)),
        ("... step against the floor", _share_of_usual("floor")),
        ("ceiling: the same in C, step", _of("ceiling", **usual)),
        ("... with sampling of actions", _of("ceiling", sampling=True, **usual)),
        ("... step against the ceiling", _share_of_usual("ceiling")),
        ("batch, 1 table: step", _of("batch", tables=1)),
        ("greedy player and step, 1,024 tables", _of("greedy")),
        ("random play-outs, nothing observed", _of("play-outs", **_PLAY_OUTS)),
        ("... in games", _games_played),
        ("AEC, raw", _of("aec")),
        ("AEC, three PettingZoo wrappers", _of("wrapped")),
        ("AEC, raw, with `action_space.sample`", _of("aec", sampling=True)),
        ("plain Python rules, nothing observed", _of("plain", encoder=None)),
        ("bytes of an observation, of a mask", _bytes),
    ]
    rows = [[words, *(cell(game) for game in games.values())] for words, cell in lines]
    return Table("throughput", ["", *games], rows, _how(results))


def _of(face: str, **case: Any) -> Callable[[Results], str]:
    def cell(game: Results) -> str:
        return _cell(rate(game, **{"face": face, "encoder": encoder_of(game), **case}))

    return cell


def _share_of_usual(to: str) -> Callable[[Results], str]:
    def cell(game: Results) -> str:
        return _cell(share(game, to, tables=_USUAL, encoder=encoder_of(game)), _percent)

    return cell


def _games_played(game: Results) -> str:
    """Random games per CPU second."""
    decisions = rate(game, face="play-outs", **_PLAY_OUTS)
    return _cell(None if decisions is None else decisions / game["sizes"]["decisions_a_game"])


def _bytes(game: Results) -> str:
    shape = game["sizes"]["observation_shapes"][encoder_of(game)]
    return f"{prod(shape):,}, {game['sizes']['actions']:,}"


def batches(results: Results) -> Table:
    """The batch engine by game, encoder and number of tables."""
    rows = [
        _batch_row(name, game, encoder, tables)
        for name, game in results["games"].items()
        for encoder in game["sizes"]["observation_shapes"]
        for tables in _counts(game)
    ]
    headings = [
        "game, encoder", "tables", "step", "with a float32 copy", "with sampling", "floor",
        "step / floor",
    ]  # fmt: skip
    return Table("batch engine", headings, rows, _how(results))


def _counts(game: Results) -> list[int]:
    return sorted({row["tables"] for row in game["rates"] if row["face"] == "batch"})


def _batch_row(name: str, game: Results, encoder: str, tables: int) -> list[str]:
    case: dict[str, Any] = {"encoder": encoder, "tables": tables}
    return [
        f"{name}, {encoder}",
        f"{tables:,}",
        _cell(rate(game, face="batch", **case)),
        _cell(rate(game, face="batch", float32=True, **case)),
        _cell(rate(game, face="batch", sampling=True, **case)),
        _cell(rate(game, face="floor", **case)),
        _cell(share(game, **case), _percent),
    ]


# ==================================================================== other libraries


def peers(results: Results) -> Table:
    """Other libraries' games beside ours, the fastest of each kind first."""
    ranked = sorted(results["rows"], key=lambda row: -median(row["rounds"]))
    rows = [
        [group, row["library"], f"`{row['game']}`", *_peer(row)]
        for group in dict.fromkeys(row["group"] for row in results["rows"])
        for row in ranked
        if row["group"] == group
    ]
    headings = ["kind", "library", "game", "players", "observation", "actions", "decisions / s"]
    return Table("other libraries", headings, rows, _peers_note(results), words=3)


def _peer(row: Results) -> list[str]:
    observation = f"{row['values']:,} ({row['bytes']:,} B)"
    return [str(row["players"]), observation, f"{row['actions']:,}", count(median(row["rounds"]))]


def _peers_note(results: Results) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in results["libraries"].items())
    absent = [f"{row['library']} {row['game']} ({row['reason']})" for row in results["missing"]]
    left_out = f" Left out: {'; '.join(absent)}." if absent else ""
    return f"{_how(results)} {versions}.{left_out}"


# ==================================================================== search, learning


def simulations(results: Results) -> Table:
    """Our search beside OpenSpiel's."""
    rows = [
        [name, *_compared(game["ours"], game["openspiel"])]
        for name, game in results["games"].items()
        if game
    ]
    note = (
        "ISMCTS simulations per CPU second in games of one round, on the same positions, with "
        f"random rollouts; {_rounds(results)}."
    )
    headings = ["game", "ours", "OpenSpiel's in Python, through our adapter", "ratio"]
    return Table("search", headings, rows, note)


def learning(results: Results) -> Table:
    """Our training loop beside the usual way, and where its time goes."""
    rows = [
        [f"{name}, {game['encoder']}", *_compared(*game["rates"].values()), *_spent(game)]
        for name, game in results["games"].items()
    ]
    note = (
        "The learner's decisions with a choice per CPU second of the whole loop: a rollout and the "
        "passes over it. The usual way is MaskablePPO over DummyVecEnv of a learner's seat on AEC, "
        "its opponents random. The shares are what environments take of our loop's time: steps, "
        "masks, observations and scripted opponents; and the same where the learner plays every "
        f"seat and sees the encoder `flat`; {_rounds(results)}."
    )
    headings = [
        "game, encoder", "ours", "usual way", "ratio",
        "environment", "... every seat its own, `flat`",
    ]  # fmt: skip
    return Table("learning", headings, rows, note)


def beating(results: Results) -> Table:
    """How soon the greedy player is beaten."""
    settings = results["settings"]
    rows = [
        [f"{name}, {_WAYS[way]}", _beaten(run["curve"]), *_ended(run)]
        for name, game in results["games"].items()
        for way, run in game.items()
    ]
    note = (
        "Greedy is beaten once the 95 % interval of the payoff of one seat among greedy players "
        f"lies above 0, at one of {settings['checks']} checks with {settings['check_games']:,} "
        f"games; the figure at the end is of {settings['final_games']:,} games. Wall time, checks "
        f"included; one run each with one seed ({_where(results)})."
    )
    headings = ["game, way to learn", "greedy is beaten after", "decisions", "at the end", "after"]
    return Table("beating greedy", headings, rows, note)


_WAYS = {"ours": "ours", "usual": "the usual way"}


def _beaten(curve: Sequence[Results]) -> str:
    seconds = (point["seconds"] for point in curve if point["low"] > 0)
    found = next(seconds, None)
    return "never" if found is None else f"{found:.0f} s"


def _ended(run: Results) -> list[str]:
    final = run["final"]
    interval = f"{final['mean']:+.3f} ({final['low']:+.3f} .. {final['high']:+.3f})"
    return [count(run["decisions"]), interval, f"{final['seconds']:.0f} s"]


_SHARES = ("shares", "plain_shares")


def _compared(ours: Sequence[float], others: Sequence[float]) -> list[str]:
    return [count(median(ours)), count(median(others)), f"{ratio(ours, others):,.1f}"]


def _spent(game: Results) -> list[str]:
    return [_percent(game[shares]["environment"]) for shares in _SHARES]


def _rounds(results: Results) -> str:
    rounds = results["settings"]["rounds"]
    return f"one thread, in turns, median of {rounds} rounds ({_where(results)})"


# ==================================================================== growth


_GROWTH = {"tables": "tables", "players": "players", "rounds": "rounds a game"}


def growth(results: Results) -> Table:
    """The time of a decision by tables, players and rounds."""
    rows = [
        [f"{name}, {words}", f"{row['value']:,}", count(rate), f"{1e9 / rate:.0f}"]
        for name, game in results["games"].items()
        for direction, words in _GROWTH.items()
        for row in game[direction]
        for rate in [median(row["rounds"])]
    ]
    note = f"{_how(results)} {_USUAL:,} tables where nothing else is said."
    return Table("growth", ["game, by", "value", "decisions / s", "ns a decision"], rows, note)


def threads(results: Results) -> Table:
    """One batch a thread."""
    rows = [
        [name, f"{row['value']}", count(median(row["rounds"]))]
        for name, game in results["games"].items()
        for row in game["threads"]
    ]
    note = (
        f"Decisions per second of wall time, {_USUAL:,} tables a thread, median of "
        f"{results['settings']['rounds']} rounds ({_where(results)})."
    )
    return Table("threads", ["game", "threads", "decisions / s"], rows, note)


def table_memory(results: Results) -> Table:
    """What one more table takes."""
    rows = [
        [f"{name}, {encoder}", f"{size:,.0f}"]
        for name, game in results["games"].items()
        for encoder, size in game["bytes_a_table"].items()
    ]
    note = f"Its record and its rows of all arrays ({_where(results)})."
    return Table("memory of a table", ["game, encoder", "bytes"], rows, note)


# ==================================================================== cold start, memory


def cold_start(results: Results) -> Table:
    """A new process up to its first step."""
    rows = [
        [f"{name}, {face}", f"{kind} cache", *_stages(times[kind])]
        for name, game in results["games"].items()
        for face, times in game.items()
        for kind in ("empty", "filled")
    ]
    headings = ["game, face", "compiled code", "import", "make and deal", "first step", "all"]
    note = (
        f"CPU seconds of a new process, median of {results['settings']['starts']}; all includes "
        f"Python's own start ({_where(results)})."
    )
    return Table("cold start", [*headings, "all, wall time"], rows, note, words=2)


def _stages(times: Results) -> list[str]:
    stages = [times[stage]["cpu"] for stage in ("import", "make", "step", "total")]
    return [f"{median(seconds):.2f} s" for seconds in [*stages, times["total"]["wall"]]]


def memory(results: Results) -> Table:
    """What a process holds after many games, against what it held after a tenth of them."""
    rows = [
        [f"{name}, {face}", *_held(readings)]
        for name, game in results["games"].items()
        for face, readings in game.items()
    ]
    headings = ["game, face", "games", "decisions", "MiB after a tenth", "at the end", "growth"]
    return Table("memory", headings, rows, f"Resident memory of one process ({_where(results)}).")


def _held(readings: Sequence[Results]) -> list[str]:
    first, last = readings[0], readings[-1]
    sizes = [f"{reading['bytes'] / _MIB:.1f}" for reading in (first, last)]
    change = f"{(last['bytes'] - first['bytes']) / _MIB:+.1f}"
    return [f"{last['games']:,}", count(last["decisions"]), *sizes, change]


# ==================================================================== strength, games


def strength(results: Results) -> Table:
    """What agents earn in one seat among others, and how they are rated."""
    games: dict[str, Results] = results["games"]
    met = {row["opponents"] for game in games.values() for row in _rows(game)}
    agents = dict.fromkeys(agent for game in games.values() for agent in game["agents"])
    names = [agent for agent in agents if agent in met]
    rows = [
        [name, agent, *(_payoff(game, agent, other) for other in names), _rating(game, agent)]
        for name, game in games.items()
        for agent in game["agents"]
    ]
    headings = ["game", "agent", *(f"among {name}" for name in names), "rating"]
    return Table("strength", headings, rows, _strength_note(games), words=2)


def _rows(game: Results) -> list[Results]:
    rows: list[Results] = game["results"]
    return rows


def _payoff(game: Results, agent: str, opponents: str) -> str:
    for row in _rows(game):
        if (row["agent"], row["opponents"]) == (agent, opponents):
            return f"{row['mean']:+.3f} ±{row['half_width']:.3f}"
    return _MISSING


def _rating(game: Results, agent: str) -> str:
    for row in game["ratings"]:
        if row["agent"] == agent:
            return f"{row['rating']:+.0f} ({row['low']:+.0f} .. {row['high']:+.0f})"
    return _MISSING


def _strength_note(games: dict[str, Results]) -> str:
    counts = sorted({row["games"] for game in games.values() for row in _rows(game)})
    played = " to ".join(f"{number:,}" for number in sorted({counts[0], counts[-1]}))
    trained = [
        f"{name}'s policy imitated {count(policy['lessons'])} decisions and learnt from "
        f"{count(policy['decisions'])} of self-play in {policy['seconds'] / 60:.0f} minutes."
        for name, game in games.items()
        if (policy := game["policy"])
    ]
    cut = [f"{name} was interrupted." for name, game in games.items() if not game["complete"]]
    where = dict.fromkeys(_where(game) for game in games.values())
    return " ".join(
        [
            f"{played} games a pair, every deal from every seat. Ratings are relative to the mean "
            "of a game's agents; 400 points are a factor of ten in strength.",
            *trained,
            *cut,
            f"{'; '.join(where)}.",
        ]
    )


def games() -> Table:
    """The games as the code has them."""
    from tefuda.envs import GAMES

    headings = ["name", "game", "players", "actions", "observations"]
    note = "Numbers are those of a game with its default options."
    return Table("games", headings, [_game_row(name) for name in GAMES], note, words=2)


def _game_row(name: str) -> list[str]:
    from tefuda.envs.core.engine import make_engine
    from tefuda.envs.core.registry import find_game

    spec = find_game(name)
    engines = {encoder: make_engine(spec, encoder) for encoder in spec.encoders}
    page = importlib.import_module(f"tefuda.envs.{name}").__doc__ or ""
    shapes = ", ".join(
        f"{encoder} {'x'.join(map(str, engine.shape))}" for encoder, engine in engines.items()
    )
    first = next(iter(engines.values()))
    return [f"`{name}`", page.splitlines()[0], str(first.players), str(first.actions), shapes]


#: Every table that a document may ask for: its result file, and how it is made.
TABLES: dict[str, tuple[str, Callable[[Results], Table]]] = {
    "throughput": ("throughput.json", throughput),
    "batch": ("throughput.json", batches),
    "peers": ("peers.json", peers),
    "simulations": ("simulations.json", simulations),
    "learning": ("learning.json", learning),
    "beating": ("beating.json", beating),
    "growth": ("growth.json", growth),
    "threads": ("growth.json", threads),
    "table-memory": ("growth.json", table_memory),
    "cold-start": ("cold.json", cold_start),
    "memory": ("memory.json", memory),
    "strength": ("strength.json", strength),
}


def tables_of(file: str) -> list[Callable[[Results], Table]]:
    """How the tables of a result file are made."""
    return [make for name, make in TABLES.values() if name == file]


# ==================================================================== the terminal


def show(table: Table) -> None:
    """Prints a table; in a terminal with rich, where it is installed."""
    try:
        from rich.console import Console
    except ImportError:
        console = None
    else:
        console = Console()
    if console is None or not console.is_terminal:
        print("\n".join(_plain(table)))
    else:
        console.print(_drawn(table), markup=False)


def _drawn(table: Table) -> Any:
    from rich.table import Table as RichTable

    drawn = RichTable(title=table.title, caption=table.note)
    for column, heading in enumerate(table.headings):
        drawn.add_column(heading, justify="left" if column < table.words else "right")
    for row in table.rows:
        drawn.add_row(*row)
    return drawn


def _plain(table: Table) -> list[str]:
    lines = [table.headings, *table.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = [_aligned(line, widths, table.words) for line in lines]
    return [table.title, *aligned, table.note, ""]


def _aligned(line: Sequence[str], widths: Sequence[int], words: int) -> str:
    cells = zip(line, widths, strict=True)
    return "  ".join(
        cell.ljust(width) if column < words else cell.rjust(width)
        for column, (cell, width) in enumerate(cells)
    )


# ==================================================================== the documents


class TableError(Exception):
    """A document asks for a table that cannot be made."""


def markdown(table: Table) -> str:
    """A table as Markdown, its note below."""
    ruler = ["---"] * table.words + ["---:"] * (len(table.headings) - table.words)
    lines = [table.headings, ruler, *table.rows]
    return "\n".join(["| " + " | ".join(line) + " |" for line in lines] + ["", table.note]) + "\n"


def filled(text: str, folder: Path = FOLDER) -> str:
    """A document with all its tables as the result files of `folder` have them.

    Raises:
        TableError: There is no such table, or a place has no end.
    """
    if len(_BEGIN.findall(text)) != len(_PLACE.findall(text)):
        raise TableError("a table's comment is malformed or has no `<!-- end -->`")
    return _PLACE.sub(
        lambda place: place["begin"] + body(place["name"], folder) + place["end"], text
    )


def body(name: str, folder: Path = FOLDER) -> str:
    """The Markdown of a table; nothing where its result file does not exist yet.

    Raises:
        TableError: There is no such table.
    """
    if name == "games":
        return markdown(games())
    if name not in TABLES:
        raise TableError(f"table {name!r} is not known; the tables are games, {', '.join(TABLES)}")
    file, make = TABLES[name]
    return markdown(make(read(folder / file))) if (folder / file).exists() else ""


def documents(root: Path = ROOT) -> list[Path]:
    """README.md and the pages of docs/, those that exist."""
    readme = root / "README.md"
    return [*([readme] if readme.exists() else []), *sorted((root / "docs").rglob("*.md"))]


def outdated(paths: Iterable[Path], folder: Path = FOLDER) -> dict[Path, str]:
    """The documents that differ from the result files, with the text they should have."""
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    wanted = {path: _filled_file(path, text, folder) for path, text in texts.items()}
    return {path: text for path, text in wanted.items() if text != texts[path]}


def _filled_file(path: Path, text: str, folder: Path) -> str:
    try:
        return filled(text, folder)
    except TableError as error:
        raise TableError(f"{path}: {error}") from error


def update(paths: Iterable[Path] = (), folder: Path = FOLDER) -> list[Path]:
    """Writes all tables into documents, all of them by default; returns those that have changed."""
    changed = outdated(paths or documents(), folder)
    for path, text in changed.items():
        path.write_text(text, encoding="utf-8")
    return list(changed)


def _main() -> None:
    parser = argparse.ArgumentParser(description="Writes the tables of the documents.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if one is wrong")
    parser.add_argument("--results", type=Path, default=FOLDER, metavar="FOLDER")
    parser.add_argument("documents", nargs="*", type=Path, metavar="DOCUMENT", default=documents())
    arguments = parser.parse_args()
    try:
        if arguments.check:
            wrong = outdated(arguments.documents, arguments.results)
            sys.exit("".join(f"{path}: run benchmarks/tables.py\n" for path in wrong) or None)
        for path in update(arguments.documents, arguments.results):
            print(f"wrote {path}")
    except TableError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    _main()
