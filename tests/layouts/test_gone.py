"""Nothing of what is gone stays in a saved layout, whoever saved it and whatever became of them."""

from __future__ import annotations

import os

import pytest
from tests.layouts.known import delete, files, hit_of, holds, opened

from rememora import Rememora


async def test_a_deletion_removes_what_is_saved_at_once(saved: Rememora) -> None:
    """Saved again, it holds neither key nor vector of what is gone."""
    known = await hit_of(saved.user("ana", tenant="acme"), "pedido107")

    assert holds(saved.settings, known.id)

    await delete(saved.user("ana", tenant="acme"))

    assert [] == files(saved.settings)

    await saved.settle()

    assert files(saved.settings)
    assert not holds(saved.settings, known.id)


async def test_erasing_a_person_removes_what_is_saved_at_once(saved: Rememora) -> None:
    """And nothing is saved again."""
    await saved.user("ana", tenant="acme").erase(person=True)

    assert [] == files(saved.settings)

    await saved.settle()

    assert [] == files(saved.settings)


@pytest.mark.parametrize("erased", [False, True])
async def test_a_layout_saved_by_the_dying_outlives_no_deletion(saved: Rememora, erased: bool) -> None:
    """Put in place after the deletion, by a process that never saw it: the next to start removes what is gone."""
    (file,) = files(saved.settings)
    kept, ana = file.read_bytes(), saved.user("ana", tenant="acme")
    known = await hit_of(ana, "pedido107")
    await (ana.erase(person=True) if erased else delete(ana))
    file.parent.mkdir(parents=True)
    file.write_bytes(kept)

    assert holds(saved.settings, known.id)

    async with opened(saved.settings) as other:
        await other.settle()

    assert not holds(saved.settings, known.id)


async def test_what_the_dying_had_begun_to_save_is_removed(saved: Rememora) -> None:
    """Of a person who stays too, once nobody can be writing it any more."""
    (file,) = files(saved.settings)
    begun, dead = file.with_name("begun"), file.with_name("dead")
    for draft in (begun, dead):
        draft.write_bytes(b"half a layout")
    os.utime(dead, (0, 0))
    await saved.settle()

    assert {file, begun} == set(files(saved.settings))
