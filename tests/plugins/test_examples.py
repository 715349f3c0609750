"""Each example package is installed, chosen by one setting, and used end to end."""

from __future__ import annotations

import tempfile
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.clock import SetClock
from tests.plugins.conftest import EXAMPLES

from rememora import Refuse, Rememora, Settings
from rememora.contracts import (
    DIMENSION,
    check_embedder,
    check_engine,
    check_layer,
    check_reader,
    check_vectors,
)
from rememora.language.packs import GROUP
from rememora.plugins import EMBEDDERS, ENGINES, KINDS, LAYERS, READERS, VECTORS, make
from rememora.ports.store import Store
from rememora.ports.vectors import Vectors

SECRET = "O projeto PRJ-4711 do meu cliente Horizonte começa em março"


def load(folder: Path, **overrides: object) -> Settings:
    """Settings of a store in a folder of the test."""
    changed = {name.replace("__", "."): value for name, value in overrides.items()}
    base = {"store.url": str(folder / "store"), "store.key_folder": str(folder / "key")}
    return Settings.load({**base, "recall.embedder": "none", **changed}, environ={})


def test_there_is_an_example_of_every_kind() -> None:
    """Each group has a package of about thirty lines under `examples/plugins`."""
    groups = set()
    for project in EXAMPLES.glob("*/pyproject.toml"):
        groups |= tomllib.loads(project.read_text("utf-8"))["project"]["entry-points"].keys()

    assert {GROUP, *(kind.group for kind in KINDS)} == groups


@pytest.mark.usefixtures("examples")
async def test_an_engine_keeps_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered is found again while the store is open, and its folder is gone when it is closed."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    settings = load(tmp_path, store__url="scratch://trial")
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.remember("user.city", "Recife")
        await rememora.settle()
        (folder,) = tmp_path.glob("rememora-trial-*")

        assert ["Recife"] == [memory.value for memory in (await ana.memories.list()).items]
        assert (folder / "rememora.db").exists()
    assert not folder.exists()


@pytest.mark.usefixtures("examples")
async def test_an_embedder_and_a_vector_engine_find_what_was_said(tmp_path: Path) -> None:
    """Recall by vectors of the one, searched by the other; nothing of an erased person is found by it."""
    settings = load(tmp_path, recall__embedder="trigrams", recall__dimension=256, recall__vectors="exact://")
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").append("user", "A reunião com a Horizonte é na quinta-feira")
        await ana.conversation("c1").append("user", "O contador mandou o balanço")
        await rememora.settle()
        neighbours = await ana.memories.nearest("reuniao com horisonte", limit=1)

        assert ["A reunião com a Horizonte é na quinta-feira"] == [hit.content for hit in neighbours]
        assert {"recall.vectors": ""} == await rememora.health.ask_engines()
        await ana.erase(person=True)
        assert [] == await ana.memories.nearest("reuniao com horisonte", limit=1)


@pytest.mark.usefixtures("examples")
async def test_a_layer_adds_its_items_to_the_pack(tmp_path: Path, clock: SetClock) -> None:
    """In the language of the question, beside what the package's own layers give."""
    clock.now = datetime(2026, 3, 4, 12, tzinfo=UTC)
    settings = load(tmp_path, context__layers="office_hours")
    async with Rememora.open(settings=settings, clock=clock, background=False) as rememora:
        talk = rememora.user("ana", tenant="acme").conversation("c1")
        portuguese = await talk.context("bom dia, tudo bem com vocês?")
        english = await talk.context("good morning, how are you?")

    assert ["O escritório está aberto agora."] == [item.text for item in portuguese.section("operations")]
    assert ["The office is open now."] == [item.text for item in english.section("operations")]


@pytest.mark.usefixtures("examples")
async def test_a_reader_decides_what_a_message_says(tmp_path: Path) -> None:
    """A project code is a secret to it alone; when it is let go of, the built-in reader is back."""
    async with Rememora.open(settings=load(tmp_path, reading__reader="confidential")) as rememora:
        read = await rememora.user("ana", tenant="acme").gate.judge(SECRET)
    async with Rememora.open(settings=load(tmp_path)) as rememora:
        plain = await rememora.user("ana", tenant="acme").gate.judge(SECRET)

    assert isinstance(read, Refuse)
    assert read.sensitive
    assert "sensitive.private" == read.reason
    assert not isinstance(plain, Refuse)


@pytest.mark.usefixtures("examples")
async def test_every_example_keeps_its_contract(tmp_path: Path) -> None:
    """The checks that authors run pass on the packages that they copy."""
    settings = load(tmp_path, store__url="scratch://contract", recall__dimension=64)

    def vectors(store: Store) -> Vectors:
        made: Vectors = make(VECTORS, "exact", "exact://", store, dimension=DIMENSION, model="m")
        return made

    broken = {
        "engine": await check_engine(make(ENGINES, "scratch", settings)),
        "vectors": await check_vectors(vectors),
        "embedder": await check_embedder(make(EMBEDDERS, "trigrams", settings)),
        "reader": await check_reader(make(READERS, "confidential", settings)),
        "layer": await check_layer(make(LAYERS, "office_hours", settings, None)),
    }

    assert {} == {name: laws for name, laws in broken.items() if laws}
