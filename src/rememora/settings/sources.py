"""Sources of settings: code, then the environment, then a file; the only reader of the environment."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

import msgspec

from rememora.errors import SettingsError
from rememora.settings.section import allowed, shown
from rememora.settings.urls import HIDDEN

Known = Mapping[str, Any]
"""Return every setting as `section.field` with its annotated type."""


logger = logging.getLogger(__name__)
NEAR = 0.8
ENV_PREFIX = "REMEMORA_"
FILE_ENV = "REMEMORA_FILE"
DEFAULT_FILE = "rememora.toml"


ALIASES: Mapping[str, str] = {
    "AGENT_SUMMARIZATION_ENABLED": "layers.summarization",
    "AGENT_SUMMARIZATION_THRESHOLD": "summary.threshold",
    "AGENT_SUMMARIZATION_KEEP_RECENT": "summary.keep_recent",
    "AGENT_SUMMARIZATION_MAX_TOKENS": "summary.max_tokens",
    "AGENT_VECTOR_STORE_ENABLED": "layers.vector_store",
    "AGENT_ENTITY_MEMORY_ENABLED": "layers.entity_memory",
    "AGENT_CROSS_THREAD_ENABLED": "layers.cross_thread",
    "AGENT_CROSS_THREAD_MAX_RESULTS": "context.related",
    "AGENT_RAG_TOP_K": "recall.limit",
    "AGENT_RAG_MIN_SIMILARITY": "recall.min_similarity",
    "AGENT_ENTITY_MAX_PER_USER": "entities.max_per_user",
    "OWNER_EPISODE_THRESHOLD": "episodes.threshold",
    "WMI_DELETE_DELAY": "missions.delete_delay_seconds",
}
"""Names that hosts already use, and the setting each stands for."""

MILLISECONDS = frozenset({"WMI_DELETE_DELAY"})
"""Variables among them that are in milliseconds; their settings are in seconds."""

FAMILIES = (
    "AGENT_SUMMARIZATION_",
    "AGENT_VECTOR_STORE_",
    "AGENT_RAG_",
    "AGENT_ENTITY_",
    "AGENT_CROSS_THREAD_",
    "OWNER_EPISODE_",
    "WMI_",
)
"""Prefixes of variables that hosts set for the memory: an unknown name is refused, not ignored."""
SHORT: Mapping[str, str] = {"REMEMORA_TENANT": "terminal.tenant", "REMEMORA_USER": "terminal.user"}
"""Short names for settings that are typed often."""


def env_name(path: str) -> str:
    """Return the environment variable of a setting: `REMEMORA_SUMMARY_THRESHOLD` for `summary.threshold`."""
    return ENV_PREFIX + path.replace(".", "_").upper()


def _parse(path: str, text: str, kind: Any) -> object:
    """Parse a value from its spelling in the environment."""
    try:
        return msgspec.convert(text.strip(), get_args(kind)[0], strict=False)
    except msgspec.ValidationError:
        raise SettingsError(path, shown(path, text), allowed(kind)) from None


def _from_host(name: str, text: str, known: Known) -> object:
    """Convert a value of a host's variable to the unit of its setting."""
    path = ALIASES[name]
    value = _parse(path, text, known[path])
    return value / 1000 if name in MILLISECONDS and isinstance(value, int | float) else value


def from_environment(environ: Mapping[str, str], known: Known) -> dict[str, object]:
    """Read the values of environment variables, ours and those that hosts already use.

    A misspelt setting, or an unknown name with a host's prefix, is refused because it would have no effect. Any
    other name under our prefix may belong to the platform, and only logs a warning.
    """
    names = {env_name(path): path for path in known}
    values: dict[str, object] = {}
    for name, text in environ.items():
        if name in SHORT:
            values[SHORT[name]] = _parse(SHORT[name], text, known[SHORT[name]])
        elif name in ALIASES:
            values[ALIASES[name]] = _from_host(name, text, known)
        elif name.startswith(FAMILIES):
            raise SettingsError(name, HIDDEN, _did_you_mean(name, ALIASES))
    for name, text in environ.items():
        # After the short and foreign names, so that our own full name wins over them.
        if name.startswith(ENV_PREFIX) and name != FILE_ENV and name not in SHORT:
            if name not in names:
                if _is_meant_for_us(name, names, known):
                    raise SettingsError(name, HIDDEN, _did_you_mean(name, names))
                logger.warning("%s is not a setting of Rememora and has no effect", name)
                continue
            values[names[name]] = _parse(names[name], text, known[names[name]])
    return values


def from_file(file: str | Path | None, known: Known) -> dict[str, object]:
    """Read the values of a TOML file; without a name, the default file is read if it exists."""
    path = Path(file or DEFAULT_FILE)
    if not path.exists():
        if file is not None:
            raise SettingsError("file", str(file), "a file that exists")
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise SettingsError("file", str(path), f"readable TOML ({error})") from None
    return from_code(content, known)


def from_code(values: Mapping[str, object], known: Known) -> dict[str, object]:
    """Flatten dotted (`"summary.threshold": 30`) or nested (`{"summary": {"threshold": 30}}`) names."""
    flat: dict[str, object] = {}
    for name, value in values.items():
        inner = value if isinstance(value, Mapping) else {"": value}
        for field, item in inner.items():
            path = f"{name}.{field}".rstrip(".")
            if path not in known:
                # A secret under a misspelt name is a secret still.
                raise SettingsError(path, HIDDEN, _did_you_mean(path, known))
            flat[path] = item
    return flat


def _is_meant_for_us(name: str, names: Mapping[str, str], known: Known) -> bool:
    """Return whether a variable looks like a misspelt setting, or begins like the name of a section."""
    plain = name.removeprefix(ENV_PREFIX)
    sections = {path.partition(".")[0].upper() for path in known}
    near = get_close_matches(plain, [name.removeprefix(ENV_PREFIX) for name in names], n=1, cutoff=NEAR)
    return bool(near) or plain.partition("_")[0] in sections


def _did_you_mean(name: str, known: Mapping[str, object]) -> str:
    # Without the prefix, which every name shares: it would make any two of them look alike.
    names = {variable.removeprefix(ENV_PREFIX): variable for variable in known}
    close = get_close_matches(name.removeprefix(ENV_PREFIX), names, n=1)
    return f"no such setting; did you mean {names[close[0]]}?" if close else "no such setting"
