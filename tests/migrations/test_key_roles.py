"""Keys of applications come and go with their version, and events of before lose keys made of a person's words."""

from __future__ import annotations

import json

from tests.migrations.test_moves import Kept

from rememora import Rememora

WORDS = "operating.note_separar_marcelo"


async def test_down_and_up_again_with_keys_and_events(kept: Kept) -> None:
    """Down, service keys are gone and others stay; up, stored events name no key of a person's words."""
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        await rememora.operator(acting="test").tenants.create("acme")
        access = rememora.tenant("acme", acting="test").access
        for role in ("service", "admin", "auditor"):
            await access.issue_key(role)
        ana = rememora.user("ana", tenant="acme")
        await ana.remember("user.name", "Ana")
        await ana.remember(WORDS, "segunda que vem")
    kept.move("0012")

    assert [("admin",), ("auditor",)] == kept.asked("SELECT role FROM api_keys ORDER BY role")
    # As the version before wrote it.
    shown = kept.asked("SELECT payload FROM outbox WHERE payload LIKE '%#%' AND type = 'memory.updated'")
    digest = json.loads(shown[0][0])["key"]
    kept.asked(f"UPDATE outbox SET payload = replace(payload, '{digest}', '{WORDS}')")
    before = kept.asked("SELECT position, type FROM outbox ORDER BY position")
    kept.move()
    payloads = [json.loads(payload) for (payload,) in kept.asked("SELECT payload FROM outbox ORDER BY position")]

    assert {"user.name", "operating.#"} == {payload["key"] for payload in payloads if "key" in payload}
    assert before == kept.asked("SELECT position, type FROM outbox ORDER BY position")
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        access = rememora.tenant("acme", acting="test").access
        caller = await rememora.credentials.admit((await access.issue_key("service")).secret)

        assert ("service", "segunda que vem") == (
            caller.role,
            (await rememora.user("ana", tenant="acme").memories.get(WORDS)).value,
        )
