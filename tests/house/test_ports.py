"""Every method of every port takes the scope first; who serves all tenants stands on a short list."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from rememora import ports
from rememora.domain.scope import Scope

OUTSIDE = {"rememora.ports.outside", "rememora.ports.responder"}
"""What is truly outside knows no tenants: a clock, a model."""

OPERATORS = {
    "Accounts",
    "ChoreList",
    "EventStream",
    "IndexKeeper",
    "Relay",
    "SignIns",
    "Tables",
    "TaskList",
    "Unjudged",
}
"""Views that serve every tenant, held only by operators and the background loops."""

OPERATOR_ACTS = {
    "MissionStore.close",
    "MissionStore.find_active_everywhere",
    "MissionStore.find_expired_everywhere",
    "MissionStore.scrub_everywhere",
    "Snapshots.keep_only",
    "Snapshots.release",
    "Snapshots.scratch",
    "Store.accounts",
    "Store.changed",
    "Store.chores",
    "Store.close",
    "Store.index",
    "Store.integrity",
    "Store.relay",
    "Store.sign_ins",
    "Store.tasks",
    "Store.tenants",
    "Store.unjudged",
    "Vectors.close",
}


def methods() -> Iterator[tuple[str, Any]]:
    """Every method of every port that is not outside."""
    for result in pkgutil.iter_modules(ports.__path__, f"{ports.__name__}."):
        module = import_module(result.name)
        for kind in vars(module).values():
            if result.name in OUTSIDE or getattr(kind, "__module__", "") != result.name:
                continue
            if getattr(kind, "_is_protocol", False) and kind.__name__ not in OPERATORS:
                yield from (
                    (f"{kind.__name__}.{name}", member)
                    for name, member in vars(kind).items()
                    if inspect.isfunction(member) and not name.startswith("_")
                )


def test_scope_comes_first() -> None:
    """The first parameter of each is `scope: Scope`, without a default, but for those on the list."""
    crossing = {name for name, method in methods() if not takes_scope_first(method)}

    assert OPERATOR_ACTS == crossing


def test_the_rule_can_fail() -> None:
    """A method without a scope, with an optional one, or with one that comes later is seen."""

    def none(self: object, id: str) -> None: ...
    def late(self: object, id: str, scope: Scope) -> None: ...
    def optional(self: object, scope: Scope | None = None) -> None: ...

    assert [False, False, False] == [takes_scope_first(item) for item in (none, late, optional)]


def test_there_are_ports() -> None:
    """The rule above looks at something."""
    names = {name for name, _ in methods()}

    assert {"Messages.add", "Conversations.newest", "Outbox.add", "Store.write", "Store.read"} <= names


def takes_scope_first(method: Any) -> bool:
    """Whether a method's first parameter after `self` is a required Scope."""
    _, *parameters = inspect.signature(method).parameters.values()
    if not parameters:
        return False
    first = parameters[0]
    return (first.name, first.annotation, first.default) == ("scope", "Scope", inspect.Parameter.empty)
