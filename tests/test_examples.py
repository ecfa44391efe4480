"""The examples of the documentation run, and are short."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "docs" / "examples").glob("*.py"))
# They share the one cluster of `test_ray.py`, which takes seconds to start.
ON_RAY = {"rllib_ppo"}
MOST_LINES = 60

# What an example may need beside the core installation: the module, which pytest looks for.
OPTIONAL = {
    "matplotlib", "open_spiel", "pyarrow", "pyspiel", "ray", "sb3_contrib", "stable_baselines3",
    "supersuit", "tensordict", "tianshou", "torch", "torchrl",
}  # fmt: skip


def imported(source: str) -> set[str]:
    """The top-level modules that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


@pytest.mark.parametrize(
    "example",
    [path for path in EXAMPLES if path.stem not in ON_RAY],
    ids=lambda path: path.stem,
)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    source = example.read_text(encoding="utf-8")
    needed = imported(source) | ({"pyarrow"} if "training.offline" in source else set())
    for module in sorted(OPTIONAL & needed):
        pytest.importorskip(module)
    done = subprocess.run(
        [sys.executable, example], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_says_what_it_shows(example: Path) -> None:
    source = example.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= MOST_LINES
    assert ast.get_docstring(ast.parse(source))


def test_there_are_examples() -> None:
    assert {"openspiel_cfr", "torchrl_rollout"} <= {example.stem for example in EXAMPLES}
