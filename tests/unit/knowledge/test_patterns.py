"""What is learned of how a person talks, on which evidence, and that little evidence teaches nothing."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.clock import MIDDAY
from tests.unit.history.talks import talk

from rememora.domain.message import Message, Role
from rememora.knowledge.patterns import LEAST_SHARE, MOST_EVIDENCE, Pattern, learn

SAO_PAULO = timezone(timedelta(hours=-3))


def said(*contents: str, role: Role = "user", every: timedelta = timedelta(hours=25)) -> list[Message]:
    """One message after another, a day and an hour apart unless told otherwise."""
    return [
        msgspec.structs.replace(message, created_at=MIDDAY + every * at)
        for at, message in enumerate(talk(tuple((role, content) for content in contents)))
    ]


def learned(messages: list[Message], key: str, *, channels: dict[str, str] | None = None) -> Pattern | None:
    """The pattern of one key, where it is learned."""
    return next((item for item in learn(messages, channels=channels) if item.key == key), None)


def test_the_language_that_is_spoken() -> None:
    """Most messages in one language, with those messages as evidence; the answers do not count."""
    mine = said(*["Quero ver o relatório de vendas da semana"] * 8, "Please send it to the office today")
    theirs = said(*["Here is the weekly report that you asked for"] * 20, role="assistant")

    result = learned([*mine, *theirs], "user.preferred_language")

    assert result is not None
    assert ("pt", tuple(f"m{seq}" for seq in range(1, 9))) == (result.value, result.evidence)
    assert 0.7 <= result.confidence < 0.8


def test_who_tells_no_language_votes_for_none() -> None:
    """A few words that both languages might have say nothing, however many of them there are."""
    terse = ["Send invoice Dana", "Kids start school Monday", "Order printer toner", "Book Denver hotel"]

    assert learned(said(*terse * 10), "user.preferred_language") is None


def test_a_few_telling_messages_among_terse_ones_tell_the_language() -> None:
    """Only those that tell are counted, and they are the evidence."""
    result = learned(
        said(*["Order printer toner"] * 5, *["Where is the printer now?"] * 5), "user.preferred_language"
    )

    assert result is not None
    assert ("en", ("m6", "m7", "m8", "m9", "m10")) == (result.value, result.evidence)


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        (["pode resumir? muito longo", "mais curto, por favor", "too long, be brief"], True),
        (["mais detalhes, por favor", "can you elaborate on this?", "explica melhor isso"], False),
    ],
)
def test_the_length_that_is_asked_for(contents: list[str], expected: bool) -> None:
    """Three requests in one direction are a preference."""
    result = learned(said(*contents), "prefs.short_answers")

    assert result is not None
    assert (expected, ("m1", "m2", "m3")) == (result.value, result.evidence)


def test_the_hours_are_the_persons_own() -> None:
    """The shortest stretch that holds most messages, in the person's time zone, also over midnight."""
    evenings = [datetime(2026, 5, day, 22 + late, tzinfo=SAO_PAULO) for day in range(1, 9) for late in (0, 1)]
    nights = [datetime(2026, 5, day, 0, tzinfo=SAO_PAULO) for day in range(2, 10)]
    noon = [datetime(2026, 5, 3, 12, tzinfo=SAO_PAULO)]
    messages = [
        msgspec.structs.replace(message, created_at=moment)
        for message, moment in zip(said(*["Vamos ver as contas"] * 25), [*evenings, *nights, *noon], strict=True)
    ]

    (result,) = [item for item in learn(messages, zone=SAO_PAULO) if item.key == "prefs.active_hours"]

    assert "22:00-01:00" == result.value


def test_the_channel_that_is_used() -> None:
    """Most messages come through one channel; conversations of unknown channel do not count."""
    messages = said(*["Vamos ver as contas"] * 10)
    used = [
        msgspec.structs.replace(message, conversation="w" if at < 9 else "c")
        for at, message in enumerate(messages)
    ]

    result = learned(used, "prefs.preferred_channel", channels={"w": "whatsapp", "c": "chat"})

    assert result is not None
    assert "whatsapp" == result.value
    assert learned(used, "prefs.preferred_channel", channels={}) is None


def test_topics_come_back_on_several_days() -> None:
    """A word of one busy day is no topic; one that returns on three days is, whatever its ending."""
    daily = said("a margem caiu", "quero ver as margens", "e a margem?", "tudo certo")
    busy = said(*["campanha campanha campanha"] * 9, every=timedelta(minutes=1))

    result = learned([*daily, *busy], "prefs.topics")

    assert result is not None
    assert ("margem", ("m1", "m2", "m3"), 0.75) == (result.value, result.evidence, result.confidence)


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        (["quero ver o estoque", "preciso do estoque", "me ajuda com o estoque", "quero responder"], "estoque"),
        (["check the candles", "help me sell candles", "i need labels for the candles"], "candles"),
        (["Oi, bom dia, preciso de ajuda", "Obrigada pela ajuda!", "me ajuda, por favor?"], None),
        (["Remind me on Monday", "Thanks for the help, see you on Monday", "Monday at the latest"], None),
        (["quero vender", "vou vender amanhã", "preciso vender"], None),
    ],
)
def test_topics_are_things(contents: list[str], expected: str | None) -> None:
    """What is asked, wished and thanked for day by day is no topic, nor is a day."""
    result = learned(said(*contents), "prefs.topics")

    assert expected == (None if result is None else result.value)


def test_a_word_that_is_seldom_a_thing_is_no_topic() -> None:
    """Two slips among many are slips: most of what is said of `limpa` is done."""
    contents = ["a limpa", "uma limpa", *["limpa tudo"] * 8]

    assert learned(said(*contents), "prefs.topics") is None


def test_a_thing_named_once_is_no_topic() -> None:
    """One place in a sentence where only things stand may be a slip; two are none."""
    assert learned(said("o vende mais", "vende bem", "vende tudo"), "prefs.topics") is None


@pytest.mark.parametrize("count", [0, 1, 4])
def test_a_few_messages_teach_nothing(count: int) -> None:
    """Under the least number of messages there is no pattern of language, hours or channel."""
    keys = {item.key for item in learn(said(*["Oi, tudo bem com você?"] * count), channels={"c1": "chat"})}

    assert set() == keys - {"prefs.topics"}


@given(
    contents=st.lists(st.one_of(st.text(min_size=1, max_size=60), st.just("Quero mais detalhes do relatório"))),
    minutes=st.integers(0, 5_000),
)
def test_a_pattern_always_has_its_evidence(contents: list[str], minutes: int) -> None:
    """Whatever was said: sound confidences, evidence among the user's messages, and the same answer twice."""
    messages = said(*contents, every=timedelta(minutes=minutes))

    result = learn(messages, channels={"c1": "voice"})

    ids = {message.id for message in messages}

    assert result == learn(messages, channels={"c1": "voice"})
    assert all(0 < item.confidence <= 0.95 and item.value != "" for item in result)
    assert all(item.evidence and set(item.evidence) <= ids for item in result)
    assert all(len(item.evidence) <= MOST_EVIDENCE for item in result)


@given(one=st.integers(0, 30), other=st.integers(0, 30))
def test_a_language_needs_a_clear_majority(one: int, other: int) -> None:
    """It is learned exactly when enough messages are in it, and their share is confidence's limit."""
    messages = said(*["Quero ver o relatório agora"] * one, *["Please show me the report now"] * other)
    total, most = one + other, max(one, other)

    result = learned(messages, "user.preferred_language")

    assert (result is not None) == (total >= 5 and most / total >= LEAST_SHARE)
    assert result is None or result.confidence <= most / total
