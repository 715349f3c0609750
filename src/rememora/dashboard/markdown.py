"""Markdown of answers as safe HTML: everything is escaped first, and only known marks become elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

FENCE = "```"
_HEADING = re.compile(r"(#{1,6}) +(.+)")
_BULLET = re.compile(r"\s{0,3}[-*•] +(.+)")
_NUMBERED = re.compile(r"\s{0,3}\d{1,3}[.)] +(.+)")
_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\((https?://[^\s()<>\"]{1,2000}|mailto:[^\s()<>\"]{1,300})\)")
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]{1,2000})(?<=\S)\*\*")
_ITALIC = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]{1,2000})(?<=\S)\*(?![\w*])")


def to_html(text: str) -> str:
    """Markdown as HTML that holds no markup of its author."""
    return "\n".join(_blocks(text.replace("\r\n", "\n").split("\n")))


def _blocks(lines: list[str]) -> Iterator[str]:
    place = 0
    while place < len(lines):
        line = lines[place]
        # Fenced code first: nothing inside it is markup. A fence that is never closed lasts to the end.
        if line.startswith(FENCE):
            end = next((at for at in range(place + 1, len(lines)) if lines[at].startswith(FENCE)), len(lines))
            yield f'<pre tabindex="0"><code>{escape(chr(10).join(lines[place + 1 : end]))}</code></pre>'
            place = end + 1
        elif heading := _HEADING.fullmatch(line):
            yield f"<h3>{inline(heading[2])}</h3>"
            place += 1
        elif (kind := _list_kind(line)) is not None:
            end = place
            while end < len(lines) and _list_kind(lines[end]) == kind:
                end += 1
            yield _list(kind, lines[place:end])
            place = end
        elif not line.strip():
            place += 1
        else:
            end = place + 1
            while end < len(lines) and _continues(lines[end]):
                end += 1
            yield f"<p>{'<br>'.join(inline(line) for line in lines[place:end])}</p>"
            place = end


def _continues(line: str) -> bool:
    special = line.startswith(FENCE) or _HEADING.fullmatch(line) or _list_kind(line)
    return bool(line.strip()) and not special


def _list_kind(line: str) -> str | None:
    if _BULLET.fullmatch(line):
        return "ul"
    return "ol" if _NUMBERED.fullmatch(line) else None


def _list(kind: str, lines: list[str]) -> str:
    mark = _BULLET if kind == "ul" else _NUMBERED
    items = [match[1] for line in lines if (match := mark.fullmatch(line))]
    return f"<{kind}>{''.join(f'<li>{inline(item)}</li>' for item in items)}</{kind}>"


def inline(text: str) -> str:
    """Code, links, bold and italic of one line; code is left as it is."""
    pieces = _CODE.split(text)
    return "".join(
        f"<code>{escape(piece)}</code>" if place % 2 else _marked(piece) for place, piece in enumerate(pieces)
    )


def _marked(text: str) -> str:
    pieces: list[str] = []
    last = 0
    for match in _LINK.finditer(text):
        pieces += [_emphasised(text[last : match.start()]), _linked(match[1], match[2])]
        last = match.end()
    return "".join([*pieces, _emphasised(text[last:])])


def _linked(words: str, address: str) -> str:
    return f'<a href="{escape(address)}" rel="noopener noreferrer nofollow">{_emphasised(words)}</a>'


def _emphasised(text: str) -> str:
    return _ITALIC.sub(r"<em>\1</em>", _BOLD.sub(r"<strong>\1</strong>", escape(text)))
