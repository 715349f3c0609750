"""The text kit: what is one word, what is one stem, which language, how long."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.looped import looped

from rememora.language import content_words, count_tokens, detect, fold, language_of_text, split, stem, tokens


@looped(
    ("one", "other", "language"),
    [
        ("café", "cafés", "pt"),
        ("reunião", "reuniões", "pt"),
        ("reunião", "reuniao", "pt"),
        ("reuniões", "reunioes", "pt"),
        ("pão", "pães", "pt"),
        ("mão", "mãos", "pt"),
        ("animal", "animais", "pt"),
        ("difícil", "difíceis", "pt"),
        ("papel", "papéis", "pt"),
        ("viagem", "viagens", "pt"),
        ("luz", "luzes", "pt"),
        ("mês", "meses", "pt"),
        ("gravação", "gravar", "pt"),
        ("contratação", "contratou", "pt"),
        ("pagamentos", "paguei", "pt"),
        ("fornecedores", "fornece", "pt"),
        ("coloquei", "colocou", "pt"),
        ("entrou", "entrar", "pt"),
        ("abriu", "abrem", "pt"),
        ("prefiro", "preferência", "pt"),
        ("trouxe", "trazer", "pt"),
        ("viu", "vejo", "pt"),
        ("usei", "usa", "pt"),
        ("odeio", "odiar", "pt"),
        ("casamento", "casamentos", "pt"),
        ("possível", "possiveis", "pt"),
        ("café", "cafés", "en"),
        ("camping", "camped", "en"),
        ("stories", "story", "en"),
        ("bought", "buy", "en"),
        ("went", "going", "en"),
        ("spent", "spending", "en"),
    ],
)
def test_forms_of_one_word_meet_in_one_stem(one: str, other: str, language: str) -> None:
    """Plural, accent and inflection do not keep a word from being found."""
    assert stem(one, language) == stem(other, language)


@pytest.mark.parametrize(
    ("one", "other"),
    [("casamento", "casa"), ("virou", "veio"), ("ano", "Ana"), ("cimento", "cima"), ("parque", "parca")],
)
def test_words_that_only_look_alike_stay_apart(one: str, other: str) -> None:
    """What is cut off ends before two words become one."""
    assert stem(one, "pt") != stem(other, "pt")


@pytest.mark.parametrize(("one", "other"), [("casa", "caso"), ("pais", "pai"), ("conta", "conto")])
def test_folding_keeps_case_and_accents_out_of_it(one: str, other: str) -> None:
    """Upper case is the same word; another word is another word."""
    assert fold(one.upper()) == fold(one)
    assert fold(one) != fold(other)


@looped(
    ("text", "expected"),
    [
        ("R$ 4.500,00", ["r$", "4500"]),
        ("$4,500", ["4500"]),
        ("4500", ["4500"]),
        ("11,40", ["11.40", "11.4"]),
        ("11.40", ["11.40"]),
        ("10/04/2026", ["10/04/2026", "10", "04", "2026"]),
        ("14h30", ["14h30", "14", "30"]),
        ("ana.b@acme.com.br", ["ana.b@acme.com.br", "ana", "b", "acme", "com", "br"]),
        ("Coca-Cola", ["coca-cola", "coca", "cola"]),
        ("Melanie's", ["melanie"]),
        ("Melanie’s", ["melanie"]),
        ("GPT4o", ["gpt4o"]),
        ("🎉 yes", ["🎉", "yes"]),
        ("猫が", ["猫", "か", "猫か"]),
        ("", []),
        ("!?", []),
    ],
)
def test_figures_names_and_signs_are_split_as_people_mean_them(text: str, expected: list[str]) -> None:
    """Money in two spellings is one figure; a date, an address, a compound name stays whole and has parts."""
    assert expected == list(split(text))


@looped("short", ["vc", "pq", "tbm", "q", "ta", "vem", "veio"])
def test_informal_filler_is_filler(short: str) -> None:
    """`vc` carries as little as `você`."""
    assert content_words([short], "pt") == []


def test_informal_spelling_finds_the_full_word() -> None:
    """`msg` and `mensagem` are one word."""
    assert tokens("manda msg amanhã", "pt") == tokens("manda mensagem amanha", "pt")
    assert set(tokens("os emails da dra", "pt")) <= set(tokens("o e-mail da doutora", "pt"))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Onde foi a reunião com a Ana?", "pt"),
        ("vc viu q ele nao veio", "pt"),
        ("When did Caroline go to the support group?", "en"),
        ("thanks, see you tomorrow", "en"),
        ("O cliente quer a campaign no Instagram", "pt"),
    ],
)
def test_language_shows_in_the_small_words(text: str, language: str) -> None:
    """A text says in which language it is, also with a foreign word in it."""
    assert language == detect(text, "en" if language == "pt" else "pt")


@looped(
    ("text", "expected"),
    [
        ("Sarah's dog Biscuit", "en"),
        ("Dana’s invoice", "en"),
        ("Fui ao Bob's hoje com ela", "pt"),
        ("almoço no Bob's amanhã", "pt"),
        ("comprei no McDonald's", None),
        ("Dana's", None),
        ("copo d'agua", None),
    ],
)
def test_whose_thing_it_is_says_english(text: str, expected: str | None) -> None:
    """Only where nothing says otherwise, and only with the thing behind it: Portuguese knows such names too."""
    assert expected == language_of_text(text)


@pytest.mark.parametrize("locale", ["pt", "en"])
@pytest.mark.parametrize("text", ["", "ok", "42", "R$ 12", "Paris"])
def test_a_text_that_does_not_say_is_in_the_locale(text: str, locale: str) -> None:
    """No guess is made from nothing."""
    expected = "pt" if text == "ok" and locale == "pt" else locale

    assert expected == detect(text, locale)


@settings(deadline=None)  # the first example loads the stemmer
@given(st.text(max_size=300))
def test_any_text_has_tokens_and_a_size(text: str) -> None:
    """Nothing that can be written breaks the kit, and tokens are folded words."""
    result = tokens(text)

    assert all(token and token == token.lower() for token in result)
    assert count_tokens(text) >= (1 if any(char.isalpha() for char in text) else 0)


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_longer_text_is_not_smaller(one: str, other: str) -> None:
    """Adding a paragraph never makes the estimate shrink by more than its rounding."""
    assert count_tokens(f"{one}\n\n{other}", "pt") >= count_tokens(one, "pt") - 1


@pytest.mark.parametrize(
    ("text", "real"),
    [
        ("The quick brown fox jumps over the lazy dog, and then it sleeps until the morning.", 18),
        ("A reunião com o cliente foi ótima e o orçamento de doze mil reais foi aprovado na hora.", 22),
    ],
)
def test_the_estimate_is_near_a_real_tokenizer(text: str, real: int) -> None:
    """Within a fifth of o200k on one sentence."""
    assert abs(count_tokens(text) - real) <= real / 5


def test_the_kit_is_cheap_to_import() -> None:
    """It brings neither numpy nor the stemmer along."""
    heavy = "{'numpy', 'snowballstemmer', 'Stemmer'}"
    script = f"import sys, rememora.language; print(sorted({heavy} & set(sys.modules)))"
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert process.stdout.strip() == "[]"
