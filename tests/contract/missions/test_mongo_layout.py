"""How missions lie in MongoDB: the indexes, and keys that no update can read as paths."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymongo import MongoClient
from tests.contract.missions.worlds import ANA, World, world_of
from tests.engines.mongo import fresh_mongo

from rememora import Rememora, Settings
from rememora.adapters.mongo.documents import from_tree, to_tree
from rememora.adapters.mongo.operators import plan_update, same
from rememora.errors import InvalidInput, SettingsError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(".$%a0", max_size=3), inner, max_size=3),
    max_leaves=12,
)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with world_of("mongo", tmp_path) as opened:
        yield opened


async def test_the_indexes(world: World) -> None:
    """Unique mission of a tenant, session, status with creation, user with status, and the time to live."""
    await world.missions.create(ANA, "q")
    with MongoClient[dict[str, object]](world.settings.missions.url) as client:
        result = client.get_default_database().get_collection("missions").index_information()

    assert {"mission", "session", "status_created", "ttl", "untold", "user_status"} == result.keys() - {"_id_"}
    assert result["mission"]["unique"]
    assert [("tenant", 1), ("mission", 1)] == result["mission"]["key"]
    assert 0 == result["ttl"]["expireAfterSeconds"]


async def test_the_collection_has_the_name_of_the_settings(tmp_path: Path) -> None:
    """Hosts of the first systems find missions where they always lay."""
    settings = Settings.load(
        {
            "store.url": str(tmp_path),
            "missions.url": fresh_mongo(),
            "missions.collection": "agent_working_memory",
        },
        environ={},
    )
    async with World.opened(settings) as world:
        mission = await world.missions.create(ANA, "q")
    with MongoClient[dict[str, object]](settings.missions.url) as client:
        database = client.get_default_database()
        result = database.get_collection("agent_working_memory").find_one({"mission": mission.id})

        assert ["agent_working_memory"] == database.list_collection_names()
    assert result is not None


async def test_a_mission_beyond_what_a_document_takes_is_refused_whole(world: World) -> None:
    """Sections may be large one by one; all of them together may not, and then nothing is written."""
    board = world.board(ANA, (await world.missions.create(ANA, "q")).id)
    await board.update({"coordinators.a": {"collected": {"x": "x" * 7_000_000}}})
    before = await board.update({"final.answer": "x" * 7_000_000})

    with pytest.raises(InvalidInput, match="16 MB"):
        await board.update({"orchestrator.objective": "x" * 7_000_000})
    assert before.final == (await board.get()).final
    assert before.orchestrator == (await board.get()).orchestrator


async def test_a_url_that_is_none_is_refused_without_being_shown() -> None:
    """The refusal names the setting, not the password in it."""
    where = {"store.url": ":memory:", "missions.url": "mongodb://a:secret@b@c:99999"}
    with pytest.raises(SettingsError, match=r"missions\.url") as refused:
        await Rememora.open(settings=Settings.load(where, environ={}))

    assert "secret" not in str(refused.value)


@given(JSON)
def test_a_value_comes_back_as_it_was(value: object) -> None:
    """Whatever JSON may hold, with any keys."""
    assert same(value, from_tree(to_tree(value)))


@given(JSON)
def test_no_key_can_be_read_as_a_path_or_an_order(value: object) -> None:
    """Nowhere in the tree is a key empty, or one with a dot or a dollar in it."""

    def keys(tree: object) -> list[str]:
        if isinstance(tree, dict):
            return [*tree, *(key for inner in tree.values() for key in keys(inner))]
        return [key for inner in tree for key in keys(inner)] if isinstance(tree, list) else []

    assert [] == [key for key in keys(to_tree(value)) if not key or set(key) & {".", "$", "\0"}]


@given(JSON, JSON)
def test_an_update_names_no_path_twice(before: object, after: object) -> None:
    """No path of an update lies at or below another: the server would refuse the whole of it."""
    update = plan_update({"final": to_tree(before)}, {"final": to_tree(after)})
    paths = sorted(f"{path}." for steps in update.values() for path in steps)

    assert [] == [second for first, second in pairwise(paths) if second.startswith(first)]


@given(JSON)
def test_what_is_the_same_needs_no_update(value: object) -> None:
    """A section that did not change is not written."""
    assert {} == plan_update({"final": to_tree(value)}, {"final": to_tree(value)})
