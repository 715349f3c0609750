"""Who is who: from names given, from transcripts, and from how people call each other."""

from __future__ import annotations

from rememora.userindex.listening import ASSISTANT, USER
from rememora.userindex.speakers import Speakers


def test_a_name_given_is_known_at_once_also_by_its_first_part() -> None:
    """`Ana Maria` answers to `ana`."""
    speakers = Speakers()
    code = speakers.heard(0, text="oi", role="user", name="Ana Maria")[0]

    assert speakers.names() == {"ana maria": code, "ana": code}


def test_a_transcript_names_its_speakers_once_they_spoke_several_times() -> None:
    """`Note:` once is a note; `Ana:` three times is Ana, in her earlier rows too."""
    speakers = Speakers()
    speakers.heard(0, text="Note: buy bread", role="user", name=None)
    speakers.heard(1, text="Ana: hello there", role="user", name=None)
    speakers.heard(2, text="Ana: I am back", role="user", name=None)

    assert speakers.names() == {}

    result = speakers.heard(3, text="Ana: bye now", role="user", name=None)

    assert set(result) == {1, 2, 3}
    assert speakers.names() == {"ana": result[3]}


def test_who_is_called_by_name_is_the_other_one() -> None:
    """An assistant that greets Renata speaks to the user."""
    speakers = Speakers()
    speakers.heard(0, text="Bom dia, Renata! Tudo certo?", role="assistant", name=None)
    speakers.heard(1, text="Enviei agora, Renata.", role="assistant", name=None)
    speakers.heard(2, text="Hey Nina!", role="user", name=None)
    speakers.heard(3, text="Thanks, Nina!", role="user", name=None)

    assert speakers.names() == {"renata": USER, "nina": ASSISTANT}


def test_who_called_before_being_known_has_called_all_the_same() -> None:
    """Ana is sure to be one with her third turn; whom she called in the first two is called by her."""
    speakers = Speakers()
    carlos = speakers.heard(0, text="oi", role="user", name="Carlos")[0]
    for row in range(1, 4):
        speakers.heard(row, text="Ana: Oi Bia! Tudo bem?", role="user", name=None)

    assert speakers.names()["bia"] == carlos


def test_who_is_sure_by_too_few_turns_is_so_no_more() -> None:
    """Of three turns two are left: the name is as doubtful as if the third had never been."""
    speakers = Speakers()
    for row in range(3):
        speakers.heard(row, text="Ana: hello there", role="assistant", name=None)

    assert {0: ASSISTANT, 2: ASSISTANT} == speakers.unheard(1)
    assert {} == speakers.names()


def test_an_assistant_with_a_life_of_its_own_is_a_person() -> None:
    """Who says `my` as often as people do is not an echo."""
    helper, person = Speakers(), Speakers()
    for row in range(40):
        helper.heard(row, text="Claro, agendo a reunião e aviso toda a equipe.", role="assistant", name=None)
        person.heard(row, text="I took my dog to the beach with my kids today.", role="assistant", name=None)

    assert helper.assistance() == 1.0
    assert person.assistance() == 0.0


def test_what_is_unheard_is_forgotten() -> None:
    """Names, calls and habits of removed rows are gone."""
    speakers = Speakers()
    rows = [
        ("Ana: my dear Bia, hello", "assistant", None),
        ("Hey Carlos! Hi Carlos! Bye Carlos!", "user", None),
        ("oi", "user", "Davi"),
        *[(f"Eva: my note {number} is my own", "assistant", None) for number in range(60)],
    ]
    for number, (text, role, name) in enumerate(rows):
        speakers.heard(number, text=text, role=role, name=name)
    for number in range(len(rows)):
        speakers.unheard(number)

    assert speakers.names() == {}
    assert speakers.assistance() == 0.0
