"""Words by which people ask for a well-known key: "onde moro" asks for `user.location`."""

from __future__ import annotations

from typing import Final

ASKED_BY: Final[dict[str, str]] = {
    "user.name": "nome chamo chama chamar name called",
    "user.preferred_language": "idioma língua falo language speak",
    "user.timezone": "fuso horário hora timezone time",
    "user.location": "moro mora cidade onde endereço live city located address",
    "user.role_title": "cargo função trabalho profissão role title job position",
    "user.communication_style": "estilo conversar falar style tone",
    "user.age": "idade anos velho velha age old years",
    "user.phone": "telefone celular número fone whatsapp zap phone number cell mobile",
    "user.email": "email e-mail correio mail endereço address",
    "user.nickname": "apelido nickname called chama",
    "user.birthday": "aniversário nasci birthday born",
    "user.diet": "como comer comida dieta alimentação vegetariano eat food diet",
    "tenant.name": "empresa companhia negócio loja trabalho company business employer work",
    "tenant.segment": "segmento ramo setor industry sector segment",
    "tenant.business_model": "modelo negócio business model",
    "tenant.primary_goals": "objetivos metas meta goals targets",
    "prefs.short_answers": "respostas curtas resposta gosto answers short like",
    "prefs.no_emojis": "emoji emojis",
    "prefs.no_tech_terms": "termos técnicos jargão technical terms jargon",
    "prefs.channels_enabled": "canais canal channels channel",
}
"""For each key the words of a question about it, beside the words of the key itself."""

_SAME: Final = {"user.city": "user.location", "user.address": "user.location", "user.company": "tenant.name"}
"""Keys that people ask for by the words of another key."""


def asked_by(key: str) -> str | None:
    """Return the words of a question about `key`; None where the key has no words of its own."""
    return ASKED_BY.get(_SAME.get(key, key))
