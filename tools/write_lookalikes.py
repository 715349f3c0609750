"""Writes the letters of other scripts that look like Latin ones, from Unicode's `confusables.txt` (UTS #39).

Run as `python tools/write_lookalikes.py confusables.txt` with the file of a Unicode release
(https://www.unicode.org/Public/security/); the table is small, since only single letters that stand for a single
letter of the Latin alphabet are kept, and none that Unicode's compatibility folding (NFKC) resolves by itself.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path

TARGET = Path(__file__).parent.parent / "src/rememora/language/lookalikes.toml"
HEAD = """# Letters of other scripts that look like a Latin one, by their code points in hexadecimal.
# Written by tools/write_lookalikes.py from Unicode Security Mechanisms {version}, confusables.txt.
# © Unicode, Inc.; see https://www.unicode.org/terms_of_use.html.
"""
_LINE = re.compile(r"([0-9A-F]{4,6}) ;\t([0-9A-F]{4,6}) ;\tMA")


def lookalikes(lines: Iterable[str]) -> dict[str, list[str]]:
    """Code points by the letter that they look like, both sorted."""
    result: dict[str, list[str]] = {}
    for line in lines:
        if (match := _LINE.match(line)) and (letter := _letter(chr(int(match[1], 16)), chr(int(match[2], 16)))):
            result.setdefault(letter, []).append(match[1].lower())
    return {letter: sorted(codes, key=lambda code: int(code, 16)) for letter, codes in sorted(result.items())}


def _letter(char: str, like: str) -> str | None:
    """The Latin letter that a letter of another script stands for, if it stands for one."""
    plain = unicodedata.normalize("NFKC", char)
    foreign = not char.isascii() and not plain.isascii() and unicodedata.category(char).startswith("L")
    return like if foreign and like.isascii() and like.isalpha() else None


def written(text: str) -> str:
    """The table as it is stored."""
    version = re.search(r"# Version: (\S+)", text)
    table = lookalikes(text.splitlines())
    lines = [f'{letter} = "{" ".join(codes)}"' for letter, codes in table.items()]
    return HEAD.format(version=version[1] if version else "") + "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(written(Path(sys.argv[1]).read_text("utf-8-sig")), encoding="utf-8")
