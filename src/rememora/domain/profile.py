"""The base profile: what is known from sign-up, and the field names that onboarding forms use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from rememora.domain.memory import Reach
from rememora.errors import InvalidInput
from rememora.language import fold
from rememora.language.phrases import plain_words
from rememora.language.word_patterns import WORD

_YES = plain_words("form_yes") | {"true"}
_NO = plain_words("form_no") | {"false"}


class Profile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Profile from sign-up, onboarding and the profile page; a field that is None stays unchanged."""

    name: str | None = None
    preferred_language: str | None = None
    timezone: str | None = None
    locale: str | None = None
    role_title: str | None = None
    communication_style: str | None = None
    company: str | None = None
    segment: str | None = None
    business_model: str | None = None
    primary_goals: str | tuple[str, ...] | None = None
    no_emojis: bool | None = None
    no_tech_terms: bool | None = None
    short_answers: bool | None = None
    channels_enabled: tuple[str, ...] | None = None

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Profile:
        """Build a profile from the fields of a form, under any of their known names."""
        if not isinstance(fields, Mapping):
            raise InvalidInput("profile", f"must be a mapping, not {type(fields).__name__}")
        named: dict[str, Any] = {}
        for name, given in fields.items():
            field = field_of(name)
            value = _read(field, given)
            # "name" and "nome" are one field: given twice alike it is fine, otherwise nobody knows which is meant.
            if field in named and named[field] != value:
                raise InvalidInput(name, f"repeats {field} with another value")
            named[field] = value
        try:
            return msgspec.convert(named, cls)
        except msgspec.ValidationError as error:
            raise InvalidInput("profile", str(error)) from None

    def values(self) -> dict[str, Any]:
        """Return the known fields by key."""
        known = {field: getattr(self, field) for field in self.__struct_fields__}
        return {KEYS[field]: _plain(value) for field, value in known.items() if value not in (None, "", ())}


KEYS: Mapping[str, str] = {
    "name": "user.name",
    "preferred_language": "user.preferred_language",
    "timezone": "user.timezone",
    "locale": "user.locale",
    "role_title": "user.role_title",
    "communication_style": "user.communication_style",
    "company": "tenant.name",
    "segment": "tenant.segment",
    "business_model": "tenant.business_model",
    "primary_goals": "tenant.primary_goals",
    "no_emojis": "prefs.no_emojis",
    "no_tech_terms": "prefs.no_tech_terms",
    "short_answers": "prefs.short_answers",
    "channels_enabled": "prefs.channels_enabled",
}
"""The key under which each field is stored."""

ALIASES: Mapping[str, tuple[str, ...]] = {
    "name": (
        "nome", "full name", "nome completo", "first name", "primeiro nome", "display name", "user name",
        "apelido",
    ),
    "preferred_language": ("idioma", "lingua", "language", "lang", "idioma preferido", "preferred lang"),
    "timezone": ("time zone", "tz", "fuso", "fuso horario"),
    "locale": ("localidade", "regiao", "culture"),
    "role_title": ("cargo", "role", "job title", "funcao", "titulo", "position", "occupation", "profissao"),
    "communication_style": ("estilo de comunicacao", "estilo", "style", "tom", "tone", "tom de voz"),
    "company": (
        "empresa", "company name", "nome da empresa", "organization", "organizacao", "business name", "loja",
        "nome da loja", "tenant name", "nome fantasia", "razao social", "nome do negocio",
    ),
    "segment": ("segmento", "ramo", "industry", "setor", "sector", "area de atuacao", "nicho", "niche"),
    "business_model": ("modelo de negocio", "modelo negocio", "modelo"),
    "primary_goals": (
        "objetivos", "goals", "metas", "objetivo principal", "main goal", "objetivos principais", "goal",
        "objetivo",
    ),
    "no_emojis": ("sem emojis", "sem emoji", "no emoji", "prefs no emojis"),
    "no_tech_terms": ("sem termos tecnicos", "sem jargao", "no jargon", "prefs no tech terms"),
    "short_answers": ("respostas curtas", "short replies", "brief answers", "prefs short answers"),
    "channels_enabled": ("canais", "channels", "canais ativos", "canais habilitados", "prefs channels enabled"),
}  # fmt: skip
"""Names that onboarding forms use, in Portuguese and English, compared without case, accents or separators."""


def reach_of(key: str) -> Reach:
    """Return the reach of a profile key: the user, or the tenant."""
    return "tenant_shared" if key.startswith("tenant.") else "personal"


def field_of(name: str) -> str:
    """Return the field that a form's name refers to."""
    if not isinstance(name, str):
        raise InvalidInput("profile", "must have field names of text")
    spoken = _spoken(name)
    for field, aliases in ALIASES.items():
        if spoken == _spoken(field) or spoken in aliases:
            return field
    raise InvalidInput(name, "is not a field of the profile")


def _spoken(name: str) -> str:
    # `nomeDaEmpresa` has three words; `NOME` has one.
    parted = re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z])", " ", name)
    return " ".join(WORD.findall(fold(parted)))


def _read(field: str, value: Any) -> Any:
    """Parse a form's spelling of a list or a boolean."""
    if field == "channels_enabled" and isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if field.startswith(("no_", "short_")) and isinstance(value, str):
        written = fold(value.strip())
        return True if written in _YES else False if written in _NO else value
    return value.strip() or None if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
