"""What "this" means: a bare "esquece isso" or "that's wrong" speaks of what was said a moment ago."""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec

from rememora.domain.memory import Memory
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.language import fold
from rememora.ports.store import UnitOfWork

Wish = Literal["save", "forget", "correct", "suppress"]

_THIS: Final = r"(?:isso|isto|esse|essa|that|this|it)"
_POLITE: Final = r"(?:(?:por favor|pfv?|please|ai|entao|nao|no|mas|but|hey|ei|ok|agora|now|na memoria)[ ,]*)*"
_SAVE: Final = (
    r"(?:salv[ae]r?|guard[ae]r?|anot[ae]r?|lembr[ae]r?(?: de)?|grav[ae]r?|registr[ae]r?"
    r"|save|remember|note|keep|write)"
)
_FORGET: Final = (
    r"(?:esquec[ae]r?|apag(?:a|ue|ar)|delet[ae]r?|remov[ae]r?|exclu[ai]r?|tir[ae]r?|forget|delete|remove|erase)"
)
_WRONG: Final = (
    r"(?:errad[oa]|incorret[oa]|equivocad[oa]|wrong|incorrect|not right|not correct|not true|mentira|falso|false)"
)
_HUSH: Final = (
    r"(?:nao (?:precisa )?|nunca (?:mais )?|para de |pare de |deixa de |don't |do not |never |please don't |stop )"
    r"(?:me )?(?:mais )?(?:fal\w+|menci\w+|toc(?:a|ar|ando|que)|cit\w+|lembr\w+"
    r"|mention\w*|talk\w*|bring\w*|speak\w*)"
    r"(?: mais)?(?: about| up| of)?"
)
_AGAIN: Final = r"(?: (?:mais|de novo|outra vez|again|anymore|any more|ever))*"
_NAMED: Final = re.compile(
    rf"{_POLITE}{_HUSH}(?: (?:d[aeo]s?|n[ao]s?|em|sobre|the|my|me|meus?|minhas?|[ao]s?))* (?P<what>.+?){_AGAIN}"
)
_BARE: Final[dict[Wish, re.Pattern[str]]] = {
    "save": re.compile(rf"{_POLITE}(?:pode )?{_SAVE} {_THIS}(?: ai)?(?: down)?[ ,]*{_POLITE}"),
    "forget": re.compile(rf"{_POLITE}(?:pode )?{_FORGET} {_THIS}(?: ai)?[ ,]*{_POLITE}"),
    "suppress": re.compile(rf"{_POLITE}{_HUSH} (?:disso|nisso|disto|nesse assunto|{_THIS}){_AGAIN}"),
    "correct": re.compile(
        rf"{_POLITE}(?:{_THIS}(?:'s)? )?(?:ai )?(?:esta|ta|e|is|are|thats)? ?(?:all )?{_WRONG}[ ,]*{_POLITE}"
        rf"|{_POLITE}{_THIS} (?:nao (?:esta|ta|e)|isn't|is not) (?:certo|correto|verdade|right|correct|true)"
    ),
}


class Pointed(msgspec.Struct, frozen=True, kw_only=True):
    """What a bare wish points at: the memories the last answer was about, and what the person said before it."""

    wish: Wish
    memories: tuple[Memory, ...] = ()
    together: bool = False
    """Whether one wish made all of them, so that one wish undoes them."""
    shared: bool = False
    """Whether it points at what the whole tenant shares, which is not this person's to change."""
    said: str | None = None


def bare_wish(text: str) -> Wish | None:
    """The wish of a message that names nothing but "this"."""
    folded = " ".join(fold(text).replace("’", "'").strip(" .!?,;:").split())
    return next((wish for wish, form in _BARE.items() if form.fullmatch(folded)), None)


def hushed(text: str) -> str | None:
    """What a message asks never to be mentioned, where it names it: "não fala mais do meu divórcio"."""
    folded = " ".join(fold(text).replace("’", "'").strip(" .!?,;:").split())
    found = _NAMED.fullmatch(folded)
    return found["what"] if found and "?" not in text else None


def point(work: UnitOfWork, scope: Scope, message: Message, wish: Wish) -> Pointed:
    """Look back from a message at what its "this" can mean."""
    before = work.messages.newest(scope, limit=4, before=message.seq)
    answers = [said for said in before if said.role == "assistant"]
    about, together = about_of(answers[-1]) if answers else ((), False)
    found = (work.memories.get(scope, id) for id in about)
    said = [said.content for said in before if said.role == "user"]
    standing = [memory for memory in found if memory is not None and memory.status == "active"]
    own = tuple(memory for memory in standing if memory.scope == "personal")
    return Pointed(
        wish=wish,
        memories=own,
        together=together,
        shared=bool(standing) and not own,
        said=said[-1] if said else None,
    )


def about_of(answer: Message) -> tuple[tuple[str, ...], bool]:
    """The memories an answer was about: those its turn changed together, else those it used."""
    changed = answer.metadata.get("changed_memories")
    ids = changed or answer.metadata.get("used_memories") or ()
    return tuple(id for id in ids if isinstance(id, str)), bool(changed)
