"""The index of a large user's vectors lies in files: derived, followed, and gone with what they were made of."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rememora import Rememora, Settings
from rememora.adapters.snapshots import FolderSnapshots
from rememora.adapters.usearch import build
from rememora.adapters.usearch.files import IndexFolder, IndexManifest, SegmentWriter, new_index
from rememora.adapters.usearch.vectors import UsearchVectors
from rememora.app import Opening
from rememora.domain.hit import ItemKey
from rememora.domain.rights import ADMIN
from rememora.domain.scope import Scope
from rememora.errors import StoreUnavailable
from rememora.recall import sizes
from rememora.recall.model import model_of
from rememora.testing import WordEmbedder
from rememora.userindex.rows import Row
from rememora.userindex.user_index import UserIndex

ANA = Scope("acme", "ana")
EMBEDDER = WordEmbedder(dimension=512)
ROWS = 1_500


@pytest.fixture(autouse=True, scope="module")
def small() -> Iterator[None]:
    """Segments of a size that a test can fill."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "DUE_ROWS", 100)
        patch.setattr(build, "SEGMENT_ROWS", 500)
        patch.setattr(build, "PAGE", 200)
        yield


@pytest.fixture(scope="module")
def filled(small: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that is filled once; each test works on a copy."""
    folder = tmp_path_factory.mktemp("large") / "store"
    asyncio.run(fill(folder))
    return folder


@pytest.fixture
async def large(filled: Path, tmp_path: Path) -> AsyncIterator[Rememora]:
    """A user with more messages than are held in memory."""
    shutil.copytree(filled, tmp_path / "store")
    async with opened(tmp_path / "store") as rememora:
        yield rememora


def opened(folder: Path) -> Opening:
    overrides = {"store.url": str(folder), "recall.ann_rows": 1_000, "layers.summarization": False}
    settings = Settings.load(overrides, environ={})
    return Rememora.open(settings=settings, embedder=EMBEDDER, background=False)


async def fill(folder: Path) -> None:
    """Say more than is held in memory, and let the worker make its files."""
    async with opened(folder) as rememora:
        ana = rememora.user("ana", tenant="acme")
        for start in range(0, ROWS, 300):
            lines = ({"role": "user", "content": f"pedido{start + n} da loja"} for n in range(300))
            await ana.conversation(f"c{start}").append_many(lines)
        await rememora.settle()


def index_of(rememora: Rememora, tmp_path: Path) -> UsearchVectors:
    return UsearchVectors(
        rememora._parts.store,
        tmp_path / "store" / "indexes",
        dimension=EMBEDDER.dimension,
        model=model_of(EMBEDDER).key,
    )


async def vector(text: str) -> NDArray[np.float32]:
    (result,) = await EMBEDDER.embed([text])
    return result


def saved(tmp_path: Path) -> list[Path]:
    return [file for file in (tmp_path / "store" / "shelves").rglob("*") if file.is_file()]


def files(tmp_path: Path) -> list[Path]:
    return [file for file in (tmp_path / "store" / "indexes").rglob("*") if file.is_file()]


def holds(tmp_path: Path, text: str) -> bool:
    return any(text.encode() in file.read_bytes() for file in saved(tmp_path))


def _die(*_: object) -> None:
    raise InterruptedError


async def test_the_nearest_are_those_of_every_cosine(large: Rememora, tmp_path: Path) -> None:
    """The best of the index has the cosine that the vectors themselves have, to two places."""
    neighbours = await index_of(large, tmp_path).nearest(ANA, await vector("pedido7 da loja"), limit=10)
    hits = await large.user("ana", tenant="acme").recall("pedido7", limit=1)

    assert hits[0].id == neighbours[0].key.id
    assert pytest.approx(1.0, abs=0.02) == neighbours[0].cosine
    assert [near.cosine for near in neighbours] == sorted((near.cosine for near in neighbours), reverse=True)
    assert not large._parts.searcher()._indexes.of(ANA).index.holds_vectors


async def test_what_is_new_is_found_before_it_is_in_a_file(large: Rememora, tmp_path: Path) -> None:
    """An embedded message is among the nearest at once, and so is what the tenant shares."""
    before = {file.name for file in files(tmp_path)}
    await large.user("ana", tenant="acme").conversation("c0").append("user", "girafa amarela")
    admin = large.user("root", tenant="acme", rights=ADMIN)
    await admin.remember("tenant.name", "girafa amarela", scope="tenant_shared")
    await large.settle()
    neighbours = await index_of(large, tmp_path).nearest(ANA, await vector("girafa amarela"), limit=20)

    assert "message" == neighbours[0].key.kind
    assert "memory" in {near.key.kind for near in neighbours}
    assert before == {file.name for file in files(tmp_path)}


async def test_what_is_gone_is_never_among_the_nearest(large: Rememora, tmp_path: Path) -> None:
    """Before the worker has written the files anew, and after; then no byte of the keys is left in them."""
    index = index_of(large, tmp_path)
    query = await vector("pedido7 da loja")
    ids = {near.key.id for near in await index.nearest(ANA, query, limit=50) if near.key.conversation == "c0"}
    await large.user("ana", tenant="acme").conversation("c0").delete()
    at_once = await index.nearest(ANA, query, limit=200)
    await large.settle()
    later = await index.nearest(ANA, query, limit=200)

    assert ids
    assert not [near for near in (*at_once, *later) if near.key.conversation == "c0"]
    assert not [file for file in files(tmp_path) for id in ids if id.encode() in file.read_bytes()]


async def say_apart(rememora: Rememora) -> dict[str, NDArray[np.float32]]:
    """A short conversation among many, each of its messages unlike all others; their vectors by id."""
    talk = rememora.user("ana", tenant="acme").conversation("apart")
    texts = [f"girafa{number} zebra{number} amarela" for number in range(100)]
    await talk.append_many({"role": "user", "content": text} for text in texts)
    await rememora.settle()
    turns = (await talk.messages(limit=100)).items
    return {turn.id: await vector(turn.content) for turn in turns}


async def closeness(index: UsearchVectors) -> float:
    """The mean cosine of the nearest to messages of every part of the files: 1 where each is found itself."""
    texts = [f"pedido{number} da loja" for number in range(7, ROWS, 50)]
    nearest = [await index.nearest(ANA, await vector(text), limit=1) for text in texts]
    return sum(near.cosine for (near,) in nearest) / len(texts)


def listed_in(tmp_path: Path) -> IndexManifest:
    """The list of the only files there."""
    (model,) = (tmp_path / "store" / "indexes").iterdir()
    listed = IndexFolder(model, ANA).listed(EMBEDDER.dimension)
    assert listed is not None
    return listed


def stored(values: NDArray[np.float32]) -> bytes:
    """A vector as a segment holds it: a byte a number."""
    index = new_index(len(values))
    index.add(0, values)
    return bytes(np.asarray(index.get(0, dtype="i8")).astype(np.int8).tobytes())


async def test_a_few_that_are_gone_are_blanked_out(
    large: Rememora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the byte, and the graph of the others is not built anew; later ones are found in the same files."""
    vectors = await say_apart(large)
    held = [stored(values) for values in vectors.values()]
    index, query = index_of(large, tmp_path), await vector("girafa7 zebra7 amarela")
    before, close = await index.nearest(ANA, query, limit=100), await closeness(index)
    there = b"".join(file.read_bytes() for file in files(tmp_path))
    added: list[ItemKey] = []
    monkeypatch.setattr(SegmentWriter, "add", lambda _, keys, vectors: added.extend(keys))
    await large.user("ana", tenant="acme").conversation("apart").delete()
    await large.settle()
    after = await index.nearest(ANA, query, limit=2_000)
    left = b"".join(file.read_bytes() for file in files(tmp_path))

    assert before[0].key.id in vectors
    assert all(values in there for values in held)
    assert not added
    assert not [values for values in held if values in left]
    assert not [id for id in vectors if id.encode() in left]
    assert not {near.key.id for near in after} & vectors.keys()
    assert close - 0.02 < await closeness(index)


async def test_blanks_do_not_pile_up(large: Rememora, tmp_path: Path) -> None:
    """Talks come and go; of what the files hold at most a quarter is blank, and the rest is found as before."""
    before, close = listed_in(tmp_path), await closeness(index_of(large, tmp_path))
    for _ in range(6):
        await say_apart(large)
        await large.user("ana", tenant="acme").conversation("apart").delete()
        await large.settle()
    after = listed_in(tmp_path)
    blanks = sum(segment.blanks for segment in after.segments)

    assert before.count == after.count - blanks
    assert after.count >= build.WORN_SHARE * blanks
    assert close - 0.02 < await closeness(index_of(large, tmp_path))


async def test_dying_before_the_blanks_are_listed_loses_nothing(
    large: Rememora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old files stand, without what is gone among the nearest, and the next worker blanks it out."""
    vectors = await say_apart(large)
    await large.user("ana", tenant="acme").conversation("apart").delete()
    with monkeypatch.context() as killed:
        killed.setattr(IndexFolder, "put_list", _die)
        with pytest.raises(InterruptedError):
            await large.settle()
    between = await index_of(large, tmp_path).nearest(ANA, await vector("girafa7 zebra7 amarela"), limit=2_000)
    await large.settle()
    left = b"".join(file.read_bytes() for file in files(tmp_path))

    assert not {near.key.id for near in between} & vectors.keys()
    assert not [id for id in vectors if id.encode() in left]


async def test_dying_before_old_files_go_leaves_nothing_deleted(
    large: Rememora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new list stands and the old files too, with what is gone: the next worker removes them, with no news."""
    vectors = await say_apart(large)
    await large.user("ana", tenant="acme").conversation("apart").delete()
    with monkeypatch.context() as killed:
        killed.setattr(IndexFolder, "tidy", lambda *_: None)
        await large.settle()
    between = b"".join(file.read_bytes() for file in files(tmp_path))
    await large.user("ana", tenant="acme").conversation("later").append("user", "pedido novo da loja")
    await large.settle()
    left = b"".join(file.read_bytes() for file in files(tmp_path))

    assert [id for id in vectors if id.encode() in between]
    assert not [id for id in vectors if id.encode() in left]


async def test_erasing_a_person_removes_their_files(large: Rememora, tmp_path: Path) -> None:
    """Nothing is left of them in the folder, and nothing is written again."""
    assert files(tmp_path)
    await large.user("ana", tenant="acme").erase(person=True)
    await large.settle()

    assert [] == files(tmp_path)


async def test_what_a_dying_process_had_begun_is_removed(large: Rememora, tmp_path: Path) -> None:
    """Vectors without a list that says whose they are: the worker leaves only those of large users."""
    kept = set(files(tmp_path))
    half = next(iter(kept)).parent.with_name("half")
    half.mkdir()
    (half / "begun.vectors").write_bytes(b"somebody's")
    await large.settle()

    assert kept == set(files(tmp_path))


async def test_a_user_who_is_large_no_more_has_no_files(large: Rememora, tmp_path: Path) -> None:
    """The vectors of the rest are held in memory again, and found."""
    ana = large.user("ana", tenant="acme")
    await ana.recall("pedido7")
    for start in (600, 900, 1_200):
        await ana.conversation(f"c{start}").delete()
    await large.settle()
    hits = await ana.recall("pedido7", limit=1)

    assert [] == files(tmp_path)
    assert "pedido7 da loja" == hits[0].content
    assert "meaning" in hits[0].parts


async def test_damaged_files_are_written_anew(large: Rememora, tmp_path: Path) -> None:
    """Search goes on without them, and the worker makes new ones."""
    for file in files(tmp_path):
        if file.suffix == ".vectors":
            file.write_bytes(b"nothing that was ever an index")
    index = index_of(large, tmp_path)
    with pytest.raises(StoreUnavailable):
        await index.nearest(ANA, await vector("pedido7 da loja"), limit=5)
    hits = await large.user("ana", tenant="acme").recall("pedido7", limit=1)
    await large.settle()
    neighbours = await index.nearest(ANA, await vector("pedido7 da loja"), limit=5)

    assert "pedido7 da loja" == hits[0].content
    assert hits[0].id == neighbours[0].key.id


async def test_a_large_user_is_laid_out_once(
    large: Rememora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one process has laid out another opens; deleting anything of it removes it at once."""
    monkeypatch.setattr(sizes, "SAVED_ROWS", 500)
    ana = large.user("ana", tenant="acme")
    expected = await ana.recall("pedido7", limit=1)
    await large.settle()
    await ana.conversation("c0").append("user", "girafa amarela")
    added: list[str] = []
    add = UserIndex.add

    def noted(index: UserIndex, row: Row) -> None:
        added.append(row.text)
        add(index, row)

    monkeypatch.setattr(UserIndex, "add", noted)
    async with Rememora.open(settings=large.settings, embedder=EMBEDDER, background=False) as other:
        hits = await other.user("ana", tenant="acme").recall("pedido7", limit=1)
        newest = await other.user("ana", tenant="acme").recall("girafa", limit=1)

    assert [(hit.id, hit.content) for hit in expected] == [(hit.id, hit.content) for hit in hits]
    assert "girafa amarela" == newest[0].content
    assert ["girafa amarela"] == added
    assert saved(tmp_path)

    await ana.conversation("c300").delete()

    assert [] == saved(tmp_path)
    assert not [hit for hit in await ana.recall("pedido307") if hit.conversation == "c300"]


async def test_what_a_dying_process_had_begun_to_save_goes_with_the_person(
    large: Rememora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between writing a layout and putting it in place: the erasure finds that too."""
    monkeypatch.setattr(sizes, "SAVED_ROWS", 500)
    ana = large.user("ana", tenant="acme")
    await ana.recall("pedido7", limit=1)
    with monkeypatch.context() as killed:
        killed.setattr(Path, "replace", _die)
        killed.setattr(Path, "unlink", lambda *_, **__: None)
        with pytest.raises(InterruptedError):
            await large.settle()

    assert saved(tmp_path)

    await large.user("ana", tenant="acme").erase(person=True)

    assert [] == saved(tmp_path)


async def dying_saver(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A process that lays ana out and dies while it saves that; called, what it has written is there."""
    begun: list[tuple[FolderSnapshots, Scope, Mapping[str, NDArray[Any]]]] = []

    def die(snapshots: FolderSnapshots, scope: Scope, parts: Mapping[str, NDArray[Any]]) -> None:
        begun.append((snapshots, scope, {name: part.copy() for name, part in parts.items()}))
        raise InterruptedError

    with monkeypatch.context() as killed:
        killed.setattr(FolderSnapshots, "save", die)
        async with Rememora.open(settings=settings, embedder=EMBEDDER, background=False) as other:
            with pytest.raises(InterruptedError):
                await other.settle()
    return lambda: FolderSnapshots.save(*begun[0])


@pytest.mark.parametrize("again", [False, True])
async def test_a_layout_saved_by_the_dying_does_not_outlive_an_erasure(
    large: Rememora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    """Killed after the files were put in place and before it saw the erasure: the next to start removes them.

    Nobody asks about her, and she may be as large as before by then.
    """
    monkeypatch.setattr(sizes, "SAVED_ROWS", 500)
    written = await dying_saver(large.settings, monkeypatch)
    ana = large.user("ana", tenant="acme")
    (known,) = await ana.recall("pedido7", limit=1)
    await ana.erase(person=True)
    written()

    assert holds(tmp_path, known.id)

    if again:
        lines = ({"role": "user", "content": f"compra{n} da loja"} for n in range(ROWS))
        await ana.conversation("c0").append_many(lines)
    async with Rememora.open(settings=large.settings, embedder=EMBEDDER, background=False) as other:
        await other.settle()

    assert not holds(tmp_path, known.id)
    assert again == bool(saved(tmp_path))


async def test_a_layout_saved_by_the_dying_does_not_outlive_a_deletion(
    large: Rememora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same for one conversation of a person who stays."""
    monkeypatch.setattr(sizes, "SAVED_ROWS", 500)
    written = await dying_saver(large.settings, monkeypatch)
    ana = large.user("ana", tenant="acme")
    (known,) = await ana.recall("pedido307", limit=1)
    await ana.conversation("c300").delete()
    written()

    assert holds(tmp_path, known.id)

    async with Rememora.open(settings=large.settings, embedder=EMBEDDER, background=False) as other:
        await other.settle()

    assert saved(tmp_path)
    assert not holds(tmp_path, known.id)


async def test_a_large_user_is_laid_out_before_anybody_asks(
    large: Rememora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker has done it: the first question of the next process adds nothing to a layout."""
    monkeypatch.setattr(sizes, "SAVED_ROWS", 500)
    await large.settle()

    assert saved(tmp_path)

    for name in ("add", "add_many"):
        monkeypatch.setattr(UserIndex, name, lambda *_: pytest.fail("laid out again"))
    async with Rememora.open(settings=large.settings, embedder=EMBEDDER, background=False) as other:
        hits = await other.user("ana", tenant="acme").recall("pedido7", limit=1)

    assert "pedido7 da loja" == hits[0].content


async def test_erasing_a_tenant_removes_the_files_of_its_users(
    large: Rememora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index and the layout of each of them, at once, without a worker."""
    monkeypatch.setattr(sizes, "SAVED_ROWS", 500)
    await large.user("ana", tenant="acme").recall("pedido7", limit=1)
    await large.settle()

    assert files(tmp_path)
    assert saved(tmp_path)

    await large.operator(acting="root").tenants.erase("acme", confirm="acme")

    assert [] == [*files(tmp_path), *saved(tmp_path)]


async def test_files_tell_nobody_whose_they_are(large: Rememora, tmp_path: Path) -> None:
    """Names are hashes, and the folder is its owner's alone."""
    (model,) = (tmp_path / "store" / "indexes").iterdir()
    (folder,) = model.iterdir()

    assert "ana" not in folder.name
    assert "acme" not in folder.name
    assert {0o700} == {item.stat().st_mode & 0o777 for item in (folder, folder.parent)}


async def test_another_models_files_are_not_read(large: Rememora, tmp_path: Path) -> None:
    """After a switch to a model of the same length the files are made anew, and the others are gone."""
    settings = large.settings
    before = files(tmp_path)
    following = WordEmbedder(name="next", dimension=EMBEDDER.dimension)
    await Rememora.reembed(settings=settings, embedder=following)
    async with Rememora.open(settings=settings, embedder=following, background=False) as rolled:
        ana = rolled.user("ana", tenant="acme")
        unwritten = await ana.recall("pedido77", limit=1)
        await rolled.settle()
        written = await ana.recall("pedido77", limit=1)

    assert before
    assert set() == {*before} & {*files(tmp_path)}
    assert ["pedido77 da loja"] * 2 == [unwritten[0].content, written[0].content]
    assert "meaning" in written[0].parts


async def test_files_of_an_erased_tenant_are_of_no_use(large: Rememora, tmp_path: Path) -> None:
    """Who died before removing them leaves files that nobody answers by, and that the worker removes."""
    index = index_of(large, tmp_path)
    await index.nearest(ANA, await vector("pedido7 da loja"), limit=5)
    await large._parts.store.accounts(lambda view: view.erase("acme"))
    lines = [{"role": "user", "content": f"novidade{n}"} for n in range(500)]
    [await large.user("ana", tenant="acme").conversation("c9").append_many(lines) for _ in range(4)]
    with pytest.raises(StoreUnavailable, match="out of date"):
        await index.nearest(ANA, await vector("pedido7 da loja"), limit=5)
    await large.settle()

    assert {"c9"} == {near.key.conversation for near in await index.nearest(ANA, await vector("x"), limit=5)}


async def test_a_changed_item_is_not_near_what_it_said(large: Rememora, tmp_path: Path) -> None:
    """Until it is embedded anew it is near nothing."""
    ana, query = large.user("ana", tenant="acme"), await vector("campaign x girafa amarela")
    await ana.entities.mention("campaign", "x", "girafa amarela")
    await large.settle()
    before = await index_of(large, tmp_path).nearest(ANA, query, limit=1)
    await ana.entities.mention("campaign", "x", "zebra cinza")
    after = await index_of(large, tmp_path).nearest(ANA, query, limit=500)

    assert ("entity", False) == (before[0].key.kind, "entity" in {near.key.kind for near in after})
