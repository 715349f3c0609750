"""Words and figures as they are compared: forms of one word meet, other words do not, a figure is one thing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.looped import looped

from rememora.caches import forget_people
from rememora.language import fold, forms, language_of_text, split, stem, tokens
from rememora.language.words import _known_words

PORTUGUESE = """
lei leis, rei reis, boi bois, pai pais, país países, herói heróis, lençol lençóis, troféu troféus, chapéu chapéus,
museu museus, céu céus, degrau degraus, irmã irmãs, maçã maçãs, mão mãos, mãe mães, pão pães, cão cães,
cidadão cidadãos, pé pés, chá chás, café cafés, sofá sofás, robô robôs, tatu tatus, menu menus, ano anos, rio rios,
tia tias, voo voos, azul azuis, barril barris, perfil perfis,
fácil fáceis, réptil répteis, anel anéis, farol faróis,
sol sóis, jornal jornais, real reais, freguês fregueses, inglês ingleses, mês meses, gás gases, voz vozes,
cor cores,
líder líderes, deus deuses, fase fases, táxi táxis, abacaxi abacaxis, jovem jovens, viagem viagens, som sons,
bênção bênçãos, post posts, lead leads
"""
ENGLISH = """
city cities, child children, man men, woman women, person people, foot feet, tooth teeth, mouse mice, wife wives,
knife knives, shelf shelves, box boxes, bus buses, hero heroes, company companies, analysis analyses, crisis crises
"""
NEVER_PT = """
país pai, países pais, mês mesa, meses mesas, reis real, rei real, lei ler, chapa chapéu, chapas chapéus, pés peso,
mãe mão, mães mãos, caos cão, seis sei, dois doer, gás gasto, sol som, sóis sou, azul azar, museu musa, deus deu,
Mateus mato, voz vez, farol fara, mal mau, mel mês, irmã irritar, anel ano, rio riso, céu cem,
ramos rir, próximos prosa, mínimos mina, dízimos dizer, primos cumprimos, empréstimos emprestamos, termos ter
"""
WE = """
fechamos fechar, moramos morar, combinamos combinar, compramos comprar, falamos falar, marcamos marcar,
pagamos pagar, gastamos gastar, jantamos jantar, viajamos viajar, contratamos contratar, usamos usar, alugamos
alugar, mudamos mudar, reservamos reservar, assinamos assinar, lançamos lançar, gostamos gostar, almoçamos
almoçar, entregamos entregar, chegamos chegar, levamos levar, gravamos gravar, enviamos enviar, negociamos
negociar, criamos criar, avaliamos avaliar, encontramos encontrar, entramos entrar, paramos parar, chamamos
chamar, variamos variar, vendemos vender, escolhemos escolher, comemos comer, bebemos beber, recebemos
receber, perdemos perder, conhecemos conhecer, escrevemos escrever, vivemos viver, resolvemos resolver,
trouxemos trazer, dissemos dizer, vimos ver, decidimos decidir, abrimos abrir, preferimos preferir, assistimos
assistir, dormimos dormir, saímos sair, subimos subir, sentimos sentir, pedimos pedir, ouvimos ouvir,
construímos construir, conseguimos conseguir, definimos definir, reunimos reunir, unimos unir, cumprimos
cumprir, investimos investir, resumimos resumir, produzimos produzir, banimos banir, ressarcimos ressarcir,
fechávamos fechar, lavávamos lavar, entrávamos entrar, compraríamos comprar, venderíamos vender, viajássemos
viajar, viajarmos viajar, vendermos vender, abriremos abrir
"""
IN_MOS = """
ramo, primo, extremo, último, penúltimo, próximo, mínimo, máximo, ótimo, íntimo, ínfimo, legítimo, ilegítimo,
marítimo, sinônimo, anônimo, pseudônimo, antônimo, Jerônimo, ânimo, desânimo, enésimo, centésimo, vigésimo,
altíssimo, caríssimo, celebérrimo, supremo, remo, memo, reclamo, bálsamo, hipopótamo, dínamo, mimo, péssimo,
décimo, sétimo, empréstimo, acréscimo, decréscimo, dízimo, crisântemo, polígamo, termo, enfermo, turismo,
átomo, mordomo, resumo, insumo, algoritmo
"""
NEVER_EN = "care car, man manage, men menu, wife wine, mice micro, foot food, bus business"


def _pairs(words: str) -> list[tuple[str, str]]:
    return [(one, other) for one, other in (pair.split() for pair in words.split(","))]


@looped(("one", "other"), _pairs(PORTUGUESE))
def test_singular_and_plural_meet_in_portuguese(one: str, other: str) -> None:
    """Whoever asks for one finds many, and the other way about, in any case of letters."""
    assert tokens(one, "pt") == tokens(other, "pt") == tokens(other.upper(), "pt")


@looped(("said", "verb"), _pairs(WE))
def test_what_we_did_is_found_by_the_verb(said: str, verb: str) -> None:
    """`Fechamos` ends like a plural and is none, with its accents or without them."""
    assert stem(verb, "pt") == stem(said, "pt") == stem(fold(said), "pt")


@looped("noun", IN_MOS.replace(",", " ").split())
def test_nouns_that_end_as_what_we_did_have_a_plural(noun: str) -> None:
    """`Primos` is the plural of `primo`, and no verb."""
    assert stem(noun, "pt") == stem(noun + "s", "pt")


@looped(("one", "other"), _pairs(ENGLISH))
def test_singular_and_plural_meet_in_english(one: str, other: str) -> None:
    """Also where no ending makes the plural."""
    assert stem(one, "en") == stem(other, "en")


@looped(
    ("one", "other", "language"),
    [(*pair, "pt") for pair in _pairs(NEVER_PT)] + [(*pair, "en") for pair in _pairs(NEVER_EN)],
)
def test_words_that_only_look_alike_do_not_meet(one: str, other: str, language: str) -> None:
    """A rule for plurals does not reach into other words."""
    assert stem(one, language) != stem(other, language)


@looped("word", ["city", "budget", "supplier", "suppliers", "parties", "posts", "Kelly"])
def test_a_word_at_home_in_one_language_has_one_stem_in_every_text(word: str) -> None:
    """`Suppliers` is English in a Portuguese sentence too, and is found by a question in either language."""
    assert stem(word, "pt") == stem(word, "en")


@looped(
    ("text", "expected"),
    [
        ("10k", ["10000", "10k"]),
        ("5kg", ["5kg"]),
        ("5 kg", ["5kg"]),
        ("(5 KG)", ["5kg"]),
        ("1,5 kg", ["1.5kg"]),
        ("1.500kg", ["1500kg"]),
        ("½ kg", ["1⁄2kg"]),
        ("R$ 1.500,00", ["r$", "1500"]),
        ("US$ 300", ["us$", "300"]),
        ("R$10k", ["r$", "10000", "10k"]),
        ("3x", ["3x"]),
        ("20%", ["20%"]),
        ("20 por cento", ["20%"]),
        ("20 percent", ["20%"]),
        ("14h30", ["14h30", "14", "30"]),
        ("10:30pm", ["10:30pm", "10", "30"]),
        ("3 pm", ["3pm"]),
        ("100h", ["100h"]),
        ("v2.1", ["v2.1", "2.1"]),
        ("python3.12", ["python3.12"]),
        ("10:30", ["10:30", "10", "30"]),
        ("20/10", ["20/10", "20", "10"]),
        ("uns mil", ["uns", "mil"]),
        ("10-15 mil", ["10", "15000"]),
        ("½ milhão", ["1⁄2", "milhao"]),
        ("1990s", ["1990s"]),
        ("5 maçãs", ["5", "macas"]),
        ("15 m/s", ["15", "m", "s"]),
    ],
)
def test_a_figure_is_whole_with_its_unit(text: str, expected: list[str]) -> None:
    """With a space before the unit or without one it is the same figure."""
    assert expected == list(split(text))


@looped(
    ("one", "other"),
    [
        ("4,5 mil", "R$ 4.500,00"),
        ("4,5k", "4500"),
        ("R$ 4,5k", "4,5 mil reais"),
        ("12,5 mil", "12500"),
        ("0,5 mil", "500"),
        ("1,2 milhão", "1.200.000"),
        ("2 milhões", "2000000"),
        ("2,5 mi", "2,5 milhões"),
        ("3 bilhões", "3bi"),
        ("100mil", "100 mil"),
        ("100k", "100 mil"),
        ("1.5 million", "1,500,000"),
        ("3 thousand", "3000"),
        ("129,9", "129,90"),
        ("129,90", "129.90"),
        ("R$ 129.90", "129,9"),
        ("129.90 reais", "129,9"),
        ("$1.50", "1,5"),
        ("1,50 kg", "1.5kg"),
        ("4.500,50", "4500,5"),
        ("4.500,5", "4,500.50"),
        ("50reais", "R$ 50"),
        ("10k", "10 k"),
    ],
)
def test_spellings_of_one_figure_meet(one: str, other: str) -> None:
    """Scaled by a word or written out, with the last zero of its cents or without it."""
    assert any(item[0].isdigit() for item in set(split(one)) & set(split(other)))


@looped(
    ("one", "other"),
    [
        ("python 3.10", "python 3.1"),
        ("v2.10", "v2.1"),
        ("4,5 mil", "4,5"),
        ("3 mil", "3"),
        ("3 mil", "mil reais"),
        ("1,2 milhão", "1,2 mil"),
        ("10,05", "10,5"),
        ("100", "10"),
        ("R$ 100", "R$ 10"),
        ("15 mil-folhas", "15 mil"),
    ],
)
def test_other_figures_do_not_meet(one: str, other: str) -> None:
    """A version is no price, and what is scaled is not what it is scaled from."""
    assert not [part for part in split(one) if any(map(str.isdigit, part)) and part in split(other)]


@looped(
    ("sign", "word", "language"),
    [
        ("R$", "reais", "pt"),
        ("r$", "real", "pt"),
        ("R$", "reais", "en"),
        ("US$", "dólares", "pt"),
        ("U$", "dólar", "pt"),
        ("US$", "dollars", "en"),
        ("€", "euros", "pt"),
        ("€", "euro", "en"),
    ],
)
def test_money_is_one_word_by_its_sign_and_by_its_name(sign: str, word: str, language: str) -> None:
    """`12500 reais` asks for `R$ 12.500` no less than any other amount of them does."""
    assert set(tokens(f"{sign} 50", language)) == set(tokens(f"50 {word}", language))
    assert ["50"] == tokens("$50", language)


@looped(
    ("text", "expected"),
    [
        ("C++", ["c++"]),
        ("C#?", ["c#"]),
        ("c++17", ["c++", "17"]),
        ("notepad++", ["notepad++", "notepad"]),
        ("pedido#4821", ["pedido", "4821"]),
        ("#promo", ["promo"]),
        ("321.654.987-00", ["32165498700"]),
        ("12.345.678/0001-90", ["12345678000190", "0001"]),
        ("12.345.678-X", ["12345678x"]),
        ("01310-100", ["01310100", "01310"]),
        ("98123-4477", ["981234477", "98123", "4477"]),
        ("(11) 98123-4477", ["11", "981234477", "98123", "4477"]),
        ("555-123-4567", ["5551234567", "4567"]),
        ("11981234477", ["11981234477", "981234477"]),
        ("+5511981234477", ["5511981234477", "981234477"]),
        ("2020-2024", ["2020", "2024"]),
        ("2026-05-14", ["2026-05-14", "2026", "05", "14"]),
        ("10-15", ["10-15", "10", "15"]),
        ("R2-D2", ["r2-d2", "r2", "d2"]),
        ("São Paulo", ["sao-paulo", "sao", "paulo"]),
        ("(são paulo)", ["sao-paulo", "sao", "paulo"]),
        ("São Paulo/SP", ["sao-paulo", "sao", "paulo", "sp"]),
        ("São Paulo-SP", ["sao-paulo", "sao", "paulo", "sp"]),
        ("São Paulo's", ["sao-paulo", "sao", "paulo"]),
        ("São Carlos", ["sao-carlos", "sao", "carlos"]),
        ("Santa Rita", ["santa-rita", "santa", "rita"]),
        ("San Diego", ["san-diego", "san", "diego"]),
        ("são caros", ["sao", "caros"]),
        ("são coca-cola", ["sao", "coca-cola", "coca", "cola"]),
        ("são ana@x.com", ["sao", "ana@x.com", "ana", "x", "com"]),
        ("são ana-b@x.com", ["sao", "ana-b@x.com", "ana", "b", "x", "com"]),
        ("são node.js", ["sao", "node.js", "node", "js"]),
        ("são muito", ["sao", "muito"]),
        ("são 3", ["sao", "3"]),
        ("santo de casa", ["santo", "de", "casa"]),
    ],
)
def test_a_name_and_a_number_that_names_are_whole(text: str, expected: list[str]) -> None:
    """Two languages are not one letter, a city is not its saint, and a document is found as it is typed."""
    assert expected == list(split(text))


@settings(deadline=None)
@given(
    number=st.from_regex(r"[1-9][0-9]{0,8}([.,][0-9]{1,2})?", fullmatch=True),
    tail=st.sampled_from(["", "%", "kg", "x", "h", "reais", "º", "GB", "a1"]),
    surrounding=st.sampled_from(["{}", "custa {}.", "({})", "R${}", "it was {}, yes", "{}!"]),
)
def test_a_number_is_never_split(number: str, tail: str, surrounding: str) -> None:
    """No token is a piece of a number: of `25kg` nothing is `5kg`. Only the last zeros of decimals may go."""
    whole = set(re.findall(r"\d+", number + tail)) | {number.replace(",", ".").partition(".")[2].rstrip("0")}
    runs = [run for token in tokens(surrounding.format(number + tail)) for run in re.findall(r"\d+", token)]

    assert runs
    assert set(runs) <= whole


@settings(deadline=None)
@given(st.text(max_size=200), st.sampled_from(["pt", "en", None]))
def test_tokens_are_words_and_always_the_same(text: str, language: str | None) -> None:
    """No token is empty or has a space in it, and the same text has the same tokens again."""
    result = tokens(text, language)

    assert all(token and not re.search(r"\s", token) for token in result)
    assert result == tokens(text, language)


def test_a_text_that_does_not_say_has_the_stems_of_both_languages() -> None:
    """It is found by a question in either language; a text that says so has the stems of its own."""
    assert language_of_text("Games") is None
    assert list(forms("games")) == tokens("Games")
    assert {stem("game", "pt"), stem("game", "en")} == set(tokens("Games"))
    assert [stem("game", "en")] == tokens("the games")


def test_filler_of_either_language_is_no_word_where_the_text_does_not_say() -> None:
    """A text with as much of one as of the other has neither `que` nor `the` among its words."""
    assert language_of_text("que the") is None
    assert tokens("que the") == []


def test_informal_spellings_of_words_with_meaning_find_them() -> None:
    """`Blz` is `beleza`, and a beauty salon is found by it."""
    assert tokens("blz", "pt") == tokens("beleza", "pt") != []
    assert tokens("msgs", "pt") == tokens("mensagem", "pt") != []


def test_only_what_may_be_a_word_is_remembered() -> None:
    """A piece longer than any token is taken apart each time: a paste of a megabyte does not stay."""
    forget_people()
    words = [[*split(piece)] for piece in ("padaria", "y" * 10_000)]

    assert [["padaria"], []] == words
    assert 1 == _known_words.cache_info().currsize


@pytest.mark.parametrize("text", ["." * 400_000, "-" * 400_000, "a-" * 200_000])
def test_a_line_of_marks_is_read_once(text: str) -> None:
    """Looked for from each mark on, an address would take hours: a test that takes minutes has failed."""
    assert [] == tokens(text, "pt")
