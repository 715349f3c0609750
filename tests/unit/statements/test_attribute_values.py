"""The value of a statement's attribute: only where it is sure, and only words that stand there."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.unit.statements.texts import anything

from rememora.domain.memory import MemoryDraft
from rememora.domain.value_span import MarkedSpan, ValueSpan, places, value_of_attribute
from rememora.errors import InvalidInput
from rememora.language.amended import newest
from rememora.reading.labels import ATTRIBUTES
from rememora.statements.amendments import amended
from rememora.statements.attribute_values import LIKELY, SURE, span_behind, span_read_in, sure_span

STATEMENT, SLOT = "user.price_s1a2b3c4", "user.price"
quick = settings(max_examples=80, deadline=None)
spans = st.builds(ValueSpan, st.integers(-3, 90), st.integers(-3, 90))
marks = st.lists(
    st.builds(MarkedSpan, st.integers(-3, 90), st.integers(-3, 90), st.floats(0, 1, allow_nan=False)), max_size=3
)


def marked(text: str, *words: str, sure: float = 0.95) -> list[MarkedSpan]:
    """The marks of a reader on some words, each of which stands in the text once."""
    starts = [(text.index(some), some) for some in words]
    return [MarkedSpan(start, start + len(some), sure) for start, some in starts]


def said(text: str, attribute: str, *words: str, sure: float = 0.95) -> str | None:
    """The value of an attribute that is taken from the marked words of a text."""
    span = sure_span(text, attribute, marked(text, *words, sure=sure))
    return None if span is None else text[span.start : span.end]


class TestForm:
    """The words must have the form of their attribute, whole."""

    @pytest.mark.parametrize(
        ("text", "attribute", "words", "value"),
        [
            ("Pago R$ 2 mil de aluguel", "price", "R$ 2 mil", "R$ 2 mil"),
            ("o italiano está em R$ 58 a lauda", "price", "R$ 58 a", "R$ 58"),
            ("my number lives on as 0412 555 018", "phone", "as 0412 555 018", "0412 555 018"),
            ("meu e-mail é ana@x.example", "email", "mail é ana@x.example", "ana@x.example"),
            ("so my shop opens 10am to 6pm", "hours", "10am to 6pm", "10am to 6pm"),
            ("por vídeo ficou cento e sessenta e cinco", "price", "sessenta e cinco", None),
            ("containers get 3 free days", "price", "free days", None),
            ("tô querendo abrir em breve", "hours", "em breve", None),
            ("minha nora come sem lactose", "relation", "minha", None),
            ("Sério.", "rule", "Sério", None),
        ],
    )
    def test_only_what_has_the_form_of_its_attribute(
        self, text: str, attribute: str, words: str, value: str | None
    ) -> None:
        assert value == said(text, attribute, words)

    def test_of_two_values_none_is_the_value(self) -> None:
        """Neither of two prices; beside words that are no price, the one that is."""
        text = "o pequeno sai R$ 89 e o grande R$ 149"

        assert said(text, "price", "R$ 89", "R$ 149") is None
        assert "R$ 149" == said(text, "price", "pequeno", "R$ 149")

    def test_values_that_touch_are_one(self) -> None:
        assert "80 mil" == said("o orçamento é 80 mil", "budget", "80", "mil")
        assert "£1,400" == said("it's £1,400 now", "price", "£", "1,400")

    def test_a_sign_that_nothing_else_has_needs_less(self) -> None:
        """An amount with its currency is one at a certainty at which a bare figure is not."""
        assert "R$ 58" == said("agora é R$ 58", "price", "R$ 58", sure=LIKELY)
        assert said("agora é 58", "price", "58", sure=LIKELY) is None
        assert "58" == said("agora é 58", "price", "58", sure=SURE)
        assert said("agora é R$ 58", "price", "R$ 58", sure=LIKELY - 0.01) is None

    def test_a_long_text_is_looked_at_around_the_words_alone(self) -> None:
        """Its length costs nothing, and the place is that in the whole text."""
        text = f"{'e mais uma coisa ' * 5_000}custa R$ 89 por mês{', e mais outra' * 5_000}"
        span = sure_span(text, "price", marked(text, "R$ 89"))

        assert ValueSpan(text.index("R$"), text.index("R$") + 5) == span
        assert said("a" * 200 + " 81 99888-1234", "phone", "a" * 200 + " 81 99888-1234") is None


class TestPlaces:
    """No text and no mark makes a value of words that do not stand there."""

    @quick
    @given(anything, st.sampled_from(ATTRIBUTES), marks)
    def test_a_value_is_a_part_of_the_marked_words(
        self, text: str, attribute: str, some: list[MarkedSpan]
    ) -> None:
        span = sure_span(text, attribute, some)

        assert span is None or span.fits(text)
        assert span is None or (
            min(mark.start for mark in some) <= span.start and span.end <= max(mark.end for mark in some)
        )

    @quick
    @given(anything, spans)
    def test_a_statement_shows_words_of_its_own_or_none(self, text: str, span: ValueSpan) -> None:
        words = value_of_attribute(STATEMENT, text, span)

        assert (words is not None) == (0 <= span.start < span.end <= len(text))
        assert words is None or (words == text[span.start : span.end] and words in text)
        assert text == value_of_attribute(SLOT, text, span)

    @quick
    @given(anything, spans)
    def test_a_draft_takes_no_place_outside_of_its_value(self, text: str, span: ValueSpan) -> None:
        assume(text.strip() and "\0" not in text)
        if span.fits(text):
            assert span == MemoryDraft(key=STATEMENT, value=text, attribute_span=span).attribute_span
        else:
            with pytest.raises(InvalidInput, match="attribute_span"):
                MemoryDraft(key=STATEMENT, value=text, attribute_span=span)
        with pytest.raises(InvalidInput, match="attribute_span"):
            MemoryDraft(key=SLOT, value=text, attribute_span=span)

    @quick
    @given(anything, anything.filter(str.strip), st.data())
    def test_the_value_of_an_amended_statement_stands_in_its_newest_change(
        self, first: str, change: str, data: st.DataObject
    ) -> None:
        """Never in what was said before, which no longer holds."""
        start = data.draw(st.integers(0, len(change) - 1))
        span = ValueSpan(start, data.draw(st.integers(start + 1, len(change))))
        text = amended(first, change, date(2026, 4, 2))
        assert text is not None
        place = span_behind(text, change, span)

        assert place is None or place.start >= len(text) - len(newest(text))
        assert place is None or text[place.start : place.end] == change[span.start : span.end]

    def test_the_same_words_before_a_change_are_not_its_value(self) -> None:
        """Said in both, it is the later place; said twice in the change, no place is sure."""
        text = amended("custa R$ 89", "de novo R$ 89", date(2026, 4, 2))
        twice = amended("custa R$ 89", "R$ 89, isso, R$ 89", date(2026, 4, 2))

        assert text is not None
        assert twice is not None
        assert ValueSpan(len(text) - 5, len(text)) == span_behind(text, "de novo R$ 89", ValueSpan(8, 13))
        assert span_behind(twice, "R$ 89, isso, R$ 89", ValueSpan(0, 5)) is None
        assert span_behind(text, "outra coisa R$ 89", ValueSpan(12, 17)) is None

    @quick
    @given(anything, anything)
    def test_words_begin_where_they_are_found(self, text: str, words: str) -> None:
        assert all(text[start:].startswith(words) for start in places(text, words))

    def test_words_inside_of_a_word_do_not_stand_there(self) -> None:
        assert [] == places("a vaga 120", "12")
        assert [7] == places("a vaga 12.", "12")
        assert [0, 6] == places("ana e ana", "ana")


class TestReadAgain:
    """A statement that was put together anew is read as it stands."""

    def test_what_was_said_last_has_the_value(self) -> None:
        text = "O plano básico custa R$ 89 por mês → 2026-04-02: agora o plano básico custa R$ 99 por mês"
        span = span_read_in(text, "price")
        first = span_read_in("O plano básico custa R$ 89 por mês → 2026-04-02: agora com suporte", "price")

        assert span is not None
        assert text[span.start : span.end].startswith("R$ 99")
        assert first is None

    @pytest.mark.parametrize("attribute", [None, "other", "likes"])
    def test_an_attribute_without_form_has_none(self, attribute: str | None) -> None:
        assert span_read_in("O plano básico custa R$ 89 por mês", attribute) is None
