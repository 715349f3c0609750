"""Answers from memory alone, without a model or a key, so that everything can be tried as it is.

It greets by name, does not pretend to think, quotes what it recalls with its date, and says when it knows nothing.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from functools import cache

import msgspec

from rememora.domain.context import CANCELLED, QUIET, ContextPack, Item
from rememora.domain.prompt import BUILTIN, Prompt
from rememora.domain.visibility import MASK
from rememora.language import tokens
from rememora.language.asked import asked_by
from rememora.language.keys import called, is_statement
from rememora.language.labels import fact_sentence
from rememora.language.pack_schema import ResponderReplies
from rememora.language.packs import CODES, control_of, joined, replies_of
from rememora.language.parsed import parse_text

QUOTED_CHARACTERS = 280
MOST_LINES = 3
LISTED_LINES = 12
LEAST_SCORE = 0.34
LEAST_UNASKED = 0.6
"""Minimum score of what is told where nothing was asked: "me fala do frete" asks, a joke shares a word at most."""
_PIECES = re.compile(r"\S+\s*|\s+")
_ENDS = re.compile(r"\w[^\w\n]*(?:\n|$)|\w[^\w\s]*[.!?…]")
"""The end of each sentence of a text."""
_SPEAKER = re.compile(r"^\W*(?:user|assistant|tool): ")
_RETOLD = frozenset({"episode", "summary"})
_PASSAGES = ("past", "related")
_SPEAKING = frozenset(
    {"profile", "memories", "entities", "mission", "recent", "artifacts", "tasks", "operations", *_PASSAGES}
)


class ScoredItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item that speaks to the question, and how well."""

    score: float
    item: Item


class BuiltinResponder:
    """Answers with what the pack holds."""

    @property
    def name(self) -> str:
        return BUILTIN

    async def ready(self) -> None: ...

    async def answer(self, prompt: Prompt, pack: ContextPack) -> str:
        return compose(pack)

    async def stream(self, prompt: Prompt, pack: ContextPack) -> AsyncIterator[str]:
        for piece in _PIECES.findall(compose(pack)):
            yield piece

    async def close(self) -> None: ...


def compose(pack: ContextPack) -> str:
    """The answer to a pack's query, in its language."""
    words = replies_of(pack.language).responder
    done = pack.section("done")
    texts = [item.text for item in done]
    if not all(item.kind == CANCELLED for item in done):
        return "\n\n".join(texts)
    # What was taken back is told, and the message itself still gets its answer.
    return "\n\n".join([*texts, _answer(pack, words)])


def _answer(pack: ContextPack, words: ResponderReplies) -> str:
    query = parse_text(pack.query)
    folded = query.plain
    # Nothing but a greeting; "hello, when is my flight?" is a question.
    if greeting().match(folded) and not tokens(greeting().sub(" ", folded), pack.language):
        return "\n\n".join([_greeting(pack, words), *(item.text for item in pack.section("questions")[:1])])
    if about_me().search(folded):
        return _listing(pack, words)
    findings = find(pack)
    masked = _masked_score(pack)
    # The best match is something that may not be told: to say that it is not kept is better than a worse match.
    if masked >= LEAST_SCORE and masked >= max((finding.score for finding in findings), default=0.0):
        return words.not_kept
    is_question = query.asks or asking().match(folded)
    if findings and (is_question or findings[0].score >= LEAST_UNASKED):
        return _findings(findings, pack, words)
    return words.nothing if is_question else _noted(pack, words)


def find(pack: ContextPack) -> list[ScoredItem]:
    """Score the items that answer the query, best first: the share of its words, and the layer's score."""
    query_words = set(tokens(pack.query, pack.language))
    if not query_words:
        return []
    names = _owned(pack)
    scored = [
        ScoredItem(score=_score(item, query_words, pack.language), item=item)
        for item in pack.items
        if item.section in _SPEAKING and not _idle(item) and not _of_another(item, names, pack.language)
    ]
    good = [finding for finding in scored if finding.score >= LEAST_SCORE]
    return sorted(_best_said(good), key=lambda finding: -finding.score)


def _masked_score(pack: ContextPack) -> float:
    """Score the masked items of this conversation against the query."""
    query_words = set(tokens(pack.query, pack.language))
    masked = [item for item in pack.items if item.reason == QUIET and MASK in item.text]
    return max((_score(item, query_words, pack.language) for item in masked), default=0.0) if query_words else 0.0


def _best_said(findings: Sequence[ScoredItem]) -> list[ScoredItem]:
    """Prefer a memory over the words it was said in, and those over a summary of them."""
    # The same fact comes up as memory, as message and as summary: it is told once, in its best form.
    known = any(finding.item.key is not None for finding in findings)
    quoted = any(finding.item.kind == "message" for finding in findings)
    return [
        finding
        for finding in findings
        if not (known and finding.item.section == "recent")
        and not (quoted and finding.item.kind in _RETOLD)
        and not _said_by_a_memory(finding.item, findings)
    ]


def _said_by_a_memory(item: Item, findings: Sequence[ScoredItem]) -> bool:
    """Return whether a mere mention is contained in a memory, or known by the same name."""
    if item.section != "entities":
        return False
    known = [finding.item for finding in findings if finding.item.kind == "memory"]
    return any(item.text.casefold() in other.text.casefold() or _name(item) == _name(other) for other in known)


def _name(item: Item) -> str:
    return str(item.key).rpartition(".")[2]


def _idle(item: Item) -> bool:
    """Return whether an item answers nothing: the assistant's own words, hidden items, and earlier questions."""
    is_question = (item.role == "user" or item.kind == "mission") and item.text.rstrip().endswith("?")
    retold = item.kind in _RETOLD and all("?" in end for end in _ENDS.findall(item.text))
    return item.role == "assistant" or item.reason == QUIET or is_question or retold


