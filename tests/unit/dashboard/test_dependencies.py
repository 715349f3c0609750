"""The drawing of what a memory rests on and what rests on it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from tests.clock import MIDDAY

from rememora.dashboard.dependencies import LETTERS, MOST_DRAWN, MOST_LINES, draw, tied
from rememora.dashboard.words import LANGUAGES, Language
from rememora.domain.explanation import Explanation, links_between
from rememora.domain.memory import Memory

SVG = "{http://www.w3.org/2000/svg}"


def memory(id: str, value: str, **about: str) -> Memory:
    """One statement, with what it is tied to."""
    doubted = MIDDAY if "doubted_by" in about else None
    return Memory(
        tenant="t",
        user="ana",
        id=id,
        scope="personal",
        category="identity",
        key=f"user.note_s{id}",
        value=value,
        confidence=1.0,
        status="active",
        source="explicit_user",
        doubted_at=doubted,
        created_at=MIDDAY,
        updated_at=MIDDAY,
        **about,  # type: ignore[arg-type]
    )


def explained(about: Memory, rests_on: list[Memory], dependents: list[Memory]) -> Explanation:
    """An explanation with its links and nothing else."""
    links = [
        *links_between(about, rests_on),
        *(link for dependent in dependents for link in links_between(dependent, [about])),
    ]
    return Explanation(
        memory=about,
        supersedes=None,
        timeline=[],
        rests_on=rests_on,
        dependents=dependents,
        links=links,
        history=[],
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tie_is_a_box_and_an_arrow(language: Language) -> None:
    """Grounds stand above the memory, dependents below it, and each is told in words too."""
    rule, change = memory("r", "Quando chover, fechamos"), memory("c", "Mudei para Olinda")
    this = memory("m", "Fechamos hoje", because="r", doubted_by="c")
    after = memory("d", "A entrega fica para amanhã", follows="m")
    reply = explained(this, [rule, change], [after])
    tree = ElementTree.fromstring(draw(reply, language))
    boxes = [box.attrib["class"] for box in tree.iter(f"{SVG}g")]
    tops = [float(rect.attrib["y"]) for rect in tree.iter(f"{SVG}rect")]
    grounds, dependents = tied(reply, language)

    assert ["box rests_on", "box rests_on", "box this doubted", "box dependent"] == boxes
    assert sorted(tops) == tops
    assert 3 == len([path for path in tree.iter(f"{SVG}path") if path.attrib["class"] == "way"])
    assert ["r", "c"] == [ground.memory.id for ground in grounds]
    assert [("d", "part")] == [(dependent.memory.id, dependent.tie) for dependent in dependents]
    assert 3 == len({item.told for item in (*grounds, *dependents)})


def test_nothing_is_drawn_where_nothing_is_tied() -> None:
    """A memory that stands alone has no drawing."""
    assert "" == draw(explained(memory("m", "Moro em Recife"), [], []), "pt")


def test_words_of_people_stay_words() -> None:
    """What somebody wrote is text in the drawing, whatever it looks like."""
    this = memory("m", "<script>alert(1)</script>", because="r")
    drawn = draw(explained(this, [memory("r", "</text><a href='javascript:x'>")], []), "en")

    assert ["box rests_on", "box this"] == [
        box.attrib["class"] for box in ElementTree.fromstring(drawn).iter(f"{SVG}g")
    ]
    assert "<script" not in drawn
    assert "<a " not in drawn


def test_a_long_sentence_is_cut_and_many_boxes_are_left_out() -> None:
    """A box has few lines and a side few boxes; the title has the whole sentence, the list every memory."""
    this = memory("m", "palavra " * 60)
    many = [memory(f"d{number}", "depende", doubted_by="m") for number in range(MOST_DRAWN + 3)]
    reply = explained(this, [], many)
    drawn = str(draw(reply, "pt"))
    lines = re.findall(r'font-size="13"[^>]*>([^<]*)</text>', drawn)

    assert 1 + MOST_DRAWN == drawn.count("<rect")
    assert MOST_LINES == len([line for line in lines if "alavra" in line])
    assert max(map(len, lines)) <= LETTERS
    assert lines[MOST_LINES - 1].endswith("…")
    assert MOST_DRAWN + 3 == len(tied(reply, "pt")[1])
