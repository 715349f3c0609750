"""A plugin that cannot be used is named with its package and the reason; the store is left closed and whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.plugins.conftest import Broken
from tests.plugins.test_examples import SECRET, load

from rememora import Refuse, Rememora, Settings
from rememora.context.layers import NAMES
from rememora.errors import Conflict, PluginFailed, SettingsError
from rememora.plugins import KINDS, Kind, faults_of
from rememora.reading import hold_reader, read_message
from rememora.reading.results import MessageReading
from rememora.settings import LayerSettings

CHOSEN: dict[str, tuple[str, object]] = {
    "rememora.engines": ("store.url", "strange://there"),
    "rememora.vectors": ("recall.vectors", "strange://there"),
    "rememora.embedders": ("recall.embedder", "strange"),
    "rememora.readers": ("reading.reader", "strange"),
    "rememora.layers": ("context.layers", "strange"),
}
"""For each group the setting that names a plugin called `strange`."""

EMBEDS = """
import numpy as np
class Made:
    name, dimension = "ones", 4
    async def embed(self, texts, *, query=False):
        return [np.full(4, 0.5, np.float32) for _ in texts]
def make(settings):
    return Made()
"""


def chosen(folder: Path, kind: Kind, **more: object) -> Settings:
    """Settings that name the plugin `strange` of a kind."""
    setting, value = CHOSEN[kind.group]
    named = {setting.replace(".", "__"): value, **more}
    if kind.group == "rememora.vectors":
        # Vectors are searched only where there is an embedder.
        named["recall__embedder"] = "ones"
    return load(folder, **named)


async def refused(settings: Settings) -> Exception:
    """The error with which a memory is not opened."""
    with pytest.raises((SettingsError, PluginFailed)) as error:
        async with Rememora.open(settings=settings, background=False):
            pass
    return error.value


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.group)
async def test_an_unknown_name_lists_what_is_installed(kind: Kind, tmp_path: Path, offer: Broken) -> None:
    """The setting, the value, what is built in, and the names of plugins of this kind alone."""
    offer("rememora.embedders", "ones", EMBEDS)
    names = {
        "rememora.engines": "(scratch)",
        "rememora.vectors": "(exact)",
        "rememora.embedders": "(ones, trigrams)",
        "rememora.readers": "(confidential)",
        "rememora.layers": "(office_hours)",
    }
    error = await refused(chosen(tmp_path, kind))

    assert isinstance(error, SettingsError)
    assert (kind.setting, "strange") == (error.field, error.value)
    assert f"a plugin installed under {kind.group} {names[kind.group]}" in error.allowed
    assert all(name in error.allowed for name in kind.builtin)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.group)
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import a_package_that_is_nowhere", "raised ModuleNotFoundError: No module named"),
        ("make = 3", "raised TypeError: 'int' object is not callable"),
        ("def make(*args, **options): raise OSError('no licence')", "raised OSError: no licence"),
        ("def make(*args, **options): return 7", "does not fulfil"),
    ],
)
async def test_a_broken_plugin_is_named(
    kind: Kind, source: str, reason: str, tmp_path: Path, offer: Broken
) -> None:
    """Whether it does not import, is no factory, fails, or makes something else: its package is told."""
    offer("rememora.embedders", "ones", EMBEDS)
    offer(kind.group, "strange", source)
    error = await refused(chosen(tmp_path, kind))

    assert isinstance(error, PluginFailed)
    assert (kind.group, "strange") == (error.group, error.name)
    assert re.fullmatch(r"strange1_\S+ 2\.1", error.package)
    assert reason in error.message
    assert error.package in error.message
    async with Rememora.open(settings=load(tmp_path), background=False) as rememora:
        assert not (await rememora.user("ana", tenant="acme").memories.list()).items


async def test_a_name_that_two_packages_offer_is_refused(tmp_path: Path, offer: Broken) -> None:
    """Which one is meant is not guessed."""
    for _ in range(2):
        offer("rememora.embedders", "strange", EMBEDS)
    error = await refused(load(tmp_path, recall__embedder="strange"))

    assert isinstance(error, SettingsError)
    assert error.allowed.count(" 2.1") == 2


def test_what_a_part_lacks_is_said_member_by_member() -> None:
    """A missing member, one that is not async, and one that takes other arguments."""

    class Embedder:
        name = "x"

        def embed(self, texts: Sequence[str]) -> None: ...

    kind = next(kind for kind in KINDS if kind.group == "rememora.embedders")

    assert [
        "`dimension` is missing",
        "`embed` must be async",
        "`embed` must take (texts, *, query=False)",
    ] == faults_of(Embedder(), kind.protocol)


@pytest.mark.usefixtures("examples")
async def test_a_layer_may_not_take_the_name_of_ours(tmp_path: Path, offer: Broken) -> None:
    """A pack says by name which layer is missing: `profile` is the package's own."""
    offer("rememora.layers", "profile", "async def layer(ask): return []\ndef make(settings, store): return layer")
    error = await refused(load(tmp_path, context__layers="office_hours, profile"))

    assert isinstance(error, SettingsError)
    assert ("context.layers", "profile") == (error.field, error.value)


