"""Builds the documentation as a site that needs no other server (`make site`), in both languages.

The pages are copied as the repository has them, so that links between them hold as they are written. Three things
are changed on the way: a page no longer points at its translation (the site has a switch for that), a link to a
file of the repository that is no page is left as its words, and a diagram is drawn here, because the theme would
load a program for it from another server.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.site_diagrams import draw

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "mkdocs.yml"
PAGES = ROOT / ".cache" / "pages"
FRONT = ("README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG")
FOLDERS = ("docs", "bench/results")
SWITCH = re.compile(r"^\[(?:Leia em português|Read in English)\]\([^)]*\)\n+", re.MULTILINE)
TRANSLATION = re.compile(r"(\]\([^)\s]*)\.pt-BR\.md(?=[)#])")
FOLDER_LINK = re.compile(r"(\]\((?!\w+:)[^)\s#]*/)\)")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!\w+:|#)([^)\s#]+)(?:#[^)\s]*)?\)")
DIAGRAM = re.compile(r"^```mermaid\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def sources() -> Iterator[Path]:
    """The files of the site: pages of the front and of the folders, with what they show and link to."""
    for name in FRONT:
        yield from sorted(ROOT.glob(f"{name}*.md"))
    for folder in FOLDERS:
        yield from sorted(path for path in (ROOT / folder).rglob("*") if path.is_file())


def translated(text: str) -> str:
    """A page as the site wants it: links to the language of the reader, diagrams drawn."""
    text = TRANSLATION.sub(r"\1.md", SWITCH.sub("", text))
    # A folder on GitHub shows its README; on the site that is a page.
    text = FOLDER_LINK.sub(r"\1README.md)", text)
    return DIAGRAM.sub(lambda result: draw(result[1]) + "\n", text)


def within(text: str, page: Path, pages: Collection[Path]) -> str:
    """A page whose links to other files of the repository, such as modules, are their words alone."""

    def shown(match: re.Match[str]) -> str:
        target = (page.parent / match[2]).resolve()
        return match[1] if target.is_file() and target not in pages else match[0]

    return LINK.sub(shown, text)


def lay_out(folder: Path = PAGES) -> list[Path]:
    """Copy every source into a folder, and remove what an earlier run left there."""
    shutil.rmtree(folder, ignore_errors=True)
    written, known = [], set(sources())
    for source in sorted(known):
        target = folder / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            text = within(source.read_text(encoding="utf-8"), source, known)
            target.write_text(translated(text), encoding="utf-8")
        else:
            shutil.copyfile(source, target)
        written.append(target)
    return written


def build(*options: str) -> int:
    """Lay the pages out and build; a broken link or a page outside the menu fails."""
    lay_out()
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--clean", "-f", str(CONFIG)]
    return subprocess.run([*command, *options], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(build(*sys.argv[1:]))
