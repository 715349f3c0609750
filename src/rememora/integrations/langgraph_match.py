"""Find documents for LangGraph's store: filters, namespaces by whole labels, cosine of vectors, shared words."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from rememora.integrations.vectors import cosine, unpacked
from rememora.language import tokens

Path = tuple[str, ...]
_KEY = re.compile(r"[\w .-]+")


class DocumentContents(msgspec.Struct, frozen=True, kw_only=True):
    """Contents of a document of the store; its vectors are packed."""

    namespace: Path
    key: str
    value: dict[str, Any]
    ttl: float | None = None
    vectors: dict[str, list[int]] = {}


def cosines(query: Sequence[float], contents: Iterable[DocumentContents]) -> list[float]:
    """Return how near each document is to a query, by the nearest of its vectors."""
    return [
        max(cosine(query, unpacked(vector, len(query))) for vector in stored.vectors.values())
        for stored in contents
    ]


def shared_words(query: str, value: Mapping[str, Any]) -> float:
    """Return the share of a query's words that a document contains."""
    words = set(tokens(query))
    held = set(tokens(" ".join(_texts(value))))
    return len(words & held) / len(words) if words else 0.0


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [str(value)]


# LangGraph's operators, by its names; an unknown one is an error there, and is one here.
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def meets(value: Any, expected: Any) -> bool:
    """Return whether a document matches a filter; a key is a name, or names with dots between."""
    if isinstance(expected, Mapping):
        if any(str(name).startswith("$") for name in expected):
            return all(_compared(name, value, against) for name, against in expected.items())
        return isinstance(value, Mapping) and all(
            meets(_at(value, name), condition) for name, condition in expected.items()
        )
    if isinstance(expected, list | tuple):
        alike = isinstance(value, list | tuple) and len(value) == len(expected)
        return alike and all(meets(one, condition) for one, condition in zip(value, expected, strict=True))
    # In Python `1 == True`; in JSON they differ.
    return bool(value == expected) and isinstance(value, bool) == isinstance(expected, bool)


def _at(value: Mapping[str, Any], name: str) -> Any:
    """Return what stands under a key, as it is or as a path; a key with other signs is refused."""
    if not _KEY.fullmatch(name):
        raise ValueError(f"Invalid filter key: {name!r}")
    if name in value or "." not in name:
        return value.get(name)
    first, _, rest = name.partition(".")
    inner = value.get(first)
    return _at(inner, rest) if isinstance(inner, Mapping) else None


def _compared(name: str, value: Any, against: Any) -> bool:
    if name not in _COMPARED:
        raise ValueError(f"Operator {name} not supported")
    if name in ("$eq", "$ne"):
        return _COMPARED[name](value, against)
    try:
        # Numbers may be stored as text: they are compared as numbers where both are, and as they are otherwise.
        return value is not None and bool(_COMPARED[name](float(value), float(against)))
    except (TypeError, ValueError):
        try:
            return bool(_COMPARED[name](value, against))
        except TypeError:
            return False


def name_of(namespace: Path, key: str) -> str:
    """Return the name that a document is stored under."""
    return msgspec.json.encode([*namespace, key]).decode()


def beginning_of(namespace: Path) -> str:
    """Return how the names of all documents in a namespace and below it begin: with its labels, each whole."""
    return msgspec.json.encode(namespace).decode().removesuffix("]") + "," if namespace else "["


def namespaces_of(paths: Iterable[Path], conditions: Iterable[Any], max_depth: int | None) -> list[Path]:
    """Return the namespaces that meet every condition, cut to a depth, each once and sorted."""
    patterns = [(condition.match_type, tuple(condition.path)) for condition in conditions]
    kept = {path for path in paths if all(_fits(path, kind, labels) for kind, labels in patterns)}
    return sorted({path if max_depth is None else path[:max_depth] for path in kept})


def _fits(path: Path, kind: str, labels: Path) -> bool:
    if len(path) < len(labels):
        return False
    part = path[: len(labels)] if kind == "prefix" else path[len(path) - len(labels) :]
    return all(label in ("*", given) for given, label in zip(part, labels, strict=True))
