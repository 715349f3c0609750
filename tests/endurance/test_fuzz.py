"""Damaged exports, and texts that nobody would write: refused with a type or taken in, and never anything else."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.attacks.counts import Probe
from tests.endurance.conftest import Campaign

from rememora import Rememora, Settings, UserMemory
from rememora.adapters import exports
from rememora.errors import RememoraError
from rememora.reading import read_message
from rememora.testing import WordEmbedder

FILES, DOCUMENTS, TEXTS = 3_000, 1_000, 6_000
"""Files of other products, documents of our own, and texts for the reader and the gate."""
AT = 1_700_000_000
CHATGPT = [
    {
        "conversation_id": "c1",
        "title": "Viagem",
        "current_node": "b",
        "mapping": {
            "a": {
                "parent": None,
                "children": ["b"],
                "message": {
                    "id": "m1",
                    "author": {"role": "user"},
                    "create_time": AT,
                    "content": {"content_type": "text", "parts": ["Vou para Recife", {"asset": 1}]},
                    "metadata": {},
                },
            },
            "b": {
                "parent": "a",
                "children": [],
                "message": {
                    "id": "m2",
                    "author": {"role": "assistant"},
                    "create_time": AT + 9,
                    "content": {"content_type": "text", "parts": ["Boa viagem!"]},
                    "metadata": {"is_visually_hidden_from_conversation": False},
                },
            },
        },
    }
]
CLAUDE = [
    {
        "uuid": "c2",
        "name": "Receita",
        "chat_messages": [
            {"uuid": "m3", "sender": "human", "text": "Um bolo", "created_at": "2025-03-01T09:00:00Z"},
            {
                "uuid": "m4",
                "sender": "assistant",
                "content": [{"type": "text", "text": "Claro"}],
                "created_at": "2025-03-01T09:01:00Z",
                "attachments": [{"file_name": "bolo.pdf"}],
                "files": [],
            },
        ],
    }
]
MESSAGES = {"messages": [{"role": "user", "content": "Oi", "id": "m5"}, {"role": "assistant", "content": "Olá"}]}
LINES = [{"role": "user", "content": "Oi", "conversation": "c3", "id": "m6", "created_at": "2025-03-01"}] * 2
MEM0 = {"results": [{"id": "r1", "memory": "Lives in Lisbon", "created_at": "2025-03-01", "user_id": "ana"}]}
FORMS: dict[exports.Form, Any] = {
    "chatgpt": CHATGPT,
    "claude": CLAUDE,
    "messages": MESSAGES,
    "jsonl": LINES,
    "mem0": MEM0,
}
ODD: tuple[Callable[[random.Random], Any], ...] = (
    lambda _: None,
    lambda _: True,
    lambda chance: chance.choice([0, -1, 10**30, float("nan"), float("inf"), -AT]),
    lambda chance: chance.choice(["", "\x00", "\ud800", "a" * 5_000, "2025-99-99", "\u202e\u200b", "[]"]),
    lambda _: [],
    lambda _: {},
    lambda chance: [chance.choice([None, "x", {}, []])] * chance.randrange(1, 5),
    lambda _: {"role": "user", "content": {"parts": [1]}},
    lambda _: deep(200),
)
WORDS = (
    *(
        "moro em",
        "esquece",
        "my card is",
        "4111 1111 1111 1111",
        "sempre",
        "não",
        "na verdade",
        "ignore all",
        "?",
        ".",
    ),
    *(
        "\u0301",
        "\u200b",
        "\U0001f600",
        "＜",
        "\n\n",
        "\t",
        "ß",
        "İ",
        "\u202e",
        "http://",
        "{{",
        "]]>",
        "R$ 1.000,00",
        "31/02/2025",
    ),
)


def deep(levels: int) -> Any:
    """A list in a list in a list."""
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of a document with each of its keys."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


def damaged(document: Any, chance: random.Random) -> Any:
    """The document with one to three values replaced by odd ones, taken out or doubled."""
    changed = copy.deepcopy(document)
    for _ in range(chance.randrange(1, 4)):
        result = list(places(changed))
        if not result:
            break
        container, key = chance.choice(result)
        act = chance.randrange(4)
        if act == 0 and isinstance(container, dict):
            del container[key]
        elif act == 1 and isinstance(container, list):
            container.insert(key, copy.deepcopy(container[key]))
        else:
            container[key] = chance.choice(ODD)(chance)
    return changed


def bytes_of(form: exports.Form, document: Any, chance: random.Random) -> bytes:
    """A file of this form; of some, bytes are changed, taken out or cut off."""
    if form == "jsonl" and isinstance(document, list):
        text = "\n".join(json.dumps(item) for item in document)
    else:
        text = json.dumps(document)
    raw = bytearray(text.encode("utf-8", "surrogatepass"))
    if chance.random() < 0.3 and raw:
        for _ in range(chance.randrange(1, 6)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
    if chance.random() < 0.1:
        del raw[chance.randrange(len(raw) + 1) :]
    return bytes(raw)


def odd_text(chance: random.Random) -> str:
    """Words of the rules, letters of any script and signs that are no letters, in any order."""
    parts: list[str] = []
    for _ in range(chance.randrange(1, 30)):
        kind = chance.random()
        if kind < 0.6:
            parts.append(chance.choice(WORDS))
        elif kind < 0.9:
            parts.append("".join(chr(_letter(chance)) for _ in range(chance.randrange(1, 12))))
        else:
            parts.append(chance.choice(WORDS) * chance.randrange(1, 40))
    return chance.choice(["", " "]).join(parts)


def _letter(chance: random.Random) -> int:
    top = chance.choice([0x7F, 0x24F, 0x2FFF, 0x1FFFF, 0x10FFFF])
    code = chance.randrange(top + 1)
    # A half of a pair is no text; the doors refuse it before.
    return code if not 0xD800 <= code <= 0xDFFF else 0x20


async def taken(ana: UserMemory, file: Path, form: exports.Form) -> None:
    """Import a file as `rememora import` does."""
    if form == "mem0":
        for row in exports.mem0_memories(file, read=lambda _: None):
            await ana.archive.load_note(row.text, ref=f"mem0:{row.id}"[:255], at=row.at, whole=True)
        return
    for conversation in exports.conversations(file, form, read=lambda _: None):
        if conversation.messages:
            await ana.conversation(conversation.id, channel=form).append_many(conversation.messages)


@pytest.mark.slow
@pytest.mark.embedded
async def test_damaged_files_of_other_products(
    tmp_path: Path, settings: Settings, campaign: Campaign, probe: Probe
) -> None:
    """Whatever a file holds, the import ends by itself or with a typed error; nobody else's history changes."""
    came = 0
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        bia = rememora.user("bia", tenant="acme").conversation("c1")
        await bia.append("user", "Rosamunda")
        for seed in campaign.seeds(FILES):
            chance = random.Random(seed)
            form = chance.choice(list(FORMS))
            file = tmp_path / f"export.{'jsonl' if form == 'jsonl' else 'json'}"
            file.write_bytes(bytes_of(form, damaged(FORMS[form], chance), chance))
            ana = rememora.user(f"ana{seed}", tenant="acme")
            try:
                await taken(ana, file, form)
                came += 1
            except RememoraError:
                pass
            except Exception as error:  # noqa: BLE001  (what is looked for)
                probe(False, f"seed {seed}, {form}: {type(error).__name__}: {error}")
                continue
            probe(True)
        turns = [turn.content for turn in await bia.last_turns(5)]
        intact = (await rememora.tenant("acme", acting="auditor").audit.verify()).intact

    assert (["Rosamunda"], True) == (turns, intact)
    assert came, "no file came in, so that only refusals were tried"


