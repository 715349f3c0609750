"""Whose words a question wants: the assistant is asked for what it said otherwise than for what it is to say."""

from __future__ import annotations

import re
from typing import Final

# Told of the past: `can you recommend a hotel?` wants what the user likes, `the hotel you recommended` does not.
_SAID: Final = (
    r"(?:said|told|mentioned|recommended|suggested|advised|gave|given|listed|provided|explained|wrote|written"
    r"|proposed|answered|described|shared|showed|shown|named|taught|warned|made|created|drafted|came up with"
    r"|pointed out|talked|spoke|called|offered)"
)
_SAY: Final = (
    r"(?:say|tell|mention|recommend|suggest|advise|give|list|provide|explain|write|propose|answer|describe"
    r"|share|show|name|teach|warn|make|create|draft|come up with|point out|call|offer)"
)
_DISSE: Final = (
    r"(?:disse\w*|fal(?:ou|aste)|contou|mencionou|recomendou|sugeriu|indicou|explicou|passou|deu|listou|respondeu"
    r"|propos|escreveu|aconselhou|orientou|montou|citou|mostrou|avisou|ensinou"
    r"|(?:tinha|havia) (?:me )?(?:dito|falado|contado|recomendado|sugerido|indicado|explicado|passado|dado))"
)
_OF_ASSISTANT: Final = re.compile(
    rf"\byou (?:(?!i\b)\w+ ){{0,2}}{_SAID}\b|\bdid you (?:\w+ ){{0,2}}{_SAY}\b"
    r"|\byour (?:\w+ )?(?:answer|advice|suggestion|recommendation|list|response|reply|explanation|idea|tip|plan"
    r"|draft|outline|example|estimate|proposal|recipe|itinerary)"
    rf"|\b(?:voce|vc|assistente) (?:\w+ ){{0,2}}(?:me )?{_DISSE}\b"
    r"|\b(?:sua|tua) (?:sugestao|recomendacao|resposta|dica|lista|explicacao|ideia|proposta)"
    r"|\bthe assistant\b|\b[oa] assistente\b"
)
# What was said between the two is the assistant's part of it, unless the user asks for their own.
_BETWEEN_US: Final = re.compile(
    r"\bremind me\b|\bour (?:\w+ )?(?:chats?|conversations?|discussions?)\b"
    r"|\b(?:we|did we) (?:\w+ )?(?:talk(?:ed)? about|discuss(?:ed)?|went over)\b"
    r"|\bme lembr(?:a|e|ar)\b|\bnoss[ao]s? (?:\w+ )?(?:conversas?|papo)\b|\b(?:conversamos|discutimos)\b"
)
_MINE: Final = re.compile(
    r"\b(?:my|mine)\b|\b(?:did|do|have|had|am|are) i\b|\bi (?:said|told|mentioned|gave|had)\b"
    r"|\b(?:meu|meus|minha|minhas)\b|\beu (?:disse|falei|contei|mencionei|passei)\b"
)
# One of these is in all that the patterns match: to look for them costs a tenth of that.
_ADDRESSED: Final = (
    *("you", "remind", "our ", "we ", "the assistant"),
    *("voce", "vc", "assistente", "sua ", "tua ", "lembr", "noss", "conversamos", "discutimos"),
)


def wants_assistant(folded: str, *, of_time: bool = False) -> bool:
    """Whether a folded question asks for what the assistant said.

    What was said between the two at a time, and nothing else of it, is the user's part as well.
    """
    if not any(piece in folded for piece in _ADDRESSED):
        return False
    if _OF_ASSISTANT.search(folded):
        return True
    return not of_time and _BETWEEN_US.search(folded) is not None and not _MINE.search(folded)
