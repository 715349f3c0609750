"""Each message of a turn is read by the network once, whoever asks what it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from tests.calm import CALM

from rememora import Rememora, Settings
from rememora.caches import forget_people
from rememora.reading import BUILTIN, hold_reader, read_builtin
from rememora.reading.parsed import parse_message
from rememora.reading.results import MessageReading

IN_MEMORY = Settings.load({"store.url": ":memory:", **CALM}, environ={})
TURNS = (
    "Oi, eu sou a Lia e moro em Olinda",
    "eu eu trabalho na padaria da Rosa, ela é minha prima",
    "guarda que o fornecedor de fubá é o Tonho",
    "desfaz isso, era outra coisa",
    "qual é o meu nome?",
    "o forno quebrou ontem e o conserto sai 300 reais",
    "na verdade moro em Re\u200bcife",
    "não fala mais da padaria",
    "esquece o fornecedor",
    "apaga pra sempre o meu nome",
    "não",
)
"""What is told, wished, asked, corrected, undone and refused; two of them are not as the network reads them."""
Call = tuple[str, tuple[str, ...]]


@pytest.fixture
def read() -> Iterator[list[Call]]:
    """What the reader was asked to read, with the turns before it; it holds nothing from other tests."""
    calls = list[Call]()

    def counting(text: str, before: Sequence[str]) -> MessageReading:
        calls.append((text, tuple(before)))
        return read_builtin(text, before)

    forget_people()
    # Under the name of the reader that the memory below asks for.
    let_go = hold_reader(BUILTIN, counting)
    yield calls
    let_go()


async def test_a_message_of_a_turn_is_read_at_most_once(read: list[Call]) -> None:
    """The gate, requests to memory, comparison and the answer take one reading, of one form of the message."""
    readings: dict[str, list[Call]] = {}
    async with Rememora.open(settings=IN_MEMORY, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        for text in TURNS:
            read.clear()
            await chat.reply(text)
            readings[text] = [call for call in read if call[0] in (text, parse_message(text).normal.text)]

    assert {} == {text: calls for text, calls in readings.items() if len(calls) > 1}
    # Wishes and answers that frames know by their words cost none; of an erasure the rest of its wish is read.
    assert [TURNS[-4], *TURNS[-2:]] == [text for text, calls in readings.items() if not calls]
