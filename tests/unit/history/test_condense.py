"""The extractive summariser keeps what matters and drops filler, in both languages, within its bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.looped import looped
from tests.unit.history.talks import (
    PADARIA,
    PADARIA_DROPS,
    PADARIA_KEEPS,
    STARTUP,
    STARTUP_DROPS,
    STARTUP_KEEPS,
    talk,
)

from rememora.domain.message import Role
from rememora.history.condense import condense, gist
from rememora.history.sentences import LONGEST_LINE, clip, split_sentences
from rememora.language import count_tokens

Lines = tuple[tuple[Role, str], ...]
TALKS = {"pt": (PADARIA, PADARIA_KEEPS, PADARIA_DROPS), "en": (STARTUP, STARTUP_KEEPS, STARTUP_DROPS)}
ROLES = st.sampled_from(["user", "assistant", "system", "tool"])
ANY_LINES = st.lists(st.tuples(ROLES, st.text(min_size=1, max_size=300)), min_size=1, max_size=12).map(tuple)


@pytest.mark.parametrize("language", TALKS)
def test_facts_survive_and_filler_does_not(language: str) -> None:
    """Names, figures, decisions, accepted advice, preferences and questions stay; greetings and waiting go."""
    lines, keeps, drops = TALKS[language]

    text = condense("", talk(lines), max_tokens=600)

    assert [] == [fact for fact in keeps if fact not in text]
    assert [] == [filler for filler in drops if filler in text]


@pytest.mark.parametrize("language", TALKS)
@pytest.mark.parametrize("step", [3, 5, 11])
def test_folded_in_steps_the_facts_survive_too(language: str, step: int) -> None:
    """Summary of the summary, piece after piece, still holds every fact."""
    lines, keeps, drops = TALKS[language]
    messages = talk(lines)

    text = ""
    for start in range(0, len(messages), step):
        text = condense(text, messages[start : start + step], max_tokens=600)

    # An acceptance in another piece than its proposal stays as the user's own line.
    facts = [fact for fact in keeps if not fact.startswith("(")]

    assert [] == [fact for fact in facts if fact not in text]
    assert [] == [filler for filler in drops if filler in text]


def test_an_old_decision_outlives_newer_chatter() -> None:
    """Under a tight budget what was decided long ago beats what was merely said last."""
    decided = talk((("user", "Decidimos contratar a Marina por R$ 7.200 a partir de agosto."),))
    chatter: Lines = tuple(
        ("user", f"Acho que o tempo lá fora continua meio estranho nesta tarde número {number}.")
        for number in range(12)
    )

    text = condense("", decided, max_tokens=100)
    for start in range(0, 12, 4):
        text = condense(text, talk(chatter[start : start + 4], first=2 + start), max_tokens=100)

    assert "Marina por R$ 7.200" in text


def test_a_changed_figure_is_news_and_an_echo_is_not() -> None:
    """The same sentence with another figure or a denial is kept beside the old one; a repetition is not."""
    lines: Lines = (
        ("user", "A meta da margem é 30% este ano."),
        ("assistant", "A meta da margem é 30% este ano."),
        ("user", "A meta da margem é 35% este ano."),
        ("user", "Quero receber o relatório semanal por email."),
        ("user", "Não quero receber o relatório semanal por email."),
    )

    said = condense("", talk(lines), max_tokens=600).splitlines()[1:]

    assert [f"{role}: {text}" for role, text in (lines[0], *lines[2:])] == said


def test_a_short_answer_keeps_its_question() -> None:
    """A bare figure is kept together with what it answers."""
    lines: Lines = (("assistant", "Qual é o valor da dívida no cartão?"), ("user", "4.870."))

    assert "assistant: Qual é o valor da dívida no cartão?\nuser: 4.870." == condense(
        "", talk(lines), max_tokens=99
    )


def test_people_in_a_hurry_end_sentences_too() -> None:
    """Lower case after a full stop begins a sentence; what follows filler is kept without it."""
    lines: Lines = (("user", "blz. a Lavínia aprova as peças. ela odeia roxo"),)

    assert ["user: a Lavínia aprova as peças.", "user: ela odeia roxo"] == condense(
        "", talk(lines), max_tokens=99
    ).splitlines()


def test_talk_of_nothing_leaves_nothing() -> None:
    """A stretch of pure filler has an empty summary, and its title is its beginning."""
    lines: Lines = (("user", "oi"), ("assistant", "Oi! Tudo bem?"), ("user", "ok"), ("user", "valeu"))

    assert "" == condense("", talk(lines), max_tokens=600)
    assert ("oi", "") == (gist(talk(lines), max_tokens=160).title, gist(talk(lines), max_tokens=160).summary)


def test_what_a_model_wrote_is_read_back() -> None:
    """Prose of a model is kept sentence by sentence when the next fold has no model."""
    text = condense("Ana runs Padaria Sol. She wants a margin of 30%.", talk((("user", "ok"),)), max_tokens=600)

    assert ["Ana runs Padaria Sol.", "She wants a margin of 30%."] == text.splitlines()


@given(lines=ANY_LINES, before=st.text(max_size=200), max_tokens=st.integers(20, 600))
def test_any_text_is_condensed_within_the_limit(lines: Lines, before: str, max_tokens: int) -> None:
    """Whatever was said, the summary is deterministic, never longer than allowed, and the title fits a line."""
    messages = talk(lines)

    text = condense(before, messages, max_tokens=max_tokens)
    reply = gist(messages, max_tokens=max_tokens)

    assert text == condense(before, messages, max_tokens=max_tokens)
    assert count_tokens(text) <= max_tokens
    assert count_tokens(reply.summary) <= max_tokens
    assert len(reply.title) <= 80


@given(text=st.text(max_size=2_000))
def test_sentences_are_lines(text: str) -> None:
    """No sentence holds a line break or is longer than a line, so that a summary can be read back."""
    result = list(split_sentences(text))

    assert all(len(item) <= LONGEST_LINE and item.splitlines() == [item] for item in result)


@looped(
    ("text", "expected"),
    [
        ("O Sr. Silva pagou R$ 1.234,56. Depois saiu.", ["O Sr. Silva pagou R$ 1.234,56.", "Depois saiu."]),
        ("I run sales at Acme Inc. in Boston", ["I run sales at Acme Inc. in Boston"]),
        ("Somos a Sol Ltda. de Campinas", ["Somos a Sol Ltda. de Campinas"]),
        ("A Vale S.A. subiu 3%. Vendi.", ["A Vale S.A. subiu 3%.", "Vendi."]),
        ("I left Acme Inc. Now I am free", ["I left Acme Inc.", "Now I am free"]),
        ("A Sra. Lima mora na R. Augusta", ["A Sra. Lima mora na R. Augusta"]),
        ("Fica na Av. Paulista, 900", ["Fica na Av. Paulista, 900"]),
        ("Mr. Lee and Mrs. Lee came. No. They left.", ["Mr. Lee and Mrs. Lee came.", "No.", "They left."]),
        ("Meet at 5 p.m. on Friday", ["Meet at 5 p.m. on Friday"]),
        ("pão, bolo etc. tudo fresco", ["pão, bolo etc. tudo fresco"]),
        ("Plan:\n- one thing\n- two things", ["Plan:", "one thing", "two things"]),
        ("Ótimo!! Vamos? Sim", ["Ótimo!!", "Vamos?", "Sim"]),
        ("Veja https://a.com/x.y?z=1 agora", ["Veja https://a.com/x.y?z=1 agora"]),
        ("... !!! ---", []),
    ],
)
def test_where_a_sentence_ends(text: str, expected: list[str]) -> None:
    """Abbreviations, figures and addresses end no sentence; marks, lines and bullets do."""
    assert expected == list(split_sentences(text))


@given(text=st.text(max_size=400), characters=st.integers(2, 300))
def test_clipping_keeps_to_its_length(text: str, characters: int) -> None:
    """A clipped text is at most so long, and one that fits is left alone."""
    clipped = clip(text, characters)

    assert len(clipped) <= characters
    assert clipped == text or len(text) > characters
