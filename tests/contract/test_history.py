"""What every store owes to history: order, paging, ids, counts, and all or nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import msgspec
import pytest
from tests.contract.making import ANA, moment, places, said, say, spoken

from rememora.domain.message import Attachment, ConversationRecord, Message
from rememora.engines import open_store
from rememora.errors import Conflict, StoreUnavailable
from rememora.ports.history import ReservedPlaces
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import Settings


class Stop(Exception):
    """A unit of work that changes its mind."""


async def test_places_follow_each_other(store: Store) -> None:
    """Each reservation begins where the one before ended, and the record counts them in."""

    def reserve(work: UnitOfWork) -> list[int]:
        return [work.conversations.reserve(ANA, places(count)).messages for count in (1, 3, 2)]

    counts = await store.write(ANA, reserve)

    assert [1, 4, 6] == counts


async def test_a_record_tells_when_and_how_much(store: Store) -> None:
    """A conversation is as old as its first message and as new as its last, in whichever order they came."""
    later = ReservedPlaces(messages=2, turns=1, first=moment(10), last=moment(20), channel="chat")
    early = ReservedPlaces(messages=1, turns=1, first=moment(-5), last=moment(-5), channel="voice")
    await store.write(ANA, lambda work: work.conversations.reserve(ANA, later))
    await store.write(ANA, lambda work: work.conversations.reserve(ANA, early))

    record = await store.read(ANA, lambda work: work.conversations.get(ANA))

    assert record is not None
    assert (3, 2, "chat") == (record.messages, record.turns, record.channel)
    assert (moment(-5), moment(20)) == (record.created_at, record.updated_at)


async def test_describing_changes_only_what_it_names(store: Store) -> None:
    """None leaves a field as it is; an empty mapping empties it."""

    def describe(work: UnitOfWork) -> list[tuple[str, object]]:
        about = work.conversations.describe
        steps = [("voice", {"a": 1}), (None, None), ("chat", None), (None, {})]
        records = [about(ANA, channel=channel, metadata=meta, at=moment()) for channel, meta in steps]
        return [(record.channel, record.metadata) for record in records]

    assert [
        ("voice", {"a": 1}),
        ("voice", {"a": 1}),
        ("chat", {"a": 1}),
        ("chat", {}),
    ] == await store.write(ANA, describe)


async def test_messages_come_back_as_they_were_given(store: Store) -> None:
    """Text of any script, attachments, metadata and moments survive to the last bit."""
    message = Message(
        tenant=ANA.tenant,
        user=ANA.user,
        conversation="c1",
        seq=1,
        id="é/ñ 1",
        role="tool",
        content="Ação 🙂 \u200d 日本\r\n\t'; DROP TABLE messages; --" + "x" * 100_000,
        modality="voice",
        attachments=(Attachment(name="nota.pdf", media_type="application/pdf", size_bytes=2**40),),
        metadata={"a": [1, 2.5, None, True, {"b": "ç"}], "big": 2**63 - 1},
        created_at=datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    )
    await store.write(ANA, lambda work: work.messages.add(ANA, [message]))

    assert [message] == await store.read(ANA, lambda work: work.messages.newest(ANA, limit=1))


@pytest.mark.parametrize("at", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
async def test_any_moment_can_be_kept(store: Store, at: datetime) -> None:
    """From the first microsecond of year 1 to the last of 9999."""
    message = msgspec.structs.replace(said(ANA, 1), created_at=at)
    await store.write(ANA, lambda work: work.messages.add(ANA, [message]))

    assert [message] == await store.read(ANA, lambda work: work.messages.newest(ANA, limit=1))


async def test_a_moment_means_the_same_in_every_time_zone(store: Store) -> None:
    """What was said at 9 in São Paulo reads as 12 in UTC."""
    there = datetime(2025, 3, 1, 9, tzinfo=timezone(timedelta(hours=-3)))
    message = msgspec.structs.replace(said(ANA, 1), created_at=there)
    await store.write(ANA, lambda work: work.messages.add(ANA, [message]))
    [newest] = await store.read(ANA, lambda work: work.messages.newest(ANA, limit=1))

    assert datetime(2025, 3, 1, 12, tzinfo=UTC) == newest.created_at
    assert newest.created_at.tzinfo == UTC


async def test_readings_are_chronological(store: Store) -> None:
    """Newest, turns and after answer in the order things were said."""
    await store.write(ANA, lambda work: say(work, ANA, [str(number) for number in range(1, 8)]))
    system = said(ANA, 8, role="system", content="8")
    await store.write(ANA, lambda work: work.messages.add(ANA, [system]))

    def read(work: UnitOfWork) -> list[list[str]]:
        result = (
            work.messages.newest(ANA, limit=3),
            work.messages.newest(ANA, limit=3, before=6),
            work.messages.turns(ANA, limit=3),
            work.messages.after(ANA, limit=3, seq=4),
            work.messages.after(ANA, limit=9, seq=7),
        )
        return [[message.content for message in item] for item in result]

    assert [
        ["6", "7", "8"],
        ["3", "4", "5"],
        ["5", "6", "7"],
        ["5", "6", "7"],
        ["8"],
    ] == await store.read(ANA, read)


async def test_an_id_finds_its_message(store: Store) -> None:
    """Only ids that are there are answered, each with its own message."""
    [one, two] = await store.write(ANA, lambda work: say(work, ANA, ["a", "b"]))

    result = await store.read(ANA, lambda work: work.messages.with_ids(ANA, ["m2", "m9", "m1"]))

    assert {"m1": one, "m2": two} == result


@pytest.mark.parametrize(
    "double", [said(ANA, 2, id="m1"), said(ANA, 1, id="other")], ids=["same id", "same place"]
)
async def test_a_message_cannot_stand_twice(store: Store, double: Message) -> None:
    """The store itself refuses a second message with an id or a place that is taken."""
    await store.write(ANA, lambda work: say(work, ANA, ["a"]))

    with pytest.raises(Conflict):
        await store.write(ANA, lambda work: work.messages.add(ANA, [double]))

    assert 1 == len(await store.read(ANA, lambda work: work.messages.newest(ANA, limit=9)))


async def test_what_fails_leaves_nothing(store: Store) -> None:
    """A unit of work that raises takes back everything it did, and its error reaches the caller."""

    def half(work: UnitOfWork) -> None:
        say(work, ANA, ["a"])
        raise Stop

    with pytest.raises(Stop):
        await store.write(ANA, half)

    assert await store.read(ANA, lambda work: work.conversations.get(ANA)) is None
    assert [] == await store.read(ANA, lambda work: work.messages.newest(ANA, limit=9))


async def test_a_reader_cannot_write(store: Store) -> None:
    """A unit of work that only reads is refused when it writes, and nothing of it remains."""
    with pytest.raises(StoreUnavailable):
        await store.read(ANA, lambda work: say(work, ANA, ["a"]))

    assert await store.read(ANA, lambda work: work.conversations.get(ANA)) is None

    await spoken(store, ANA, ["a"])

    assert 1 == len(await store.read(ANA, lambda work: work.messages.newest(ANA, limit=9)))


async def test_removal_says_how_much(store: Store) -> None:
    """Rows removed are counted; a second removal finds nothing."""
    await store.write(ANA, lambda work: say(work, ANA, ["a", "b", "c"]))

    def remove(work: UnitOfWork) -> tuple[int, int]:
        return work.messages.remove(ANA), work.conversations.remove(ANA)

    assert (3, 1) == await store.write(ANA, remove)
    assert (0, 0) == await store.write(ANA, remove)


async def test_conversations_are_listed_newest_first(store: Store) -> None:
    """By last activity, and by id where that is the same."""
    ages = {"old": 1, "new": 3, "same-a": 2, "same-b": 2, "same-c": 2}
    await _converse(store, ages)

    newest = await store.read(ANA, lambda work: work.conversations.newest(ANA, limit=9, before=None))

    assert ["new", "same-c", "same-b", "same-a", "old"] == [record.id for record in newest]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
async def test_pages_meet_without_gap_or_overlap(store: Store, size: int) -> None:
    """Whatever the page size, and though all were last touched at the same moment, each is seen once."""
    await _converse(store, {f"c{number}": 0 for number in range(7)})
    seen: list[str] = []
    before: tuple[datetime, str] | None = None
    while page := await _conversations(store, limit=size, before=before):
        seen += [record.id for record in page]
        before = page[-1].updated_at, page[-1].id

    assert [f"c{number}" for number in reversed(range(7))] == seen


async def test_a_short_reading_reads_the_same(store: Store) -> None:
    """Wherever it is done; and it changes nothing, whatever it tries."""
    await store.write(ANA, lambda work: say(work, ANA, ["a"]))
    read = await store.read(ANA, lambda work: work.conversations.get(ANA))
    short = await store.read(ANA, lambda work: work.conversations.get(ANA), short=True)
    with pytest.raises(StoreUnavailable):
        await store.read(ANA, lambda work: say(work, ANA, ["b"]), short=True)
    again = await store.read(ANA, lambda work: work.conversations.get(ANA))
    await store.close()

    assert read == short == again is not None
    with pytest.raises(StoreUnavailable):
        await store.read(ANA, lambda work: work.conversations.get(ANA), short=True)


async def test_somebody_wrote(store: Store, url: str) -> None:
    """`changed` differs after a write, through this door or another, and only then; PostgreSQL does not tell.

    Nor does a store that is closed.
    """
    another = store if url == ":memory:" else await open_store(Settings.load({"store.url": url}, environ={}))
    seen = [store.changed()]
    await store.read(ANA, lambda work: work.conversations.get(ANA))
    seen.append(store.changed())
    for door in (store, another):
        await door.write(ANA, lambda work: say(work, ANA, ["a"]))
        seen.append(store.changed())
    await another.close()

    assert another.changed() is None
    if url.startswith("postgresql"):
        assert {None} == set(seen)
    else:
        assert seen[0] == seen[1]
        assert 3 == len(set(seen))


async def _converse(store: Store, ages: dict[str, int]) -> None:
    for name, age in ages.items():
        await spoken(store, ANA.within(name), ["a"], at=moment(age))


async def _conversations(
    store: Store, *, limit: int, before: tuple[datetime, str] | None
) -> list[ConversationRecord]:
    return await store.read(ANA, lambda work: work.conversations.newest(ANA, limit=limit, before=before))
