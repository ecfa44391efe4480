"""Builds wheel and sdist, and tests the wheel where the repository cannot help it.

The wheel is built from the sdist, installed with the core's dependencies alone into a new
environment, and tried in a folder outside the repository: what it holds, how it imports, the test
files in which the marker `wheel` occurs, and `tefuda --help` once the extra `cli` is there too.

Use: python tests/check_wheel.py       (from an environment with the extra `dev`)
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
DIST = ROOT / "build" / "dist"
FOLDERS = ("envs", "wrappers", "training")

#: Run by the wheel's Python, outside the repository.
IMPORTS = """
import importlib.resources, importlib.util, sys
import tefuda, tefuda.envs, tefuda.wrappers, tefuda.training, tefuda.training.agents
assert getattr(tefuda, "__file__", None) is None, "tefuda must stay a namespace package"
assert "site-packages" in tefuda.envs.__file__, tefuda.envs.__file__
assert importlib.util.find_spec("torch") is None, "torch came with the core installation"
for heavy in ("matplotlib", "stable_baselines3", "tensorboard", "rich"):
    assert importlib.util.find_spec(heavy) is None, heavy + " came with the core installation"
data = importlib.resources.files("tefuda.envs.gacha") / "data"
assert any(file.name.endswith(".toml") for file in data.iterdir()), "no component file"
print("tefuda", tefuda.envs.__version__, "imports with the core installation alone")
"""


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Runs a command with a clean environment; its failure ends the script."""
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=clean, check=False)
    if done.returncode:
        sys.exit(f"check_wheel: failed ({done.returncode}): {' '.join(map(str, command))}")


def build() -> Path:
    """Builds the sdist, and from it the wheel; returns the wheel."""
    shutil.rmtree(DIST, ignore_errors=True)
    log = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(DIST), str(ROOT)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if log.returncode:
        sys.exit(f"{log.stdout}\ncheck_wheel: the build failed")
    (wheel,) = DIST.glob("*.whl")
    return wheel


def check_contents(wheel: Path) -> None:
    """The wheel holds exactly the files of the three folders; the sdist holds them too."""
    tracked = {
        file.relative_to(ROOT).as_posix()
        for top in FOLDERS
        for file in (ROOT / top).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    wanted = {f"tefuda/{file}" for file in tracked}
    if held != wanted:
        sys.exit(f"check_wheel: missing {sorted(wanted - held)}, too many {sorted(held - wanted)}")
    (sdist,) = DIST.glob("*.tar.gz")
    with tarfile.open(sdist) as tar:
        packed = {name.partition("/")[2] for name in tar.getnames()}
    missing = (tracked | {"LICENSE", "README.md", "pyproject.toml"}) - packed
    if missing:
        sys.exit(f"check_wheel: the sdist lacks {sorted(missing)}")
    print(f"{wheel.name} holds {len(held)} files, {sdist.name} {len(packed)}")


def copy_tests(target: Path) -> list[str]:
    """Copies the tests; returns those of the files that use the marker `wheel`."""
    shutil.copytree(TESTS, target / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", target)  # pytest's settings
    marked = re.compile(r"\bpytest\.mark\.wheel\b")
    return [
        str(file.relative_to(target))
        for file in sorted((target / "tests").rglob("test_*.py"))
        if marked.search(file.read_text(encoding="utf-8"))
    ]


def pins(*names: str) -> list[str]:
    """The lines of constraints.txt for these distributions."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.partition("==")[0] in names]


def main() -> None:
    """Runs the whole check."""
    wheel = build()
    check_contents(wheel)
    with tempfile.TemporaryDirectory(prefix="tefuda-wheel-") as scratch:
        outside = Path(scratch)
        home = outside / "venv"
        venv.create(home, with_pip=False)
        python = home / "bin" / "python"
        # The pip of this environment installs into the new one: quicker than a pip of its own.
        pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
        install = [*pip, "install", "--quiet", "-c", ROOT / "constraints.txt"]
        run(*install, wheel, cwd=outside)
        run(python, "-I", "-c", IMPORTS, cwd=outside)
        run(*install, *pins("pytest"), cwd=outside)
        run(*pip, "check", cwd=outside)
        files = copy_tests(outside)
        if not files:
            sys.exit("check_wheel: no test file has the marker `wheel`")
        run(home / "bin" / "pytest", "-m", "wheel", *files, cwd=outside)
        run(*install, f"{wheel}[cli]", cwd=outside)
        run(home / "bin" / "tefuda", "--help", cwd=outside)


if __name__ == "__main__":
    main()
