"""What the wheel will hold: setuptools leaves out what pyproject.toml forgets, without a word."""

import fnmatch
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import tefuda.envs

ROOT = Path(__file__).parent.parent
FOLDERS = ("envs", "wrappers", "training")

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS: dict[str, Any] = PROJECT["tool"]["setuptools"]


def name(folder: Path) -> str:
    """The package that a folder of the repository becomes."""
    return ".".join(("tefuda", *folder.relative_to(ROOT).parts))


def folder(package: str) -> Path:
    """The folder of the repository that becomes a package."""
    return ROOT.joinpath(*package.split(".")[1:])


def test_every_package_on_disk_is_listed() -> None:
    on_disk = {name(init.parent) for top in FOLDERS for init in (ROOT / top).rglob("__init__.py")}
    assert sorted(SETUPTOOLS["packages"]) == sorted(on_disk)


def test_every_module_lies_in_a_package() -> None:
    modules = [module for top in FOLDERS for module in (ROOT / top).rglob("*.py")]
    assert [m for m in modules if not (m.parent / "__init__.py").exists()] == []


def test_the_namespace_owns_no_file() -> None:
    assert SETUPTOOLS["package-dir"] == {f"tefuda.{top}": top for top in FOLDERS}
    assert "tefuda" not in SETUPTOOLS["packages"]
    assert not (ROOT / "__init__.py").exists()


@pytest.mark.parametrize("top", FOLDERS)
def test_types_are_announced(top: str) -> None:
    assert (ROOT / top / "py.typed").exists()
    assert "py.typed" in SETUPTOOLS["package-data"][f"tefuda.{top}"]


def test_every_data_file_is_listed() -> None:
    data = {
        file.relative_to(ROOT)
        for top in FOLDERS
        for file in (ROOT / top).rglob("*")
        if file.is_file() and file.suffix != ".pyc" and file.suffix != ".py"
        if "__pycache__" not in file.parts
    }
    listed = {
        file
        for file in data
        for package, patterns in SETUPTOOLS["package-data"].items()
        for pattern in patterns
        if fnmatch.fnmatch(str(ROOT / file), str(folder(package) / pattern))
    }
    assert sorted(data - listed) == []


def test_every_game_has_data_in_the_wheel() -> None:
    games = [rules.parent for rules in (ROOT / "envs").glob("*/rules.py")]
    for game in games:
        assert "data/*.toml" in SETUPTOOLS["package-data"][name(game)]
        assert list(game.glob("data/*.toml")), f"{game} has no component file"


def test_the_version_has_one_source() -> None:
    assert tefuda.envs.__version__ == version("tefuda") == PROJECT["project"]["version"]


def test_extra_all_holds_every_extra() -> None:
    extras: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    assert everything == f"tefuda[{','.join(extra for extra in extras if extra != 'all')}]"


def test_the_core_does_not_shut_out_ray() -> None:
    """Ray pins gymnasium 1.2.2."""
    (gymnasium,) = (d for d in PROJECT["project"]["dependencies"] if d.startswith("gymnasium"))
    assert gymnasium == "gymnasium>=1.0"
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert "gymnasium==1.2.2" in pins
