"""Edits a known statement of which a newer one changes a part, word by word.

A small network looks at both statements at once and chooses the words of the known one that no longer hold, and
the words of the newer one that take their place, if any: "levo meu pai de segunda a sexta, a van passa 7h10" and
"a van agora é 6h50, moço novo" become "…, a van passa 6h50". After an edit it looks again, until nothing is left
to change. It sees words as the reader does (`word_states`), and what the rules of `amended.py` and `parts.py`
would do. `tools/train_edits.py` makes the weights from `data/reading/edits/`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from rememora.language import fold
from rememora.language.phrases import phrase
from rememora.language.wordlists import is_idle
from rememora.reading.reader import word_states
from rememora.reading.tokens import Floats, tokenise
from rememora.statements.amended import STEM, fresh_values, placed_values
from rememora.statements.layers import FAR, Weights, attended, dense, evened, shares
from rememora.statements.links import known
from rememora.statements.parts import LEAST_STEMS, without_part
from rememora.statements.values import TypedValue, kinds_within, values_of

WEIGHTS: Final = Path(__file__).with_name("edits.npz")
MOST_TOKENS: Final = 60
"""Tokens of a text that are looked at, the first."""
MOST_PUT: Final = 14
"""Tokens that can take the place of others at once."""
KINDS: Final = ("email", "phone", "date", "time", "weekday", "figure", "name")
PLAIN: Final = 6
"""Features of a token by itself; behind them three for each kind of value, four of its place and of the rules."""
FEATURES: Final = PLAIN + 3 * len(KINDS) + 4
IS_WORD: Final = 3
"""The feature that tells words and numbers from signs: edits begin and end at words."""
HEADS: Final = 4
LAYERS: Final = 2
LOOK: Final = 0.5
"""Factor that lets a word look at several words of the other text."""
SURE: Final = 0.5
"""Chance from which the chosen words are changed."""
PUT: Final = 0.5
"""Chance from which it is sure what takes the place of the words that go: other words, or nothing."""
MOST_EDITS: Final = 3
_FROM: Final = phrase(r"\b{left_from}$")
_ON_TO: Final = phrase(r" {on_to}\b")
_LOOSE_END: Final = re.compile(r"[\s,;:(–-]+$")
_BULLET: Final = re.compile(r"(?:^|(?<=\n))[-*•]$")
_CLOSING: Final = (",", ";", ".", ")", "!", "?", ":", "…")


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """Words of a known statement that go, by their tokens, and those of the newer one that take their place."""

    first: int
    last: int
    chance: float
    put: tuple[int, int] | None = None
    put_chance: float = 1.0

    @property
    def sure(self) -> bool:
        """Tell whether it may be made: half a change would leave a broken sentence."""
        return self.chance >= SURE and self.put_chance >= PUT


class EditedStatement(msgspec.Struct, frozen=True):
    """A statement after its edits: its text, the words put into it, and the values whose place they took."""

    text: str
    put: str = ""
    replaced: tuple[str, ...] = ()
    fits: bool = True
    """Whether the surest edit keeps each value to its kind: a date is no price. One that does not is not made."""


def edited(old: str, new: str) -> EditedStatement | None:
    """Return what is left of a statement of which a newer one changes a part; None where that is not sure."""
    theirs = word_states(new)
    if theirs is None or max(len(tokenise(old)), len(tokenise(new))) > MOST_TOKENS:
        return None
    text, put, replaced = old, list[str](), list[str]()
    for number in range(MOST_EDITS):
        edit = chosen_edit(text, new, theirs, must=number == 0)
        if edit is None or not edit.sure:
            break
        words = _put_words(text, new, edit)
        if words and not _fits(text, new, edit):
            if number == 0:
                return EditedStatement(old, fits=False)
            break
        if words:
            put.append(words)
            replaced += [fold(value.text) for value in values_of(_removed(text, edit))]
        text = applied(text, edit, words)
    if text == old:
        return None
    if not put and len(known(text).stems) < LEAST_STEMS:
        text = ""
    return EditedStatement(text, " ".join(put), tuple(replaced))


def _removed(text: str, edit: Edit) -> str:
    tokens = tokenise(text)
    return text[tokens[edit.first].start : tokens[edit.last].end]


def _fits(old: str, new: str, edit: Edit) -> bool:
    """Return whether the words that are put have a value of a kind that those which go have, if both have any."""
    if edit.put is None:
        return True
    places, tokens = tokenise(old), tokenise(new)
    if _is_left_behind(new, tokens[edit.put[0]].start, tokens[edit.put[1]].end):
        return False
    gone = kinds_within(old, places[edit.first].start, places[edit.last].end)
    come = kinds_within(new, tokens[edit.put[0]].start, tokens[edit.put[1]].end)
    return not gone or not come or bool(gone & come)


def _is_left_behind(text: str, start: int, end: int) -> bool:
    """Return whether words say what something was moved from: "from Chase to a credit union"."""
    return bool(_FROM.search(fold(text[:start])) and _ON_TO.match(fold(text[end:])))


def _put_words(text: str, new: str, edit: Edit) -> str:
    """The words that are put, with the signs of their values ("5%", "$1200") that the text has not there."""
    if edit.put is None:
        return ""
    tokens, places = tokenise(new), tokenise(text)
    start, end = tokens[edit.put[0]].start, tokens[edit.put[1]].end
    touched = [value for value in values_of(new) if value.start < end and start < value.end]
    before = new[min([start, *(value.start for value in touched)]) : start]
    behind = new[end : max([end, *(value.end for value in touched)])]
    if any(map(str.isalnum, before)) or text[: places[edit.first].start].rstrip().endswith(before.strip()):
        before = ""
    if any(map(str.isalnum, behind)) or text[places[edit.last].end :].lstrip().startswith(behind.strip()):
        behind = ""
    return f"{before}{new[start:end]}{behind}"


def applied(text: str, edit: Edit, put: str) -> str:
    """Return a text with other words in the place of those that go, or without signs that would stand alone."""
    tokens = tokenise(text)
    head, tail = text[: tokens[edit.first].start], text[tokens[edit.last].end :]
    if put:
        return f"{head}{put}{tail}"
    joint = "\n" if "\n" in head[len(head.rstrip()) :] + tail[: len(tail) - len(tail.lstrip())] else " "
    head, tail = head.rstrip(), tail.lstrip()
    if head.endswith("(") and tail.startswith(")"):
        head, tail = head[:-1].rstrip(), tail[1:].lstrip() if tail[1:2].isspace() else tail[1:]
    if joint == "\n":
        head = _BULLET.sub("", head).rstrip()
    if not tail or tail.startswith(_CLOSING):
        head = _LOOSE_END.sub("", head)
        return f"{head}{tail}" if head else tail.lstrip(",;. ")
    return f"{head}{joint}{tail}" if head else tail


def chosen_edit(old: str, new: str, states: Floats, *, must: bool) -> Edit | None:
    """Return the likeliest edit of a statement; None where nothing is left to change, unless something `must`.

    `states` are the words of the newer text as the reader sees them.
    """
    mine = word_states(old)
    if mine is None:
        return None
    features = described_pair(old, new)
    texts = ((mine[:MOST_TOKENS], features[0]), (states[:MOST_TOKENS], features[1]))
    return _chosen(load_editor(), texts, must=must)


def described_pair(old: str, new: str) -> tuple[Floats, Floats]:
    """Describe the tokens of two statements by what they share and by what the rules would change."""
    places = placed_values(old, new)
    return (
        _described(old, new, [target for target, _ in places], _left_out(old, new)),
        _described(new, old, [value for _, value in places], frozenset()),
    )


def _left_out(old: str, new: str) -> frozenset[int]:
    """Tokens of the clause that the rule of `parts.py` would leave out."""
    left = without_part(known(old), known(new))
    if not left:
        return frozenset()
    before, after = ([fold(token.text) for token in tokenise(text)] for text in (old, left))
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return frozenset(
        at for kind, start, end, _, _ in matcher.get_opcodes() if kind != "equal" for at in range(start, end)
    )


def _described(text: str, other: str, marked: Sequence[TypedValue], left_out: frozenset[int]) -> Floats:
    """Describe each token: what it is, whether the other text has it, its value, and what the rules would do."""
    tokens = tokenise(text)[:MOST_TOKENS]
    words = {fold(token.text) for token in tokenise(other)}
    stems = {word[:STEM] for word in words if not is_idle(word)}
    values = values_of(text)
    fresh = {value.kind for value in fresh_values(text, other)}
    rows = np.zeros((len(tokens), FEATURES), np.float32)
    for at, token in enumerate(tokens):
        word = fold(token.text)
        rows[at, :PLAIN] = (
            word in words and token.text[0].isalnum(),
            word[:STEM] in stems,
            is_idle(word),
            token.text[0].isalnum(),
            token.text[0].isupper(),
            token.text[0].isdigit(),
        )
        for value in values:
            if value.start <= token.start < value.end:
                kind = KINDS.index(value.kind)
                rows[at, PLAIN + kind] = 1
                rows[at, PLAIN + len(KINDS) + kind] = token.start == value.start
                rows[at, PLAIN + 2 * len(KINDS) + kind] = value.kind in fresh
        rows[at, -4:] = (
            any(value.start <= token.start < value.end for value in marked),
            at in left_out,
            at / len(tokens),
            1 - at / len(tokens),
        )
    return rows


def _chosen(weights: Weights, texts: Sequence[tuple[Floats, Floats]], *, must: bool) -> Edit | None:
    """Choose the words that go, then what takes their place."""
    mine, theirs = _seen(weights, texts)
    is_word, is_put = (features[:, IS_WORD] > 0 for _, features in texts)
    if not is_word.any() or not is_put.any():
        return None
    spans = _spans(weights, mine, is_word)
    stop = float(dense(weights, "none", mine[is_word].mean(axis=0, keepdims=True))[0, 0])
    # That something changed is known before the first edit, and better than the network knows it.
    chances = shares(np.concatenate([spans.ravel(), [FAR if must else stop]]))
    best = int(chances.argmax())
    if best == len(chances) - 1:
        return None
    first, last = divmod(best, len(mine))
    put, put_chance = _put(weights, mine[first], mine[last], theirs, is_put)
    return Edit(first=first, last=last, chance=float(chances[best]), put=put, put_chance=put_chance)


def _seen(weights: Weights, texts: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """The tokens of both texts, after each looked at the other text and at all tokens of both."""
    first, second = (np.tanh(dense(weights, "word", states)) for states, _ in texts)
    looks = first @ second.T * np.float32(LOOK)
    pairs = ((first, shares(looks) @ second), (second, shares(looks.T) @ first))
    rows = np.concatenate(
        [
            np.maximum(dense(weights, "mix", np.concatenate([word, seen, word * seen], axis=1)), 0)
            + dense(weights, "feat", features)
            + weights["seg.weight"][side]
            for side, ((word, seen), (_, features)) in enumerate(zip(pairs, texts, strict=True))
        ]
    )
    cut = len(first)
    for number in range(LAYERS):
        rows = _layer(weights, f"blocks.{number}", rows, cut)
    rows = evened(weights, "norm", rows)
    return rows[:cut], rows[cut:]


def _layer(weights: Weights, name: str, rows: Floats, cut: int) -> Floats:
    """One layer: a look at the neighbours, then at all tokens (attention), then a thought."""
    even = evened(weights, f"{name}.n3", rows)
    near = [_neighbours(weights, f"{name}.conv", part) for part in (even[:cut], even[cut:])]
    rows = rows + np.maximum(np.concatenate(near), 0)
    looks = dense(weights, f"{name}.qkv", evened(weights, f"{name}.n1", rows))
    rows = rows + dense(weights, f"{name}.o", attended(looks, HEADS))
    thought = np.maximum(dense(weights, f"{name}.f1", evened(weights, f"{name}.n2", rows)), 0)
    return rows + dense(weights, f"{name}.f2", thought)


def _neighbours(weights: Weights, name: str, rows: Floats) -> Floats:
    """Each token with the one before and the one behind it."""
    none = np.zeros((1, rows.shape[1]), np.float32)
    before, behind = np.concatenate([none, rows[:-1]]), np.concatenate([rows[1:], none])
    return dense(weights, name, np.concatenate([before, rows, behind], axis=1))


def _spans(weights: Weights, rows: Floats, is_word: Any) -> Floats:
    """Score every stretch of words, by its first and its last token."""
    pairs = dense(weights, "os", rows) @ dense(weights, "oe", rows).T / np.float32(np.sqrt(rows.shape[1]))
    allowed = np.triu(np.ones_like(pairs, bool)) & is_word[:, None] & is_word[None]
    return np.where(allowed, pairs + _ends(weights, "olin", rows), FAR)


def _put(weights: Weights, first: Floats, last: Floats, rows: Floats, is_word: Any) -> tuple[Any, float]:
    """Choose what takes the place of a stretch that goes: words of the newer text, or nothing; with its chance."""
    width = rows.shape[1]
    query = np.tanh(dense(weights, "q", np.concatenate([first, last])[None]))
    rows = rows + dense(weights, "nb", query) * np.float32(0.5)
    starts, ends = ((dense(weights, name, rows) * query).sum(axis=1) * 2 / np.sqrt(width) for name in ("ns", "ne"))
    places = np.arange(len(rows))
    length = places[None] - places[:, None]
    allowed = (length >= 0) & (length < MOST_PUT) & is_word[:, None] & is_word[None]
    scores = np.where(allowed, starts[:, None] + ends[None] + _ends(weights, "nlin", rows), FAR)
    nothing = dense(weights, "null", query)[0]
    chances = shares(np.concatenate([scores.ravel(), nothing]))
    best = int(chances.argmax())
    place = None if best == len(chances) - 1 else divmod(best, len(rows))
    return place, float(chances[best])


def _ends(weights: Weights, name: str, rows: Floats) -> Floats:
    """Score every pair of tokens as the first and the last of a stretch, each by itself."""
    weight, width = weights[f"{name}.weight"], rows.shape[1]
    scores: Floats = rows @ weight[:width] + (rows @ weight[width:]).T + weights[f"{name}.bias"]
    return scores


@cache
def load_editor() -> Weights:
    """The weights that ship with the package."""
    with np.load(WEIGHTS, allow_pickle=False) as arrays:
        return {name: arrays[name].astype(np.float32) for name in arrays.files}
