"""What README promises works as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_twenty_lines_of_use(tmp_path: Path) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", block], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "player_" in done.stdout


def test_shown_commands_exist() -> None:
    text = README.read_text(encoding="utf-8")
    shown = set(re.findall(r"^    tefuda (\w+)", text, re.MULTILINE))
    assert shown
    for command in sorted(shown):
        program = Path(sys.executable).with_name("tefuda")
        done = subprocess.run([program, command, "--help"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert f"usage: tefuda {command}" in done.stdout


def test_shown_make_targets_exist() -> None:
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^    make (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
