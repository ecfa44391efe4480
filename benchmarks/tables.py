"""Tables made from result files, for the terminal and for the documents.

README.md and the pages of docs/ hold them between two comments:

    <!-- table: throughput -->
    <!-- end of table -->

Use: python benchmarks/tables.py            writes every table into its place
     python benchmarks/tables.py --check    fails if a document differs from the result files
"""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from results import FOLDER, Results, read

ROOT = Path(__file__).resolve().parent.parent

_PLACE = re.compile(
    r"(?P<begin><!-- table: (?P<name>[\w-]+) -->\n)(?P<body>.*?)(?P<end><!-- end of table -->)",
    re.DOTALL,
)
_BEGIN = re.compile(r"<!-- table: [^>]*-->")
_MISSING = "–"  # noqa: RUF001
_MIB = 2**20
#: The number of tables by which the batch engine is judged, where it was measured.
_USUAL = 1024


@dataclass(frozen=True)
class Table:
    """A table of words; the first column is to be read, the others compared.

    Attributes:
        title: What it shows.
        headings: One a column.
        rows: The cells.
        note: How it was measured.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str


# ==================================================================== numbers in words


def count(value: float) -> str:
    """Three digits with k or M: 5.26 M, 412 k, 9.13 k, 87.5."""
    for size, unit in ((1e6, " M"), (1e3, " k"), (1, "")):
        if value >= size:
            return _three_digits(value / size) + unit
    return f"{value:.2g}"


def _three_digits(value: float) -> str:
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def _seconds(times: Sequence[float]) -> str:
    return f"{median(times):.2f} s"


def _number(value: int) -> str:
    return f"{value:,}"


# ==================================================================== reading results


def rate(game: Results, **case: Any) -> float | None:
    """The median rate of the one contender that fits; None if it was not measured."""
    for row in game["rates"]:
        if all(row[key] == value for key, value in case.items()):
            return median(row["rounds"])
    return None


def share(game: Results, **case: Any) -> float | None:
    """The rate of a batch as a part of the floor's, round by round."""
    batch, floor = _rounds(game, face="batch", **case), _rounds(game, face="floor", **case)
    if not batch or not floor:
        return None
    return median(a / b for a, b in zip(batch, floor, strict=True))


def _rounds(game: Results, **case: Any) -> list[float]:
    for row in game["rates"]:
        if all(row[key] == value for key, value in {"sampling": False, **case}.items()):
            return list(row["rounds"])
    return []


def _encoder(game: Results) -> str:
    return next(iter(game["sizes"]["observation_shapes"]))


def _tables(game: Results) -> list[int]:
    return sorted({row["tables"] for row in game["rates"] if row["face"] == "batch"})


def _cell(value: float | None, words: Callable[[float], str] = count) -> str:
    return _MISSING if value is None else words(value)


def _percent(value: float) -> str:
    return f"{value:.0%}" if value >= 0.1 else f"{value:.1%}"


def _where(results: Results) -> str:
    machine, versions = results["machine"], results["versions"]
    packages = ", ".join(f"{name} {versions[name]}" for name in ("python", "numpy", "numba"))
    return f"{machine['cpu']}, {machine['cores']} cores; {packages}; {results['date']}"


def _how(results: Results) -> str:
    effort = results["effort"]
    return (
        f"Decisions per CPU second, all in one process in turns, one thread, median of "
        f"{effort['rounds']} rounds of {effort['seconds']:g} s ({_where(results)})."
    )


# ==================================================================== the tables


def throughput(results: Results) -> Table:
    """The main rates of every game."""
    games: dict[str, Results] = results["games"]
    usual: dict[str, Any] = {"tables": _USUAL}
    lines: list[tuple[str, Callable[[Results], str]]] = [
        (f"batch, {_USUAL:,} tables: step", _of("batch", **usual)),
        ("... with sampling of actions", _of("batch", sampling=True, **usual)),
        ("floor: only writing as many bytes", _of("floor", **usual)),
        ("... step against the floor", _share_of_usual),
        ("batch, 1 table: step", _of("batch", tables=1)),
        ("AEC, raw", _of("aec")),
        ("AEC, two PettingZoo wrappers", _of("wrapped")),
        ("AEC, raw, with `action_space.sample`", _of("aec", sampling=True)),
        ("plain Python rules, no observation", _of("plain", encoder=None)),
        ("bytes of an observation, of a mask", _bytes),
    ]
    rows = [[words, *(cell(game) for game in games.values())] for words, cell in lines]
    return Table("throughput", ["", *games], rows, _how(results))


def _of(face: str, **case: Any) -> Callable[[Results], str]:
    def cell(game: Results) -> str:
        wanted = {"face": face, "sampling": False, "encoder": _encoder(game), **case}
        return _cell(rate(game, **wanted))

    return cell


def _share_of_usual(game: Results) -> str:
    return _cell(share(game, tables=_USUAL, encoder=_encoder(game)), _percent)


def _bytes(game: Results) -> str:
    shape, actions = game["sizes"]["observation_shapes"][_encoder(game)], game["sizes"]["actions"]
    size = 1
    for length in shape:
        size *= length
    return f"{size:,}, {actions:,}"


