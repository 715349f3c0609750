"""What another model, another program or a broken disk left is not opened: all is laid out anew."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.clock import SetClock
from tests.layouts.known import EMBEDDER, LINES, ROWS, Turned, answers, files, made_anew, opened

from rememora import Rememora
from rememora.recall import followed_index
from rememora.userindex.user_index import UserIndex


async def test_vectors_of_another_model_are_never_met(saved: Rememora, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a switch to one of the same length nothing of what the other's process saved is opened."""
    following = Turned(name="next", dimension=EMBEDDER.dimension)
    await Rememora.reembed(settings=saved.settings, embedder=following)
    with monkeypatch.context() as refused:
        refused.setattr(UserIndex, "restore", lambda *_: pytest.fail("opened all the same"))
        result = await answers(saved.settings, following)

    assert await made_anew(saved.settings, following) == result
    assert LINES[7] == result[0][0][1]
    assert 0.3 < result[0][0][3]


async def test_vectors_made_anew_by_the_same_model_are_taken(saved: Rememora, read: list[str]) -> None:
    """They may be others, and some may be there that were not."""
    await Rememora.reembed(settings=saved.settings, embedder=EMBEDDER)
    read.clear()
    await answers(saved.settings)

    assert ROWS < len(read)


async def test_a_process_of_the_old_model_leaves_what_the_new_one_saved(saved: Rememora, read: list[str]) -> None:
    """Both live for a while when one is rolled out: who goes by words alone neither saves nor removes it."""
    following = Turned(name="next", dimension=EMBEDDER.dimension)
    async with opened(saved.settings) as idle:
        await Rememora.reembed(settings=saved.settings, embedder=following)
        async with opened(saved.settings, following) as rolled:
            await rolled.settle()
            await rolled.user("ana", tenant="acme").recall("pedido7")
            await rolled.settle()
        for number in range(ROWS // 10):
            await saved.user("ana", tenant="acme").conversation(f"d{number}").append("user", f"compra{number}")
        clock = saved._parts.clock
        assert isinstance(clock, SetClock)
        clock.advance(60)
        await saved.user("ana", tenant="acme").recall("pedido7")
        await saved.settle()
        await idle.settle()
    read.clear()
    await answers(saved.settings, following)

    assert ROWS // 10 == len(read)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "nonsense": lambda _: b"nothing that was ever a layout",
    "cut": lambda whole: whole[: len(whole) // 2],
    "short": lambda whole: whole[:-1],
    "contents": lambda whole: whole[:20] + b"\xff" * 40 + whole[60:],
    "length": lambda whole: b"\xff" * 8 + whole[8:],
    "names": lambda whole: whole.replace(b"postings-tokens", b"postings-nokens"),
    "zeros": lambda whole: whole[:8192] + bytes(len(whole) - 8192),
}


@pytest.mark.parametrize("damage", DAMAGE)
async def test_a_damaged_layout_is_made_anew(saved: Rememora, damage: str) -> None:
    """Whoever asks has the answers all the same, and puts a whole one in its place at the end."""
    (file,) = files(saved.settings)
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    damaged = file.read_bytes()
    result = await answers(saved.settings)
    (made,) = files(saved.settings)

    assert damaged != made.read_bytes()
    assert await answers(saved.settings) == result
    assert await made_anew(saved.settings) == result


async def test_a_layout_of_another_version_is_made_anew(saved: Rememora, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not read; whoever was asked meanwhile leaves one of this version."""
    monkeypatch.setattr(followed_index, "FORMAT", followed_index.FORMAT + 1)
    monkeypatch.setattr(UserIndex, "restore", lambda *_: pytest.fail("read all the same"))
    (file,) = files(saved.settings)
    before = file.read_bytes()
    await answers(saved.settings)
    (file,) = files(saved.settings)

    assert before != file.read_bytes()
