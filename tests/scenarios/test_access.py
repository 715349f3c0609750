"""Keys, links, accounts and quotas through the front door, on a real store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.clock import MIDDAY, SetClock

from rememora import ADMIN, Rememora
from rememora.domain.scope import Scope
from rememora.domain.tenancy import (
    EVERY_TENANT,
    METERS,
    PLANS,
    RIGHTS,
    Caller,
    KeyRole,
    Plan,
    Quota,
    Window,
    plan_of,
    window_of,
)
from rememora.errors import Conflict, Forbidden, InvalidInput, KeyRejected, NotFound, QuotaExceeded
from rememora.tenancy.keys import checksum_of, id_of, new_secret

ROOT = "root"


@pytest.fixture
async def acme(rememora: Rememora) -> Rememora:
    """An open memory with one account, `acme`."""
    await rememora.operator(acting=ROOT).tenants.create("acme")
    return rememora


async def test_a_key_tells_who_its_holder_is(acme: Rememora) -> None:
    """Tenant, role and user come from the credential alone."""
    issued = await acme.tenant("acme", acting=ROOT).access.issue_key("user", user="ana", label="phone")

    caller = await acme.credentials.admit(issued.secret)

    assert ("acme", "user", "ana", issued.key.id) == (caller.tenant, caller.role, caller.user, caller.key)


async def test_no_part_of_the_secret_is_stored(acme: Rememora) -> None:
    """What is listed of a key is its public id, never its secret."""
    access = acme.tenant("acme", acting=ROOT).access
    issued = await access.issue_key("admin")

    shown = repr(await access.keys())

    assert issued.key.id in shown
    assert issued.secret[13:] not in shown


def test_a_key_carries_160_random_bits_and_its_own_checksum() -> None:
    """Any single character changed makes it malformed, before the store is asked."""
    id, secret = new_secret()

    assert id == id_of(secret)
    for place in range(len(secret)):
        other = "b" if secret[place] == "a" else "a"
        with pytest.raises(KeyRejected):
            id_of(secret[:place] + other + secret[place + 1 :])


@given(st.text(max_size=80))
def test_text_that_is_no_key_is_refused(text: str) -> None:
    """Nothing but a key is taken for one."""
    with pytest.raises(KeyRejected):
        id_of(text)


async def test_a_well_formed_key_that_was_never_issued_is_refused(acme: Rememora) -> None:
    """The checksum is no secret: only the stored hash lets anybody in."""
    with pytest.raises(KeyRejected):
        await acme.credentials.admit(new_secret()[1])


async def test_a_right_id_with_a_wrong_secret_is_refused(acme: Rememora) -> None:
    """The public id alone opens nothing."""
    issued = await acme.tenant("acme", acting=ROOT).access.issue_key("admin")
    _, other = new_secret()
    body = issued.secret[:13] + other[13:45]

    with pytest.raises(KeyRejected):
        await acme.credentials.admit(body + checksum_of(body))


async def test_a_revoked_key_opens_nothing_from_then_on(acme: Rememora) -> None:
    """Revocation needs no restart and no waiting."""
    access = acme.tenant("acme", acting=ROOT).access
    issued = await access.issue_key("admin")
    await acme.credentials.admit(issued.secret)

    await access.revoke_key(issued.key.id)

    with pytest.raises(KeyRejected):
        await acme.credentials.admit(issued.secret)


async def test_a_key_ends_at_its_expiry(acme: Rememora, clock: SetClock) -> None:
    """It works up to the last moment, and not at it."""
    issued = await acme.tenant("acme", acting=ROOT).access.issue_key("admin", days=1)
    clock.advance(24 * 3600 - 1)
    await acme.credentials.admit(issued.secret)
    clock.advance(1)

    with pytest.raises(KeyRejected):
        await acme.credentials.admit(issued.secret)


async def test_rotation_leaves_no_gap_and_at_most_two_keys(acme: Rememora, clock: SetClock) -> None:
    """Old and new work together for the overlap; an old one cannot be rotated twice."""
    access = acme.tenant("acme", acting=ROOT).access
    old = await access.issue_key("admin")
    new = await access.rotate_key(old.key.id)

    assert (
        "admin"
        == (await acme.credentials.admit(old.secret)).role
        == (await acme.credentials.admit(new.secret)).role
    )
    with pytest.raises(Conflict):
        await access.rotate_key(old.key.id)

    clock.advance(24 * 3600)

    with pytest.raises(KeyRejected):
        await acme.credentials.admit(old.secret)
    assert "acme" == (await acme.credentials.admit(new.secret)).tenant


async def test_a_key_of_another_tenant_is_as_absent(acme: Rememora) -> None:
    """A foreign id is answered exactly like one that does not exist."""
    await acme.operator(acting=ROOT).tenants.create("acme2")
    issued = await acme.tenant("acme", acting=ROOT).access.issue_key("admin")
    theirs = acme.tenant("acme2", acting=ROOT).access
    for act in (theirs.revoke_key, theirs.rotate_key):
        with pytest.raises(NotFound) as foreign:
            await act(issued.key.id)
        with pytest.raises(NotFound) as absent:
            await act("aaaaaaaa")

        assert foreign.value.message.replace(issued.key.id, "") == absent.value.message.replace("aaaaaaaa", "")


@pytest.mark.parametrize(
    ("role", "user", "field"),
    [("user", None, "user"), ("admin", "ana", "user"), ("operator", None, "role"), ("root", None, "role")],
)
async def test_a_key_that_makes_no_sense_is_refused(
    acme: Rememora, role: str, user: str | None, field: str
) -> None:
    """A user's key names its user, an operator's belongs to no tenant, and roles are a closed list."""
    with pytest.raises(InvalidInput) as refused:
        await acme.tenant("acme", acting=ROOT).access.issue_key(cast("KeyRole", role), user=user)

    assert field == refused.value.field


async def test_a_suspended_tenant_is_shut_out_at_once(acme: Rememora) -> None:
    """Its keys and links are refused until it is active again."""
    operator, access = acme.operator(acting=ROOT), acme.tenant("acme", acting=ROOT).access
    credentials = (await access.issue_key("admin")).secret, (await access.link("ana")).token
    await operator.tenants.change("acme", status="suspended")
    for credential in credentials:
        with pytest.raises(Forbidden):
            await acme.credentials.admit(credential)
    await operator.tenants.change("acme", status="active")

    assert ["acme", "acme"] == [(await acme.credentials.admit(item)).tenant for item in credentials]


def test_rights_are_denied_unless_named() -> None:
    """Only who belongs to every tenant may operate; an auditor sees no memory; a user nothing but memory."""
    assert {"operator", "owner"} == {role for role, rights in RIGHTS.items() if "operate" in rights}
    assert frozenset({"audit"}) == RIGHTS["auditor"]
    assert frozenset({"memory"}) == RIGHTS["user"]
    assert "operate" not in Caller(tenant="acme", role="owner").rights
    assert "operate" in Caller(tenant=EVERY_TENANT, role="owner").rights


async def test_a_link_opens_one_persons_page_for_a_while(acme: Rememora, clock: SetClock) -> None:
    """It stands for that user alone, and ends by itself."""
    link = await acme.tenant("acme", acting=ROOT).access.link("ana", minutes=5)
    caller = await acme.credentials.admit(link.token)

    assert ("acme", "ana", "user") == (caller.tenant, caller.user, caller.role)
    clock.advance(5 * 60)
    with pytest.raises(KeyRejected):
        await acme.credentials.admit(link.token)


async def test_a_link_cannot_be_changed_or_carried_over(acme: Rememora) -> None:
    """Every character of it is signed, with the secret of its own tenant."""
    await acme.operator(acting=ROOT).tenants.create("zeta")
    link = await acme.tenant("acme", acting=ROOT).access.link("ana")
    for place in range(0, len(link.token), 3):
        other = "A" if link.token[place] != "A" else "B"
        with pytest.raises(KeyRejected):
            await acme.credentials.admit(link.token[:place] + other + link.token[place + 1 :])


async def test_links_given_out_can_be_ended_together(acme: Rememora) -> None:
    """A new signing secret makes every earlier link worthless."""
    link = await acme.tenant("acme", acting=ROOT).access.link("ana")
    await acme.operator(acting=ROOT).tenants.change("acme", end_links=True)

    with pytest.raises(KeyRejected):
        await acme.credentials.admit(link.token)


@given(
    st.datetimes(timezones=st.just(UTC), max_value=datetime(9999, 1, 1)),
    st.sampled_from(["minute", "hour", "day", "month"]),
)
def test_windows_tile_time(now: datetime, per: Window) -> None:
    """Every moment lies in exactly one window, and the next begins where it ends."""
    since, until = window_of(now, per)

    assert since <= now < until
    assert (since, until) == window_of(since, per)
    assert until == window_of(until, per)[0]


async def test_a_message_beyond_the_quota_is_refused_and_nothing_of_it_is_kept(acme: Rememora) -> None:
    """The refusal names the quota, its limit and when it resets; what was there stays as it was."""
    await acme.operator(acting=ROOT).tenants.change("acme", plan=Plan(name="tiny", messages=Quota(2, "hour")))
    chat = acme.user("ana", tenant="acme").conversation("c1")
    await chat.append("user", "um")
    with pytest.raises(QuotaExceeded) as refused:
        await chat.append_many([{"role": "user", "content": "dois"}, {"role": "user", "content": "três"}])

    assert ("messages", 2) == (refused.value.quota, refused.value.limit)
    assert MIDDAY + timedelta(hours=1) == refused.value.resets_at
    assert ["um"] == [message.content for message in (await chat.messages()).items]
    await chat.append("user", "dois")

    assert 2 == len((await chat.messages()).items)


async def test_an_answer_is_not_lost_to_the_quota(acme: Rememora) -> None:
    """What answers a message that was let in is stored, and counted."""
    await acme.operator(acting=ROOT).tenants.change("acme", plan={"name": "one", "messages": {"limit": 1}})
    chat = acme.user("ana", tenant="acme").conversation("c1")
    await chat.append("user", "oi")
    await chat.append("assistant", "olá")

    assert 2 == (await acme.tenant("acme", acting=ROOT).access.usage())[0].used


async def test_a_quota_begins_anew_with_its_window(acme: Rememora, clock: SetClock) -> None:
    """The next hour has its own count."""
    await acme.operator(acting=ROOT).tenants.change("acme", plan=Plan(name="tiny", messages=Quota(1, "hour")))
    chat = acme.user("ana", tenant="acme").conversation("c1")
    await chat.append("user", "um")
    clock.advance(3600)
    await chat.append("user", "dois")

    assert 2 == len((await chat.messages()).items)


async def test_quotas_are_each_tenants_own(acme: Rememora) -> None:
    """One tenant at its limit takes nothing from another whose name looks alike."""
    operator = acme.operator(acting=ROOT)
    await operator.tenants.create("acme2", plan=Plan(name="tiny", messages=Quota(1)))
    await operator.tenants.change("acme", plan=Plan(name="tiny", messages=Quota(1)))
    await acme.user("ana", tenant="acme").conversation("c1").append("user", "um")
    await acme.user("ana", tenant="acme2").conversation("c1").append("user", "um")

    used = [(await acme.tenant(item, acting=ROOT).access.usage())[0].used for item in ("acme", "acme2")]

    assert [1, 1] == used


async def test_searches_are_counted_and_limited(acme: Rememora) -> None:
    """A full window refuses the next search; the count survives being written down."""
    await acme.operator(acting=ROOT).tenants.change("acme", plan=Plan(name="tiny", searches=Quota(2, "day")))
    ana = acme.user("ana", tenant="acme")
    await ana.recall("um")
    await acme.settle()
    await ana.recall("dois")
    with pytest.raises(QuotaExceeded):
        await ana.recall("três")
    await acme.settle()
    usage = {item.meter: item for item in await acme.tenant("acme", acting=ROOT).access.usage()}

    assert list(METERS) == list(usage)
    assert (2, 2) == (usage["searches"].used, usage["searches"].limit)


async def test_documents_are_counted_and_limited(acme: Rememora) -> None:
    """A write beyond the limit is refused before anything of it is stored; reading and removing are free."""
    await acme.operator(acting=ROOT).tenants.change("acme", plan=Plan(name="tiny", documents=Quota(2, "day")))
    notes = acme.user("ana", tenant="acme").documents("notes")
    await notes.put("k1", {"n": 1})
    await notes.put("k1", {"n": 2})
    with pytest.raises(QuotaExceeded):
        await notes.put("k2", {"n": 3})
    usage = {item.meter: item.used for item in await acme.tenant("acme", acting=ROOT).access.usage()}

    assert 2 == usage["documents"]
    assert [("k1", {"n": 2})] == [(item.key, item.value) for item in await notes.all()]
    assert await notes.delete("k1")


async def test_without_an_account_nothing_is_limited(rememora: Rememora) -> None:
    """The embedded library needs no account: everything is counted, nothing refused."""
    await rememora.user("ana", tenant="solo").conversation("c1").append("user", "oi")
    usage = await rememora.tenant("solo", acting=ROOT).access.usage()

    assert [1, 0, 0, 0, 0] == [item.used for item in usage]
    assert {None} == {item.limit for item in usage}


async def test_accounts_are_listed_by_id_page_by_page(rememora: Rememora) -> None:
    """Every account stands on exactly one page."""
    operator = rememora.operator(acting=ROOT)
    for number in range(5):
        await operator.tenants.create(f"t{number}")
    first = await operator.tenants.list(limit=3)
    rest = await operator.tenants.list(limit=3, after=first.next)

    assert [f"t{number}" for number in range(5)] == [item.id for item in (*first.items, *rest.items)]
    assert rest.next is None


@pytest.mark.parametrize("tenant", ["", "*", "a\x00b", "x" * 256])
async def test_a_tenant_cannot_have_just_any_id(rememora: Rememora, tenant: str) -> None:
    """The mark of all tenants, control characters and empty ids are refused."""
    with pytest.raises(InvalidInput):
        await rememora.operator(acting=ROOT).tenants.create(tenant)


async def test_an_account_is_opened_once(acme: Rememora) -> None:
    """A second opening changes nothing."""
    with pytest.raises(Conflict):
        await acme.operator(acting=ROOT).tenants.create("acme", name="Other")

    assert "acme" == (await acme.operator(acting=ROOT).tenants.get("acme")).name


def test_plans_are_named_or_spelled_out() -> None:
    """A name that is no plan's, or a field that no plan has, is refused."""
    assert PLANS["free"] == plan_of("free")
    for wrong in ("gold", {"name": "x", "seats": {"limit": 1}}, {"messages": {"limit": -1}}):
        with pytest.raises(InvalidInput):
            plan_of(cast("Plan", wrong))


