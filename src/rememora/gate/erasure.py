"""Wishes to erase for good: a wish to forget that says it is final, and a plain yes to the question about it."""

from __future__ import annotations

import re
from typing import Final

from rememora.gate.pointing import POINTING_CHARACTERS
from rememora.language import fold

_FINAL: Final = re.compile(
    r"\b(?:definitivamente|em definitivo|permanentemente|irreversivelmente|(?:para|pra) sempre"
    r"|de vez(?! em quando)|de uma vez por todas|sem volta"
    r"|permanently|irreversibly|forever|for good|once and for all)\b"
)
_FORMAL: Final = re.compile(
    r"\b(?:lgpd|gdpr|ccpa|direito (?:ao|de) esquecimento|right to (?:be forgotten|erasure))\b"
)
_SPACES: Final = re.compile(r"\s+")
# Narrower than a yes to a harmless question: "ok" or "thanks" must not erase anything.
_ERASE: Final = (
    r"(?:pode )?(?:apag(?:a|ue|ar)|exclu(?:a|i|ir)|elimin(?:a|e|ar)|erase|delete)"
    r"(?: (?:isso|tudo|it|that|everything|all))*"
)
_YES: Final = re.compile(
    rf"(?:(?:sim|yes|yeah|yep|confirmo|confirmado|i confirm|confirm(?:ed)?|pode|claro|com certeza|certeza"
    rf"|i'm sure|i am sure|do it|go ahead|{_ERASE}|por favor|please)[ ,.!]*)+"
)


def final_wish(text: str) -> str | None:
    """Return what is to be erased for good, as a plain wish to forget it; None where nothing is."""
    if len(text) > POINTING_CHARACTERS or text.rstrip().endswith("?"):
        return None
    folded = fold(text)
    if len(folded) != len(text):
        return text if _FINAL.search(folded) or _FORMAL.search(folded) else None
    if final := _FINAL.search(folded):
        rest = f"{text[: final.start()]} {text[final.end() :]}"
        return _SPACES.sub(" ", rest).strip(" ,") or None
    return text if _FORMAL.search(folded) else None


def confirms_erasure(text: str) -> bool:
    """Return whether a message says yes, and nothing else, to a question before an erasure."""
    plain = fold(text).replace("’", "'").strip(" .!,")
    return len(text) <= POINTING_CHARACTERS and _YES.fullmatch(plain) is not None
