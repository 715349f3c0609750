"""Answers in a summary: a short one keeps its question, and a yes makes a decision of what was proposed."""

from __future__ import annotations

import pytest
from tests.looped import looped
from tests.unit.history.talks import talk

from rememora.domain.message import Role
from rememora.history.condense import condense
from rememora.history.sentences import accepts

ADVICE: dict[str, tuple[tuple[Role, str], str]] = {
    "pt": (("assistant", "Recomendo começar pelo Instagram e pelo iFood."), "(aceito)"),
    "en": (("assistant", "I suggest you start with Google Ads in May."), "(accepted)"),
}
YES = [
    *(("pt", said) for said in ("blz, fechado", "ok", "Beleza!", "tá bom", "combinado", "top, vamos nessa")),
    *(("pt", said) for said in ("ok, pode fazer", "show", "isso aí", "blz, valeu", "curti a ideia")),
    *(("en", said) for said in ("sure", "love it", "deal", "ok", "ok let's go", "I'm in", "yes please")),
]
NO = [
    *(
        "ok, mas não agora",
        "blz, vou pensar",
        "valeu",
        "obrigado",
        "ok? quanto custa?",
        "não",
        "entendi",
        "talvez",
    ),
    *("sure, but later", "ok, maybe", "thanks", "got it", "I don't love it", "ok, o bolo custa R$ 90"),
]
QUESTIONS: dict[str, tuple[tuple[Role, str], ...]] = {
    "pt": (("assistant", "Certo. Qual o orçamento?"), ("user", "5 mil")),
    "en": (("assistant", "Got it. What's the budget? A guess will do."), ("user", "$5k")),
}


@looped(("language", "said"), YES)
def test_a_yes_accepts_what_was_recommended(language: str, said: str) -> None:
    """In so many words or in one, hurried or not; it is told with the advice, and not by itself."""
    advice, mark = ADVICE[language]

    assert [f"assistant: {advice[1]} {mark}"] == condense(
        "", talk((advice, ("user", said))), max_tokens=200
    ).splitlines()


@looped("said", NO)
def test_thanks_buts_and_questions_accept_nothing(said: str) -> None:
    """Neither does what was merely understood."""
    assert not accepts(said)


def test_an_offer_that_is_taken_up_is_decided() -> None:
    """A question is kept for the yes to it; the question whether there is anything else is not."""
    lines: tuple[tuple[Role, str], ...] = (
        ("assistant", "Quer que eu cancele o plano anual?"),
        ("user", "sim"),
        ("assistant", "Posso ajudar em algo mais?"),
        ("user", "sim"),
    )

    assert "assistant: Quer que eu cancele o plano anual? (aceito)" == condense("", talk(lines), max_tokens=200)


def test_a_yes_to_what_was_folded_before_accepts_it_too() -> None:
    """Where the summary so far ends with the advice, the yes that comes next is to it."""
    for advice, mark in ADVICE.values():
        before = condense("", talk((advice,)), max_tokens=200)
        after = condense(before, talk((("user", "ok"),), first=2), max_tokens=200)

        assert f"{before} {mark}" == after


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_short_answer_keeps_a_question_of_one_word(language: str) -> None:
    """Also where the assistant goes on after it, and when the summary is folded again."""
    lines = QUESTIONS[language]
    query = "Qual o orçamento?" if language == "pt" else "What's the budget?"

    text = condense("", talk(lines), max_tokens=200)
    again = condense(text, talk((("user", "kkkk"),), first=3), max_tokens=200)

    assert [f"assistant: {query}", f"user: {lines[1][1]}"] == text.splitlines() == again.splitlines()


@looped("max_tokens", range(6, 60, 3))
def test_question_and_short_answer_stay_or_go_together(max_tokens: int) -> None:
    """However little room there is, neither is left without the other."""
    lines: tuple[tuple[Role, str], ...] = (
        ("user", "Decidimos contratar a Marina por R$ 7.200 a partir de agosto."),
        *QUESTIONS["pt"],
    )

    text = condense("", talk(lines), max_tokens=max_tokens)

    assert ("orçamento" in text) == ("5 mil" in text)


@pytest.mark.parametrize("step", [1, 2, 3, 12])
def test_answers_are_told_with_their_questions_wherever_it_was_folded(step: int) -> None:
    """A yes to one and a yes to another, a no, and words that would be worth nothing by themselves."""
    lines: tuple[tuple[Role, str], ...] = (
        ("assistant", "Para quantas pessoas?"),
        ("user", "80"),
        ("assistant", "Vai ter bebida alcoólica?"),
        ("user", "sim"),
        ("assistant", "Vai ter música ao vivo?"),
        ("user", "sim"),
        ("assistant", "Quer que eu reserve o DJ também?"),
        ("user", "não precisa"),
        ("assistant", "Qual a cor da decoração?"),
        ("user", "verde e branco"),
    )
    messages = talk(lines)

    text = ""
    for start in range(0, len(messages), step):
        text = condense(text, messages[start : start + step], max_tokens=600)

    assert [f"{role}: {said}" for role, said in lines] == text.splitlines()