async def test_the_names_of_our_layers_are_all_listed(tmp_path: Path) -> None:
    """What no plugin may be named like is what the package's own layers are named: a pack without any tells."""
    off = {f"layers__{name}": False for name in LayerSettings.__struct_fields__}
    async with Rememora.open(settings=load(tmp_path, **off), background=False) as rememora:
        pack = await rememora.user("ana", tenant="acme").conversation("c1").context("oi")

    assert [(name, "off") for name in NAMES] == [(item.layer, item.why) for item in pack.missing]


@pytest.mark.parametrize(
    "body", ["raise OSError", "return ['text']", "return [Item(section='weather', kind='x', text='x')]"]
)
async def test_a_layer_that_fails_is_missing_and_the_rest_is_there(
    body: str, tmp_path: Path, offer: Broken
) -> None:
    """One that raises, gives no items, or items of no section ends no turn."""
    source = (
        f"from rememora import Item\nasync def layer(ask):\n    {body}\ndef make(settings, store): return layer"
    )
    offer("rememora.layers", "strange", source)
    async with Rememora.open(settings=load(tmp_path, context__layers="strange")) as rememora:
        talk = rememora.user("ana", tenant="acme").conversation("c1")
        await talk.append("user", "O balanço está pronto")
        pack = await talk.context("e o balanço?")

    assert [("strange", "failed")] == [(item.layer, item.why) for item in pack.missing]
    assert ["O balanço está pronto"] == [item.text for item in pack.section("recent")]


@pytest.mark.parametrize("answer", [OSError(), "nothing"])
def test_a_reader_that_fails_leaves_the_message_to_the_builtin_one(answer: Any) -> None:
    """A message is stored whatever a plugin does with it."""

    def read(text: str, before: Sequence[str]) -> Any:
        if isinstance(answer, OSError):
            raise answer
        return answer

    expected = read_message(SECRET)
    release = hold_reader("strange", read)
    try:
        assert expected == read_message(SECRET)
    finally:
        release()


@pytest.mark.usefixtures("examples")
async def test_one_reader_serves_a_process(tmp_path: Path) -> None:
    """Another one is refused while it is in use, and its store left closed; the same one may be held twice."""
    plugin = load(tmp_path, reading__reader="confidential")
    other = load(tmp_path, store__url=str(tmp_path / "other"))
    async with Rememora.open(settings=plugin, background=False) as rememora:
        with pytest.raises(Conflict, match="'confidential' is in use"):
            await Rememora.open(settings=other, background=False)
        assert isinstance(await rememora.user("ana", tenant="acme").gate.judge(SECRET), Refuse)
    async with Rememora.open(settings=other, background=False) as rememora:
        assert not isinstance(await rememora.user("ana", tenant="acme").gate.judge(SECRET), Refuse)


def test_a_reader_is_let_go_of_once() -> None:
    """Letting go twice takes it from nobody else."""

    def read(text: str, before: Sequence[str]) -> MessageReading:
        return MessageReading(text=f"<{text}>", labels=(), parts=(), statements=())

    first, second = hold_reader("mine", read), hold_reader("mine", read)
    first()
    first()

    assert "<oi>" == read_message("oi").text
    second()
    assert "oi" == read_message("oi").text
