"""Work done outside: leases that end, tries that run out, in Python as over REST."""

from __future__ import annotations

import pytest
from tests.clock import SetClock
from tests.delegating import delegated, told

from rememora import Rememora
from rememora.domain.modules import CRM
from rememora.errors import Conflict, InvalidInput, NotFound


@pytest.fixture
def overrides() -> dict[str, object]:
    """Two tries, a lease of ten seconds."""
    return {"tasks.attempts": 2, "tasks.lease_seconds": 10, "tasks.backoff_seconds": 1}


async def test_an_abandoned_task_is_given_out_again(rememora: Rememora, clock: SetClock) -> None:
    """After the lease another gets it, and the first one has lost it."""
    task = await delegated(rememora)
    company = rememora.tenant("acme", acting="crm")
    first = await company.tasks.claim(CRM)
    none = await company.tasks.claim(CRM)
    clock.advance(11)
    second = await company.tasks.claim(CRM)

    assert first is not None
    assert second is not None
    assert none is None
    assert [(task.id, 1), (task.id, 2)] == [(item.task.id, item.task.attempts) for item in (first, second)]
    with pytest.raises(Conflict):
        await company.tasks.complete(task.id, lease=first.lease)
    assert "completed" == (await company.tasks.complete(task.id, lease=second.lease)).status


async def test_a_task_that_is_abandoned_too_often_fails(rememora: Rememora, clock: SetClock) -> None:
    """Its end is told once, with a code that says so."""
    task = await delegated(rememora)
    company = rememora.tenant("acme", acting="crm")
    for _ in range(2):
        assert await company.tasks.claim(CRM) is not None
        clock.advance(11)

    assert await company.tasks.claim(CRM) is None
    failed = await rememora.user("ana", tenant="acme").tasks.get(task.id)

    assert ("failed", "worker_lost") == (failed.status, failed.error)
    assert ["module.task.failed", "crm.delegation.failed"] == [e.type for e in await told(rememora, task)][1:]


async def test_the_last_try_fails_even_with_retry(rememora: Rememora, clock: SetClock) -> None:
    """A try that may be repeated is, until none is left."""
    task = await delegated(rememora)
    company = rememora.tenant("acme", acting="crm")
    stands = []
    for _ in range(2):
        held = await company.tasks.claim(CRM)

        assert held is not None
        stands.append((await company.tasks.fail(task.id, lease=held.lease, error="timeout", retry=True)).status)
        clock.advance(5)

    assert ["waiting", "failed"] == stands


async def test_a_tenant_gets_its_own_work_only(rememora: Rememora) -> None:
    """Another tenant's tasks are neither given out nor there."""
    task = await delegated(rememora)
    stranger = rememora.tenant("zeta", acting="crm")

    assert await stranger.tasks.claim(CRM) is None
    with pytest.raises(NotFound):
        await stranger.tasks.complete(task.id, lease="x")
    with pytest.raises(InvalidInput):
        await stranger.tasks.claim(CRM, seconds=0)
