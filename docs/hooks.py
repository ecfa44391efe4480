"""Pages of the site that are made from the code and from files outside docs/."""

from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from tefuda.envs.core.page import page
from tefuda.envs.core.registry import known_games

ROOT = Path(__file__).parents[1]

#: Files of the repository that are pages too.
COPIES = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}


def on_files(files: Files, config: MkDocsConfig, **_: Any) -> Files:
    """Adds a page for each game, and the copies."""
    pages = {f"games/{spec.name}.md": page(spec) for spec in known_games()}
    for name, source in COPIES.items():
        pages[name] = (ROOT / source).read_text(encoding="utf-8")
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files