async def test_the_same_request_is_done_once(rememora: Rememora) -> None:
    """Under one key the first answer is given to every later request; another request is a conflict."""
    done: list[int] = []

    async def act() -> tuple[int, bytes]:
        done.append(1)
        return 201, b"{}"

    scope = Scope("acme", "ana")
    first = await rememora.once(scope, "k1", fingerprint=b"a", act=act)
    again = await rememora.once(scope, "k1", fingerprint=b"a", act=act)
    other = await rememora.once(Scope("acme2", "ana"), "k1", fingerprint=b"a", act=act)
    with pytest.raises(Conflict):
        await rememora.once(scope, "k1", fingerprint=b"b", act=act)

    assert [(201, b"{}", False), (201, b"{}", True), (201, b"{}", False)] == [first, again, other]
    assert 2 == len(done)


async def test_a_request_that_failed_may_be_tried_again(rememora: Rememora) -> None:
    """A failure keeps no answer."""
    outcomes = iter([Conflict("no"), None])

    async def act() -> tuple[int, bytes]:
        if (error := next(outcomes)) is not None:
            raise error
        return 200, b"ok"

    scope = Scope("acme", "ana")
    with pytest.raises(Conflict):
        await rememora.once(scope, "k1", fingerprint=b"a", act=act)

    assert (200, b"ok", False) == await rememora.once(scope, "k1", fingerprint=b"a", act=act)


