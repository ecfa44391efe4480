"""Lists the rules of the games that no test names, and fails if there are any.

A test names rules by a marker on its function or class, with plain strings:

    @pytest.mark.rule("G11", "G17")
    def test_third_seat_after_a_face_down_lead(): ...

The files are parsed, not imported. A marker on a test that is skipped or expected to fail does
not count, and an id that no game has is an error.

Use: python tests/rule_ids.py [--list]     (--list: every rule with its tests)
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

#: Of each game: the letter and the number of the last of its rules.
GAMES = {
    "gacha": ("G", 30),
    "quatre": ("Q", 16),
    "torutorento": ("T", 22),
}
#: Rules that the page puts between two numbers, by the rule that they follow.
INSERTED = {"T1": "T1a", "T10": "T10a"}

TESTS = Path(__file__).parent
ROOT = TESTS.parent

Function = ast.FunctionDef | ast.AsyncFunctionDef


class MarkerError(Exception):
    """A rule marker that cannot be counted."""


def known_ids() -> dict[str, str]:
    """Every rule id, in order, with its game."""
    return {
        rule: game
        for game, (letter, last) in GAMES.items()
        for number in range(1, last + 1)
        for rule in _with_inserted(f"{letter}{number}")
    }


def _with_inserted(rule: str) -> list[str]:
    return [rule, INSERTED[rule]] if rule in INSERTED else [rule]


def mark_name(decorator: ast.expr) -> str | None:
    """The name of a decorator `pytest.mark.NAME` or `pytest.mark.NAME(...)`, else None."""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "pytest.mark":
        return target.attr
    return None


def marked_ids(decorators: list[ast.expr]) -> list[str]:
    """The ids in the rule markers among decorators; none if the test is not meant to pass."""
    names = [mark_name(decorator) for decorator in decorators]
    ids: list[str] = []
    for decorator, name in zip(decorators, names, strict=True):
        if name != "rule":
            continue
        if not isinstance(decorator, ast.Call) or not decorator.args or decorator.keywords:
            raise MarkerError(f"{decorator.lineno}: a rule marker takes ids: rule('G1', 'G2')")
        for argument in decorator.args:
            if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                raise MarkerError(f"{argument.lineno}: a rule id must be written as a plain string")
            if argument.value not in known_ids():
                raise MarkerError(f"{argument.lineno}: no game has a rule {argument.value!r}")
            ids.append(argument.value)
    # skipif counts: it depends on the machine, and on some machine the test runs.
    return [] if {"skip", "xfail"} & set(names) else ids


def tests_in(source: str) -> Iterator[tuple[str, str]]:
    """(rule id, name of the test) for each id that a test in a module's source names."""
    for thing in ast.parse(source).body:
        if isinstance(thing, Function):
            members = [(thing, "")]
            shared: list[str] = []
        elif isinstance(thing, ast.ClassDef) and thing.name.startswith("Test"):
            members = [(f, f"{thing.name}::") for f in thing.body if isinstance(f, Function)]
            shared = marked_ids(thing.decorator_list)
        else:
            continue
        for function, prefix in members:
            own = marked_ids(function.decorator_list)
            if function.name.startswith("test"):
                yield from ((rule, prefix + function.name) for rule in [*shared, *own])


def collect(folder: Path) -> dict[str, list[str]]:
    """The tests that name each rule, by rule id."""
    found: dict[str, list[str]] = {rule: [] for rule in known_ids()}
    for path in sorted(folder.rglob("test_*.py")):
        place = path.relative_to(folder.parent)
        try:
            for rule, test in tests_in(path.read_text(encoding="utf-8")):
                found[rule].append(f"{place}::{test}")
        except MarkerError as mistake:
            raise MarkerError(f"{place}:{mistake}") from None
    return found


def main(arguments: list[str]) -> int:
    """Prints the missing ids by game; 0 if there are none, 1 if there are, 2 on a mistake."""
    try:
        found = collect(TESTS)
    except MarkerError as mistake:
        print(mistake, file=sys.stderr)
        return 2
    if "--list" in arguments:
        for rule, tests in found.items():
            print(rule, *(tests or ["(no test)"]), sep="\n    ")
    for game in GAMES:
        rules = [rule for rule, owner in known_ids().items() if owner == game]
        missing = [rule for rule in rules if not found[rule]]
        verdict = f"no test names {' '.join(missing)}" if missing else "each named by a test"
        print(f"{game}: {len(rules)} rules, {verdict}")
    return int(not all(found.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
