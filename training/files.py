"""Writing files so that nobody ever finds half of one."""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tefuda.envs.core.errors import OptionError


@contextmanager
def replacing(file: Path) -> Generator[Path, None, None]:
    """Gives a path beside `file` to write to; it takes the file's place once all went well."""
    part = file.with_name(f".{os.getpid()}.{file.name}")
    try:
        yield part
        with part.open("rb") as written:
            os.fsync(written.fileno())  # a name must never lead to data that is not there yet
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def write_json(file: Path, value: Any) -> None:
    """Writes a JSON file."""
    with replacing(file) as part:
        part.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def check_output(file: Path) -> None:
    """Sees before long work that a file can be written where it is to go.

    Raises:
        OptionError: Its folder does not exist, or it is a folder itself.
    """
    if file.is_dir():
        raise OptionError(f"cannot write {file}: it is a folder")
    if not file.parent.is_dir():
        raise OptionError(f"cannot write {file}: there is no folder {file.parent}")