def _score(item: Item, query_words: set[str], language: str) -> float:
    """Score how well an item answers; a memory counts for more than a mere message."""
    item_words = _own(item, language)
    share = len(query_words & item_words) / len(query_words)
    called_for = 0.3 if item.section in _PASSAGES and item.score > 0 else 0.0
    return share * (1.35 if item.key else 1.0) + called_for


def _own(item: Item, language: str) -> set[str]:
    """The words of an item, and those by which people ask for it."""
    words = set(tokens(item.text, language))
    return words if item.key is None else words | _names(item.key, language)


def _names(key: str, language: str) -> set[str]:
    plain = f"{key} {called(key.rpartition('.')[2])}".replace(".", " ").replace("_", " ")
    return set(tokens(asked_by(key) or plain, language))


def _of_another(item: Item, owned: set[str], language: str) -> bool:
    """Return whether a question is about something the person owns, as a dog, and the item about themselves."""
    about_self = item.key is not None and item.key.startswith("user.")
    return about_self and bool(owned) and owned.isdisjoint(_own(item, language))


def _greeting(pack: ContextPack, words: ResponderReplies) -> str:
    name, company = value_of(pack, "user.name"), value_of(pack, "tenant.name")
    hello = words.hello_name.format(name=name) if name else words.hello
    return f"{hello} {words.offer_company.format(company=company) if company else words.offer}"


def _listing(pack: ContextPack, words: ResponderReplies) -> str:
    known = [item for item in pack.items if item.kind == "memory"]
    if not known:
        return words.know_nothing
    return "\n".join([words.know, *(f"- {_fact(item, pack)}" for item in known[:LISTED_LINES])])


def _findings(findings: Sequence[ScoredItem], pack: ContextPack, words: ResponderReplies) -> str:
    short = value_of(pack, "prefs.short_answers") not in (None, "false")
    shown = _best_of_each(findings, pack) if short else findings[:MOST_LINES]
    best = shown[0].score
    lines = [_quote(finding.item, pack, words) for finding in shown if finding.score >= 0.6 * best]
    lines = list(dict.fromkeys(lines))
    return (
        f"{words.recall} {lines[0]}" if len(lines) == 1 else "\n".join([words.recall, *(f"- {x}" for x in lines)])
    )


def _best_of_each(findings: Sequence[ScoredItem], pack: ContextPack) -> Sequence[ScoredItem]:
    """The best finding for each thing of the person's own that is asked for: "meu nome e o da minha empresa"."""
    best = [
        next((place for place, finding in enumerate(findings) if word in _own(finding.item, pack.language)), None)
        for word in _owned(pack)
    ]
    places = sorted({place for place in best if place is not None})
    return [findings[place] for place in places] or findings[:1]


def _owned(pack: ContextPack) -> set[str]:
    """The words of what a query says is the person's own."""
    return {token for word in owned(parse_text(pack.query).compared) for token in tokens(word, pack.language)}


def _quote(item: Item, pack: ContextPack, words: ResponderReplies) -> str:
    if item.key is not None:
        return _fact(item, pack)
    if item.section not in (*_PASSAGES, "recent"):
        return item.text
    quote = _on_one_line(item)
    # Cut between words, so that the quotation does not end in half of one.
    if len(quote) > QUOTED_CHARACTERS:
        quote = quote[:QUOTED_CHARACTERS].rsplit(" ", 1)[0] + " …"
    if item.at is None:
        return f"“{quote}”"
    day = item.at.strftime(words.day)
    form = (
        words.talked
        if item.kind in _RETOLD
        else words.said_here
        if item.section in ("past", "recent")
        else words.said
    )
    return form.format(day=day, quote=quote)


def _on_one_line(item: Item) -> str:
    """Return the words of an item; what retells a talk tells each thing once, without who said it."""
    if item.kind not in _RETOLD:
        return " ".join(item.text.split())
    lines = (" ".join(_SPEAKER.sub("", line).split()) for line in item.text.splitlines())
    return " · ".join(dict.fromkeys(filter(None, lines)))


def _fact(item: Item, pack: ContextPack) -> str:
    if is_statement(str(item.key)):
        # A sentence says by itself what it is about.
        return item.text if item.text.endswith((".", "!", "?")) else f"{item.text}."
    value = {"true": True, "false": False}.get(item.text, item.text)
    return f"{fact_sentence(str(item.key), value, item.text, pack.language)}."


def _noted(pack: ContextPack, words: ResponderReplies) -> str:
    name = value_of(pack, "user.name")
    return words.noted_name.format(name=name) if name else words.noted


def value_of(pack: ContextPack, key: str) -> str | None:
    """Return the pack's value under a key."""
    return next((item.text for item in pack.items if item.key == key), None)


def _words(name: str) -> str:
    return joined(*(getattr(control_of(code).responder, name) for code in CODES))


@cache
def greeting() -> re.Pattern[str]:
    """A greeting at the beginning of a message."""
    return re.compile(rf"(?:{_words('greeting')})\b")


@cache
def about_me() -> re.Pattern[str]:
    """A question for all that is known about the person."""
    return re.compile(_words("about_me"))


@cache
def asking() -> re.Pattern[str]:
    """A word that opens a question."""
    return re.compile(rf"(?:{_words('asking')})\b")


def owned(folded: str) -> list[str]:
    """Find the things that a question calls the person's own: "meu cachorro", "my full name"."""
    return [word for form in _owned_forms() for word in form.findall(folded)]


@cache
def _owned_forms() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b{control_of(code).responder.owned}") for code in CODES)
