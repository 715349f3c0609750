"""Words of both languages whose forms no ending explains, and the one that folding takes for another."""

from __future__ import annotations

import re
from typing import Final

from rememora.language.wordlists import pairs

# `Chapeu` is no form of `chapar`, as `vendeu` is one of `vender`.
_NOUNS_IN_EU: Final = """
apogeu ateu camafeu chapeu coliseu europeu hebreu jubileu judeu liceu mausoleu museu plebeu pneu trofeu
"""
_PORTUGUESE: Final = """
ares=ar biquinis=biquini caos=caos dois=dois gas=gas gibis=gibi javalis=javali juris=juri maes=mae meis=mel
rubis=rubi safaris=safari seis=seis sois=sol tres=tres zumbis=zumbi
"""
_ENGLISH: Final = """
buses=bus calves=calf children=child feet=foot geese=goose halves=half knives=knife loaves=loaf men=man mice=mouse
people=person scarves=scarf shelves=shelf teeth=tooth thieves=thief wives=wife wolves=wolf women=woman
"""
PORTUGUESE: Final = pairs(_PORTUGUESE)
"""Plural and singular; a word that is its own singular only looks like a plural."""
ENGLISH: Final = pairs(_ENGLISH)
WHOLE: Final = {word: word for word in _NOUNS_IN_EU.split()} | {"deus": "deus", "mes": "meses", "meses": "meses"}
"""What must not be cut: the stem of `mês` would be that of `mesa`."""
_COUNTRY: Final = re.compile(r"\bpaís\b", re.IGNORECASE)


def apart(text: str) -> str:
    """`text` with `país` in the plural: without its accent it would be `pais`, the plural of `pai`."""
    return _COUNTRY.sub("paises", text) if "ís" in text or "ÍS" in text else text