async def test_tokens_count_in_the_plans_window_though_counts_were_written_meanwhile(
    acme: Rememora, clock: SetClock
) -> None:
    """What a long answer took is counted where the quota looks, on a day that is no month's first."""
    clock.advance(36 * 60 * 60)
    await acme.operator(acting=ROOT).tenants.change("acme", plan=Plan(name="daily", tokens=Quota(100, "day")))
    ana, meter = Scope("acme", "ana"), acme._parts.tally
    await meter.take(ana, "searches")
    await meter.flush()
    meter.add(ana, "tokens", 100)

    with pytest.raises(QuotaExceeded):
        await meter.take(ana, "tokens", 0)


async def test_an_operator_sees_of_whom_something_is_held(rememora: Rememora) -> None:
    """Each person once, with an account or without; what a tenant shares belongs to nobody."""
    await rememora.user("ana", tenant="acme").remember("user.name", "Ana")
    await rememora.user("ana", tenant="acme").conversation("c1").append("user", "oi")
    await rememora.user("bia", tenant="beta", rights=ADMIN).remember("tenant.name", "Sol", scope="tenant_shared")
    await rememora.user("caio", tenant="beta").conversation("c1").append("user", "oi")

    assert [("acme", "ana"), ("beta", "caio")] == await rememora.operator(acting="test").tenants.people()
