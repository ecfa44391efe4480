"""The site: Sphinx reads Markdown; the pages of the games are made from the code."""

import json
import sys
from importlib.metadata import version as version_of
from pathlib import Path

from tefuda.envs.core.page import page
from tefuda.envs.core.registry import known_games

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import conformance  # noqa: E402 - it lies beside this file

project = "tefuda"
author = "The tefuda authors"
release = version = version_of("tefuda")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "tefuda"
exclude_patterns = ["examples"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_class_signature = "separated"
napoleon_use_rtype = False

#: Files of the repository that are pages too.
COPIES = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}


def write_pages() -> None:
    """Writes the pages that are not kept in docs/; Git ignores them."""
    made = {
        f"games/{spec.name}.md": page(spec, f"../pictures/{spec.name}.png")
        for spec in known_games()
    }
    for name, source in COPIES.items():
        made[name] = (ROOT / source).read_text(encoding="utf-8")
    table = json.loads(conformance.RESULTS.read_text(encoding="utf-8"))
    made["compatibility.md"] = f"# Compatibility\n\n{conformance.as_markdown(table)}\n"
    for name, text in made.items():
        file = HERE / name
        file.parent.mkdir(exist_ok=True)
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


write_pages()
