"""A group of settings that validates itself, and describes the allowed values in words."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from rememora.errors import SettingsError
from rememora.settings.urls import HIDDEN, without_password

SECRETS = frozenset(
    {"events.webhook_secret", "missions.url", "model.api_key", "proxy.api_key", "recall.api_key", "redis.url"}
)
"""Settings that no error, log or listing may show."""


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A group of settings that validates itself when it is created."""

    title: ClassVar[str] = ""

    def __repr__(self) -> str:
        fields = (
            f"{name}={shown(f'{self.title}.{name}', getattr(self, name))!r}" for name in self.__struct_fields__
        )
        return f"{type(self).__name__}({', '.join(fields)})"

    def __post_init__(self) -> None:
        for name, kind in field_types(type(self)).items():
            check(f"{self.title}.{name}", getattr(self, name), kind)


@cache
def field_types(section: type[Section]) -> dict[str, Any]:
    """The fields of a section with their annotated types."""
    hints = get_type_hints(section, include_extras=True)
    return {name: hints[name] for name in section.__struct_fields__}


def allowed(kind: Any) -> str:
    """Describe the allowed values of a setting."""
    plain, *rest = get_args(kind)
    if get_origin(plain) is Literal:
        return "one of " + ", ".join(get_args(plain))
    if plain is bool:
        return "true or false"
    noun = {int: "a whole number", float: "a number", str: "text"}[plain]
    limits = next((item for item in rest if isinstance(item, Meta)), Meta())
    # A pattern is for machines; its examples are what a person can choose from.
    if limits.pattern:
        return "one of " + ", ".join(limits.examples or ())
    if limits.min_length:
        return f"{noun}, not empty"
    low = limits.ge if limits.ge is not None else limits.gt
    if low is None or limits.le is None:
        return noun
    above = "from" if limits.ge is not None else "above"
    return f"{noun} {above} {low} to {limits.le}"


def check(path: str, value: object, kind: Any) -> None:
    """Refuse a value of the wrong type or out of range."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise SettingsError(path, shown(path, value), allowed(kind)) from None


def shown(path: str, value: object) -> object:
    """Return a value as an error may show it."""
    if path.endswith("url") and isinstance(value, str):
        return without_password(value)
    return HIDDEN if path in SECRETS and value else value
