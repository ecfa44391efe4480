"""Compiled code never runs from a stale cache: its name tells what all of its sources say."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from numba.core import config
from numba.extending import is_jitted

from helpers.games import EVERY_GAME, spec_of
from tefuda.envs.core.engine import Engine, kernel_sources
from tefuda.envs.core.jit import PURE_PYTHON, bind, fingerprint

pytestmark = pytest.mark.pure

CONTRACT = """
def verb(x): raise NotImplementedError
"""
LOOPS = """
from fingerprint_contract import verb
def run(x): return verb(x)
def run_twice(x): return run(run(x))
"""
RULES = """
from tefuda.envs.core.jit import kernel
from fingerprint_callee import amount
@kernel
def verb(x): return x + amount()
"""
CALLEE = """
from tefuda.envs.core.jit import kernel
@kernel
def amount(): return {amount}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A game of three files in a folder of its own, with a cache of its own."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))
    game = tmp_path / "game"
    (game / "inner").mkdir(parents=True)
    (game / "inner" / "fingerprint_contract.py").write_text(CONTRACT, encoding="utf-8")
    (game / "fingerprint_loops.py").write_text(LOOPS, encoding="utf-8")
    (game / "fingerprint_rules.py").write_text(RULES, encoding="utf-8")
    write_callee(game, 1)
    monkeypatch.syspath_prepend(game / "inner")
    return game


def write_callee(game: Path, amount: int) -> None:
    text = CALLEE.format(amount=amount)
    (game / "inner" / "fingerprint_callee.py").write_text(text, encoding="utf-8")


def load(path: Path) -> ModuleType:
    """A module as a new process would see it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def bound(game: Path) -> SimpleNamespace:
    """The loops of the game as a new process would bind them."""
    fingerprint.cache_clear()
    load(game / "inner" / "fingerprint_callee.py")
    loops, rules = load(game / "fingerprint_loops.py"), load(game / "fingerprint_rules.py")
    return bind("test", loops, {"verb": rules.verb}, (game,))


def test_an_edited_callee_in_another_file_gives_another_name(folder: Path) -> None:
    """The file that is compiled has not changed, nor that of the verb; the callee's has."""
    before = bound(folder)
    assert (before.run(10), before.run_twice(10)) == (11, 12)
    again = bound(folder)
    assert again.run.__qualname__ == before.run.__qualname__
    write_callee(folder, 2)
    after = bound(folder)
    assert after.run.__qualname__ != before.run.__qualname__
    assert (after.run(10), after.run_twice(10)) == (12, 14)
    write_callee(folder, 1)
    assert bound(folder).run.__qualname__ == before.run.__qualname__


def test_each_loop_has_a_name_of_its_own(folder: Path) -> None:
    loops = bound(folder)
    assert set(vars(loops)) == {"run", "run_twice"}
    names = {loop.__qualname__ for loop in vars(loops).values()}
    assert len(names) == 2
    assert all("_test_" in name for name in names)


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


CHANGES: dict[str, tuple[Callable[[Path], object], bool]] = {
    "a file": (lambda game: append(game / "rules.py", "# more\n"), True),
    "a file further down": (lambda game: append(game / "inner" / "deep.py", "# more\n"), True),
    "a new file": (lambda game: (game / "new.py").write_text("", encoding="utf-8"), True),
    "a name": (lambda game: (game / "rules.py").rename(game / "laws.py"), True),
    "a file less": (lambda game: (game / "state.py").unlink(), True),
    "data": (lambda game: append(game / "cards.toml", "y = 1\n"), False),
    "a date": (lambda game: (game / "rules.py").touch(), False),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_changes_a_fingerprint(what: str, tmp_path: Path) -> None:
    """Any Python file below the sources; no data, no date."""
    change, differs = CHANGES[what]
    game = tmp_path / "game"
    (game / "inner").mkdir(parents=True)
    for name in ("rules.py", "state.py", "cards.toml", "inner/deep.py"):
        (game / name).write_text("x = 1\n", encoding="utf-8")
    before = fingerprint.__wrapped__((game,))
    change(game)
    assert (fingerprint.__wrapped__((game,)) != before) is differs
    assert len(before) == 8


@pytest.mark.parametrize("name", EVERY_GAME)
def test_loops_are_named_after_all_sources_that_take_part(name: str) -> None:
    """An edit of any of them gives every loop another name."""
    spec = spec_of(name)
    engine = Engine(spec, spec.setup())
    mark = fingerprint(kernel_sources(spec))
    for loop in vars(engine.loops).values():
        assert loop.__qualname__.endswith(f"_{spec.id}_{engine.encoder}_{mark}")


@pytest.mark.skipif(PURE_PYTHON, reason="kernels are ordinary functions then")
@pytest.mark.parametrize("name", EVERY_GAME)
def test_every_kernel_lies_in_a_source_that_takes_part(name: str) -> None:
    spec = spec_of(name)
    Engine(spec, spec.setup())
    package = str(spec.rules.__package__)
    ours = [module for key, module in sys.modules.items() if key.startswith("tefuda.envs.core.")]
    ours += [module for key, module in sys.modules.items() if key.startswith(package)]
    kernels = [thing for module in ours for thing in vars(module).values() if is_jitted(thing)]
    files = {Path(kernel.py_func.__code__.co_filename).resolve() for kernel in kernels}
    assert kernels
    assert files <= {file.resolve() for file in kernel_sources(spec)}
