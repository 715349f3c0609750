"""Beside another tenant with the same ids every act is as it is alone, and no predicate can be left out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest
from tests.contract.acting import ACTS
from tests.contract.two_tenants import Act, Beside, Worlds, askers, crossings, mutants, unnoticed, worlds_of
from tests.looped import looped

from rememora.adapters.sql.queries import queries
from rememora.ports import store as ports

pytestmark = pytest.mark.usefixtures("one_beginning")

TABLE = queries("sqlite")
SCOPED = [name for name, query in TABLE.items() if not query.operator]


@cache
def worlds() -> Worlds:
    return worlds_of(Beside)


@cache
def asked() -> Mapping[str, Mapping[str, Act]]:
    return askers(worlds(), ACTS, TABLE)


@looped("name", ACTS)
def test_beside_another_tenant_an_act_is_as_it_is_alone(name: str) -> None:
    """It returns the same, leaves the same rows to its own tenant, and leaves the other's as they were."""
    assert [] == crossings(worlds(), {name: ACTS[name]}, TABLE)


@looped("name", SCOPED)
def test_no_query_can_lose_its_tenant_unnoticed(name: str) -> None:
    """Take any one predicate out of a query, or let it write elsewhere: the test above fails for some act."""
    assert mutants(TABLE[name])
    assert [] == unnoticed(worlds(), asked()[name], TABLE, name)


def test_every_repository_method_is_an_act() -> None:
    """A method added to a repository without an act here fails this test."""
    rooms = {
        name: kind.fget.__annotations__["return"]
        for name, kind in vars(ports.UnitOfWork).items()
        if isinstance(kind, property)
    }
    methods = {
        f"{room}.{name}"
        for room, kind in rooms.items()
        for name in dir(getattr(ports, kind))
        if not name.startswith("_")
    }

    assert set() == methods - {name.partition(" ")[0] for name in ACTS}
