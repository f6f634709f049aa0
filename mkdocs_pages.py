"""Pages of the site that stand outside ``docs/``: the README, the changes and the like.

``mkdocs build --strict`` calls this. Links between all documents work in the repository and on the
site alike.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "LICENSE": "licence.md",
    "fixtures/README.md": "fixtures.md",
}
"""Where a document of the repository stands on the site; all others are in ``docs/``."""
DATA = ("trust/contacts.csv", "trust/draws.csv", "trust/projects.txt", "trust/verdicts.csv")
"""What pages link to, and is no page."""
_DOCS = "docs/"
_LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)#\s]+)(#[^)\s]*)?(?=\))")
_TITLE = re.compile(r"\A# [a-z0-9-]+ \((JAX\d+)\)$", re.M)


def on_files(files: Files, config: Any) -> Files:
    """Add the documents that stand elsewhere."""
    for source, name in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        if source == "LICENSE":
            text = f"# Licence\n\n{text}"
        files.append(File.generated(config, name, content=_linked(text, source, name)))
    for name in DATA:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let the links of a page in ``docs/`` lead to pages of the site."""
    name = page.file.src_uri
    if name in PAGES.values():
        return markdown
    found = _TITLE.match(markdown)
    if found is not None:  # in the navigation there is no room for a rule's name
        page.title = found[1]
    return _linked(markdown, _DOCS + name, name)


def _linked(text: str, source: str, name: str) -> str:
    """A document with links that are right for its place on the site."""

    def link(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), found[1]))
        if target.startswith(_DOCS):
            target = target.removeprefix(_DOCS)
        elif target in PAGES or target in DATA:
            target = PAGES.get(target, target)
        else:
            return found[0]
        return posixpath.relpath(target, posixpath.dirname(name) or ".") + (found[2] or "")

    return _LINK.sub(link, text)
