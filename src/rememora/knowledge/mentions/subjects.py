"""Subject of a limit that is not a known metric: `if the error rate exceeds 2%`, `o estoque mínimo é 50`."""

from __future__ import annotations

import re
from typing import Final

from rememora.knowledge.mentions.capitals import is_small
from rememora.knowledge.mentions.gazetteer import gazetteer

_THE: Final = r"(?:o|a|os|as|the|our|my|noss[oa]s?|meus?|minhas?|ess[ea]|est[ea]|this)"
_NAME: Final = r"(?P<name>[a-z]{1,40}(?:\s{1,3}(?:d[aeo]s?\s{1,3})?[a-z]{1,40}){0,2}?)"
# What may stand before the limited thing; `kept` ("mantenha o estoque…") needs no verb of becoming.
_WHEN: Final = (
    rf"(?:(?<!\w)(?:se|quando|caso|if|when|whenever|once)\s+(?:{_THE}\s+)?"
    rf"|(?:(?<!\w)(?:que|deix[ea]|let)\s+|(?:^|[.!?,;:\n])\s{{0,3}}|(?P<kept>(?<!\w)(?:keep|mantenha|mantem|manter)\s+)){_THE}\s+)"
)
_MAY: Final = r"(?:nao|nunca|pode|podem|deve|devem|precisa|tem que|can|cannot|must|should|has to|not|never)"
# Verbs between the thing and its limit; without one, two nouns side by side are not a condition.
_BECOMES: Final = (
    r"(?:fica|ficar|ficarem|fique|esta|estar|estiver|for|cair|cairem|cai|caia|caem|subir|sobe|suba|baixar|chegar|manter|mantenha"
    r"|is|are|be|goes|go|gets|get|falls|fall|drops|drop|rises|rise|stay|stays|keep)"
)
# The sentence is about what stands before such verbs; before others it is about who does them.
_SAYS: Final = re.compile(
    rf"{_WHEN}{_NAME}(?P<verbs>(?:\s{{1,3}}{_MAY}){{0,3}}(?:\s{{1,3}}{_BECOMES}){{0,3}})\s{{0,3}}$"
)
_VERB: Final = re.compile(r"(?:pass|ultrapass|exced|super(?:ar|e|a)$|cair|caia|baix|exceed|surpass|drop|fall)")
_IS: Final = r"(?:\s{0,3}[:=]|\s{1,3}(?:e|de|do|sao|sera|deve ser|fica em|is|of|should be|will be)){0,3}\s{0,3}$"
# Nouns that carry their limit as an adjective ("estoque mínimo") on either side.
_LEAST: Final = re.compile(
    rf"(?<!\w)(?:{_THE}|uma?|d[aeo]|n[ao]|com)\s+(?P<name>[a-z]+)\s+(?:minim|maxim)[oa]s?{_IS}"
    rf"|(?<!\w){_THE}\s+(?:min|max|minimum|maximum)\s+(?P<name_en>[a-z]+(?:\s+[a-z]+)??){_IS}"
    r"|(?<!\w)(?P<headed>[a-z]+)\s+(?:minim|maxim)[oa]s?\s*[:=]\s*$"
)

_REACH = 80


def subject(folded: str, limits_at: int, value_at: int, limit: str) -> str | None:
    """The name of what is limited by the figure at `value_at`, by the words `limit` at `limits_at`."""
    begin = max(0, limits_at - _REACH)
    match = _LEAST.search(folded, begin, value_at)
    if match is not None:
        return _sound(match["name"] or match["name_en"] or match["headed"])
    said = _SAYS.search(folded, begin, limits_at)
    if said is None or not (said["kept"] or _VERB.match(limit) or re.search(_BECOMES, said["verbs"])):
        return None
    return _sound(said["name"])


def _sound(name: str) -> str | None:
    """A name of things only: no small word but the one that joins two, no person."""
    words = [word for word in name.split() if not re.fullmatch("d[aeo]s?", word)]
    if any(is_small(word) for word in words) or words[0] in gazetteer().first_names:
        return None
    return " ".join(name.split())