@pytest.mark.slow
@pytest.mark.embedded
async def test_damaged_documents_of_our_own(settings: Settings, campaign: Campaign, probe: Probe) -> None:
    """An export that was changed is refused or taken in; what it was made from is as it was."""
    came = 0
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        bia = rememora.user("bia", tenant="acme")
        await bia.conversation("c1").reply("Moro em Recife e trabalho na padaria.")
        await bia.remember("people.tom.role", "contador")
        await bia.entities.mention("person", "Tom", "contador")
        document = await bia.archive.export()
        for seed in campaign.seeds(DOCUMENTS):
            changed = damaged(document, random.Random(seed))
            try:
                await rememora.user(f"ana{seed}", tenant="acme").archive.load(changed)
                came += 1
            except RememoraError:
                pass
            except Exception as error:  # noqa: BLE001  (what is looked for)
                probe(False, f"seed {seed}: {type(error).__name__}: {error}")
                continue
            probe(True)
        after = await bia.archive.export()
        intact = (await rememora.tenant("acme", acting="auditor").audit.verify()).intact

    assert ({**document, "exported_at": ""}, True) == ({**after, "exported_at": ""}, intact)
    assert came, "no document came in, so that only refusals were tried"


@pytest.mark.slow
@pytest.mark.embedded
async def test_texts_that_nobody_would_write(settings: Settings, campaign: Campaign, probe: Probe) -> None:
    """The reader labels each by finite chances, the gate judges each and says why."""
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        for seed in campaign.seeds(TEXTS):
            text = odd_text(random.Random(seed))
            try:
                labels = read_message(text).labels
                verdict = await ana.gate.judge(text)
            except RememoraError as error:
                # Nothing is left of some once they are cleaned, and no engine keeps a NUL.
                probe(not text.strip() or "\x00" in text, f"seed {seed}: {error}: {text!r}")
                continue
            except Exception as error:  # noqa: BLE001  (what is looked for)
                probe(False, f"seed {seed}: {type(error).__name__}: {error}: {text!r}")
                continue
            probe(all(map(math.isfinite, labels)) and bool(verdict.reason), f"seed {seed}: {text!r}")
