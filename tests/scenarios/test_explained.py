"""A judgement that explains itself: by words, by rules, and by what is known already."""

from __future__ import annotations

import re

import pytest
from tests.house.source import ROOT

from rememora import Rememora, SyncRememora
from rememora.domain.rights import Rights
from rememora.domain.verdict import ExplainedDecision
from rememora.errors import RememoraError
from rememora.handles.user import UserMemory

CHANGE = "agora a padaria fecha às 21h"


def compared(words: tuple[ExplainedDecision, ...]) -> list[ExplainedDecision]:
    """The known statements among some decisions."""
    return [decision for decision in words if decision.by == "comparison"]


async def test_a_verdict_is_explained_only_where_that_is_asked_for(ana: UserMemory) -> None:
    """Everything else of it is the same."""
    plain, explained = await ana.gate.judge(CHANGE), await ana.gate.judge(CHANGE, explain=True)

    assert () == plain.words
    assert (plain.label, plain.reason, plain.facts) == (explained.label, explained.reason, explained.facts)
    assert any(word.weight > 0 for decision in explained.words for word in decision.words)
    assert [] == compared(explained.words)


async def test_the_known_statement_that_is_touched_is_named_with_its_chance(ana: UserMemory) -> None:
    """By its id and its words; the likeliest first, and nothing is written."""
    await ana.gate.note("o aluguel da loja vence dia 10")
    await ana.gate.note("a padaria fecha às 18h")
    kept = (await ana.memories.list()).items
    first = compared((await ana.gate.judge(CHANGE, explain=True)).words)[0]
    [hours] = [memory for memory in kept if memory.id == first.memory]

    assert "a padaria fecha às 18h" == first.known == hours.value
    assert CHANGE == first.span.text
    assert 0.05 <= first.chance <= 1
    assert kept == (await ana.memories.list()).items


async def test_what_is_suppressed_stays_unmentioned(ana: UserMemory) -> None:
    await ana.gate.note("a padaria fecha às 18h")
    [kept] = (await ana.memories.list()).items
    await ana.memories.suppress(kept.id)

    assert [] == compared((await ana.gate.judge(CHANGE, explain=True)).words)


async def test_an_explanation_shows_nobody_a_memory_that_they_may_not_read(
    rememora: Rememora, ana: UserMemory
) -> None:
    """Judging needs no right to read; naming what is known does."""
    await ana.gate.note("a padaria fecha às 18h")
    colleague = rememora.user("ana", tenant="acme", rights=Rights(), acting="rui")

    assert "save" == (await colleague.gate.judge(CHANGE)).label
    with pytest.raises(RememoraError):
        await colleague.gate.judge(CHANGE, explain=True)


def test_the_same_without_await() -> None:
    with SyncRememora.open(":memory:") as rememora:
        verdict = rememora.user("ana", tenant="acme").gate.judge("moro em Recife", explain=True)

        assert {"rule", "reader"} == {decision.by for decision in verdict.words}


def test_the_picture_of_a_message_shows_what_becomes_of_it() -> None:
    """Its sentence is one statement under the key that is shown, and two sentences are two; in both languages."""
    pages = [(ROOT / f"docs/concepts/knowledge{end}.md").read_text("utf-8") for end in ("", ".pt-BR")]
    [said] = {re.findall(r'^"(me ajuda.*)"$', page, re.MULTILINE)[0] for page in pages}
    with SyncRememora.open(":memory:") as rememora:
        ana, rui = rememora.user("ana", tenant="acme"), rememora.user("rui", tenant="acme")
        [fact] = ana.gate.judge(said).facts
        rui.gate.note("a gente fecha às 18h")
        rui.gate.note(said.replace(", e agora", ". E agora"))
        kept = {memory.value for memory in rui.memories.list().items}

    assert all(f'{fact.key}  "{fact.value}"' in page for page in pages)
    assert {"minha sócia Lia faz aniversário dia 9", "agora a gente fecha às 21h"} == kept
