"""Beside another tenant with the same ids every act is as it is alone, and no predicate can be left out."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import cache

import msgspec
import pytest
from tests.contract.acting import ACTS
from tests.contract.two_tenants import TENANTS, Act, Beside, crossings, mutants

from rememora.adapters.sql.queries import Query, queries
from rememora.errors import RememoraError
from rememora.ports import store as ports

pytestmark = pytest.mark.usefixtures("one_beginning")

TABLE = queries("sqlite")
SCOPED = {name: query for name, query in TABLE.items() if not query.operator}


@cache
def worlds() -> Mapping[tuple[str, ...], Beside]:
    """Each tenant alone, and both."""
    return {names: Beside(*names) for names in (*((name,) for name in TENANTS), TENANTS)}


@cache
def asked() -> Mapping[str, dict[str, Act]]:
    """For each query the acts that ask for it."""
    found: dict[str, dict[str, Act]] = {name: {} for name in TABLE}
    for name, act in ACTS.items():
        _, names = worlds()[TENANTS].after(act, TENANTS[0], TABLE)
        for query in names:
            found[query][name] = act
    return found


@pytest.mark.parametrize("name", ACTS)
def test_beside_another_tenant_an_act_is_as_it_is_alone(name: str) -> None:
    """It returns the same, leaves the same rows to its own tenant, and leaves the other's as they were."""
    assert [] == crossings(worlds(), {name: ACTS[name]}, TABLE)


@pytest.mark.parametrize("name", SCOPED)
def test_no_query_can_lose_its_tenant_unnoticed(name: str) -> None:
    """Take any one predicate out of a query, or let it write elsewhere: the test above fails for some act."""
    query = SCOPED[name]
    mutated = mutants(query)

    assert mutated
    for sql in mutated:
        changed = {**TABLE, name: msgspec.structs.replace(query, sql=sql)}

        assert _noticed(asked()[name], changed), sql


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


def _noticed(acts: Mapping[str, Act], table: Mapping[str, Query]) -> bool:
    try:
        return bool(crossings(worlds(), acts, table))
    except (sqlite3.Error, RememoraError):
        # What the engine or a noun refuses is noticed by whoever asked.
        return True
