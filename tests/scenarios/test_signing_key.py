"""The signing key: a missing one, or another than signed the chain, is refused until it is accepted on record."""

from __future__ import annotations

from pathlib import Path

import pytest

from rememora import Rememora, Settings
from rememora.adapters.keys import FILE, KEY_BYTES
from rememora.engines import key_folder
from rememora.errors import SigningKeyChanged


def file_of(settings: Settings) -> Path:
    """Where the key lies."""
    folder = key_folder(settings)
    assert folder is not None
    return folder / FILE


async def remember(settings: Settings, value: str) -> None:
    """One change on record."""
    async with Rememora.open(settings=settings, background=False) as rememora:
        await rememora.user("ana", tenant="acme").remember("user.name", value)


async def test_a_missing_key_is_not_made_anew(settings: Settings) -> None:
    """The store does not open, says which file is missing and which command accepts a new key, and makes none."""
    await remember(settings, "Ana")
    file_of(settings).unlink()
    with pytest.raises(SigningKeyChanged) as raised:
        await remember(settings, "Bia")

    assert str(file_of(settings)) in raised.value.message
    assert "rememora audit rekey" == raised.value.command
    assert not file_of(settings).exists()


async def test_a_store_that_nobody_signed_makes_its_key(settings: Settings) -> None:
    """What was only said is not on the chain: a store without a signature needs no key to open."""
    async with Rememora.open(settings=settings, background=False) as rememora:
        await rememora.user("ana", tenant="acme").conversation("c1").append("user", "oi")
    await remember(settings, "Ana")

    assert file_of(settings).exists()


async def test_another_key_signs_nothing(settings: Settings) -> None:
    """With another key in its place nothing is signed over the chain, and the check at the start says so."""
    await remember(settings, "Ana")
    file_of(settings).write_text((b"\7" * KEY_BYTES).hex())
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        with pytest.raises(SigningKeyChanged):
            await ana.remember("user.name", "Bia")
        with pytest.raises(SigningKeyChanged):
            await rememora.health.check_signing_key()

        assert ["Ana"] == [memory.value for memory in (await ana.memories.list()).items]


@pytest.mark.parametrize("missing", [True, False])
async def test_an_accepted_key_is_on_record(settings: Settings, *, missing: bool) -> None:
    """After `rekey` the store works, the chain holds, and an entry says where the old signatures end."""
    await remember(settings, "Ana")
    if missing:
        file_of(settings).unlink()
    else:
        file_of(settings).write_text((b"\7" * KEY_BYTES).hex())

    assert ["acme"] == await Rememora.rekey(settings=settings, acting="root", why="disk lost")
    assert [] == await Rememora.rekey(settings=settings, acting="root")
    await remember(settings, "Bia")
    async with Rememora.open(settings=settings, background=False) as rememora:
        tenant = rememora.tenant("acme", acting="root")
        (entry,) = [item for item in await tenant.audit.list() if item.action == "rekey"]
        report = await tenant.audit.verify()

    assert ("root", "disk lost", entry.position - 1) == (entry.actor, entry.why, entry.before["position"])
    assert report.intact