def batches(results: Results) -> Table:
    """The batch engine by game, encoder and number of tables."""
    rows = [
        _batch_row(name, game, encoder, tables)
        for name, game in results["games"].items()
        for encoder in game["sizes"]["observation_shapes"]
        for tables in _tables(game)
    ]
    headings = ["game, encoder", "tables", "step", "sample and step", "floor", "step / floor"]
    return Table("batch engine", headings, rows, _how(results))


def _batch_row(name: str, game: Results, encoder: str, tables: int) -> list[str]:
    case: dict[str, Any] = {"encoder": encoder, "tables": tables}
    return [
        f"{name}, {encoder}",
        _number(tables),
        _cell(rate(game, face="batch", sampling=False, **case)),
        _cell(rate(game, face="batch", sampling=True, **case)),
        _cell(rate(game, face="floor", **case)),
        _cell(share(game, **case), _percent),
    ]


def cold_start(results: Results) -> Table:
    """A new process up to its first step."""
    rows = [
        [f"{name}, {face}", f"{kind} cache", *_stages(times[kind]), _seconds_of(times, kind)]
        for name, game in results["games"].items()
        for face, times in game["cold"].items()
        for kind in ("empty", "filled")
    ]
    headings = ["game, face", "compiled code", "import", "make and deal", "first step"]
    note = (
        f"CPU seconds of a new process, median; all includes Python's own start "
        f"({_where(results)})."
    )
    return Table("cold start", [*headings, "all", "all, wall time"], rows, note)


def _stages(times: Results) -> list[str]:
    return [_seconds(times[stage]["cpu"]) for stage in ("import", "make", "step", "total")]


def _seconds_of(times: Results, kind: str) -> str:
    return _seconds(times[kind]["total"]["wall"])


def memory(results: Results) -> Table:
    """What a process holds after many games, against what it held after a tenth of them."""
    rows = [
        [f"{name}, {face}", *_growth(readings)]
        for name, game in results["games"].items()
        for face, readings in game["memory"].items()
    ]
    headings = ["game, face", "games", "decisions", "MiB after a tenth", "at the end", "growth"]
    return Table("memory", headings, rows, f"Resident memory of one process ({_where(results)}).")


def _growth(readings: Sequence[Results]) -> list[str]:
    first, last = readings[0], readings[-1]
    sizes = [f"{reading['bytes'] / _MIB:.1f}" for reading in (first, last)]
    growth = f"{(last['bytes'] - first['bytes']) / _MIB:+.1f}"
    return [_number(last["games"]), count(last["decisions"]), *sizes, growth]


#: Every table that a document may ask for: its result file, and how it is made.
TABLES: dict[str, tuple[str, Callable[[Results], Table]]] = {
    "throughput": ("throughput.json", throughput),
    "batch": ("throughput.json", batches),
    "cold-start": ("throughput.json", cold_start),
    "memory": ("throughput.json", memory),
}


# ==================================================================== the terminal


def show(table: Table) -> None:
    """Prints a table, with rich where it is installed."""
    try:
        from rich.console import Console
        from rich.table import Table as RichTable
    except ImportError:
        print("\n".join(_plain(table)))
        return
    drawn = RichTable(title=table.title, caption=table.note)
    for column, heading in enumerate(table.headings):
        drawn.add_column(heading, justify="right" if column else "left", no_wrap=True)
    for row in table.rows:
        drawn.add_row(*row)
    console = Console()
    console.print(drawn if console.is_terminal else "\n".join(_plain(table)), markup=False)


def _plain(table: Table) -> list[str]:
    lines = [table.headings, *table.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [table.title, *(_aligned(line, widths) for line in lines), table.note, ""]


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = zip(line, widths, strict=True)
    return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)])


# ==================================================================== the documents


class TableError(Exception):
    """A document asks for a table that cannot be made."""


def markdown(table: Table) -> str:
    """A table as Markdown, its note below."""
    ruler = ["---", *["---:"] * (len(table.headings) - 1)]
    lines = [table.headings, ruler, *table.rows]
    return "\n".join(["| " + " | ".join(line) + " |" for line in lines] + ["", table.note]) + "\n"


def filled(text: str, folder: Path = FOLDER) -> str:
    """A document with all its tables as the result files of `folder` have them.

    Raises:
        TableError: There is no such table, no result file for it, or a place has no end.
    """
    if len(_BEGIN.findall(text)) != len(_PLACE.findall(text)):
        raise TableError("a table's comment is malformed or has no `<!-- end of table -->`")
    return _PLACE.sub(lambda place: place["begin"] + body(place["name"], folder) + place["end"], text)


def body(name: str, folder: Path = FOLDER) -> str:
    """The Markdown of a table.

    Raises:
        TableError: There is no such table, or no result file for it.
    """
    if name not in TABLES:
        raise TableError(f"table {name!r} is not known; the tables are {', '.join(TABLES)}")
    file, make = TABLES[name]
    if not (folder / file).exists():
        raise TableError(f"table {name!r} needs {folder / file}")
    return markdown(make(read(folder / file)))


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


def update() -> list[Path]:
    """Writes all tables into the documents; returns those that have changed."""
    changed = outdated(documents())
    for path, text in changed.items():
        path.write_text(text, encoding="utf-8")
    return list(changed)


def _main() -> None:
    if sys.argv[1:] == ["--check"]:
        wrong = outdated(documents())
        sys.exit("".join(f"{path}: run benchmarks/tables.py\n" for path in wrong) or None)
    for path in update():
        print(f"wrote {path}")


if __name__ == "__main__":
    _main()
