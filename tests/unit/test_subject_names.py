"""A subject has one name: laws of what is dropped from it, and of what never is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.looped import looped

from rememora.domain.memory import MemoryDraft
from rememora.errors import InvalidInput
from rememora.language.subjects import canonical_subject, is_project, same_subject, subject_key

LEADS = (
    *(
        "o",
        "a",
        "do",
        "da",
        "no",
        "na",
        "pelo",
        "sobre",
        "meu",
        "nossa",
        "the",
        "an",
        "of",
        "in",
        "at",
        "my",
        "our",
    ),
    *("Dr.", "Dra.", "dona", "seu", "Mr.", "Mrs", "Prof.", "projeto", "Projeto", "project"),
)
FIRST = ("João", "Ana", "José", "Mary", "Lúcia", "Paul")
REST = ("Pedro", "Paula", "Carlos", "Silva", "Jones", "Müller", "Neto", "Sá")
FORMS = {
    "do projeto Aurora": "Aurora",
    "projeto Aurora": "Aurora",
    "Projeto Aurora": "Aurora",
    "the Orion project": "Orion",
    "Project Orion": "Orion",
    "no Projeto  Aurora,": "Aurora",
    "Dr. Paulo": "Paulo",
    "a dona Lúcia": "Lúcia",
    "seu João": "João",
    "meu pai": "pai",
    "o projeto": "projeto",
    "O Boticário": "O Boticário",
    "João Pedro": "João Pedro",
    "me": "me",
    "company": "company",
}

rests = st.lists(st.sampled_from(REST), max_size=3)
names = st.builds(lambda first, rest: " ".join((first, *rest)), st.sampled_from(FIRST), rests)
led = st.builds(lambda leads, name: " ".join((*leads, name)), st.lists(st.sampled_from(LEADS), max_size=4), names)


@looped("said", FORMS)
def test_what_leads_up_to_a_name_is_no_part_of_it(said: str) -> None:
    """Articles, prepositions, possessives, titles and the noun of a project go; the name keeps its capitals."""
    assert FORMS[said] == canonical_subject(said)


@given(st.one_of(led, st.text(max_size=60)))
def test_a_name_is_made_once(said: str) -> None:
    """Made again it stays what it is, and it is compared as what it was made of."""
    named = canonical_subject(said)

    assert named == canonical_subject(named)
    assert subject_key(said) == subject_key(named) == subject_key(subject_key(said))


@given(led)
def test_case_and_accents_make_no_other_subject(said: str) -> None:
    """Shouted, whispered and without accents it is the same one."""
    assert subject_key(said) == subject_key(said.upper()) == subject_key(said.lower())
    assert same_subject("São João", "sao joao")


@given(names, names, st.lists(st.sampled_from(LEADS), max_size=4))
def test_people_of_one_first_name_stay_apart(one: str, other: str, leads: list[str]) -> None:
    """Two whole names are one subject only where they are the same name; an unknown subject is no other."""
    said = " ".join((*leads, other))

    assert (one == other) is same_subject(one, said)
    assert not same_subject(None, one)
    assert not same_subject("", "")


def test_a_project_is_called_one() -> None:
    """By its own noun or by the words beside it; what only belongs to somebody, and what has no name, is none."""
    assert is_project("do projeto Aurora")
    assert is_project("Aurora", ["No projeto Aurora quem cuida é a Bia"])
    assert is_project("Orion", ["user: the Orion project starts today"])
    assert not is_project("Ana", ["o projeto da Ana atrasou"])
    assert not is_project("o projeto")
    assert not is_project("new", ["the new project"])
    assert not is_project("me", ["project me"])


@pytest.mark.parametrize(
    ("about", "field"),
    [
        ({"subject": ""}, "subject"),
        ({"subject": "…"}, "subject"),
        ({"subject": "x" * 300}, "subject"),
        ({"subject": 7}, "subject"),
        ({"attribute": ""}, "attribute"),
        ({"attribute": "two words"}, "attribute"),
        ({"attribute": "a.b"}, "attribute"),
        ({"attribute": "x" * 300}, "attribute"),
    ],
)
def test_what_names_nothing_is_refused_by_its_field(about: dict[str, object], field: str) -> None:
    """The error names the field."""
    with pytest.raises(InvalidInput, match=field):
        MemoryDraft(key="user.name", value="Ana", **about)  # type: ignore[arg-type]
