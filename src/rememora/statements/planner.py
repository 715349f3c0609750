"""Plans the effects of a new statement on known ones: pure, from words to effects.

In doubt both stay: a statement goes only where the comparison is certain enough for the way it was said. An
explicit change or correction needs less evidence than a mere statement.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, Literal

import msgspec
import numpy as np

from rememora.language.subjects import NO_NAME, same_subject
from rememora.reading.labels import CONSEQUENCE
from rememora.reading.one_thread import one_thread
from rememora.reading.results import MessageReading
from rememora.reading.tokens import Floats
from rememora.statements.amendments import covers
from rememora.statements.comparison import LINKS, compared_words, load_comparison
from rememora.statements.links import (
    ComparedStatement,
    denies_other,
    doubt_features,
    features,
    load_links,
    meaning_features,
    rule_features,
    shared_names,
    tells_parting,
)
from rememora.statements.meaning import Meaning, nearness
from rememora.statements.touching import CANDIDATES, touch_chances

CHANGED: Final = 0.4
"""Chance of being touched from which a change or a correction amends or replaces a known statement."""
LIKELY: Final = 0.3
"""The same where it is at least twice as likely as every other."""
FOLLOWS: Final = 0.15
"""The same for the consequence of a rule, which is meant to change something."""
NEAR: Final = 0.15
"""Least nearness of a consequence to what it changes, where meaning is compared."""
NEWEST: Final = 24
"""Statements with one of its words that are compared, the newest."""
NEARER: Final = 0.1
"""Lead that it must have over the next statement with one of its words."""
TOLD: Final = 0.85
"""The same for a plain statement."""
FORGOTTEN: Final = 0.5
"""The same for a wish to forget."""
POSSIBLE: Final = 0.2
"""Chance from which a statement is offered as a choice where none is sure."""
NEWEST_WISHED: Final = 8
"""Newest statements that a wish to forget is compared with beside the likeliest: it may share no word."""
CLEAR_LEAD: Final = 2.0
"""How many times likelier than the next statement the one must be that a message surely means."""
OFFERED: Final = 0.1
"""Chance from which a statement is offered as a choice where a wish describes what it means."""
AN_ITEM: Final = 0.5
"""Chance from which a wish to forget that means a list means one thing of it."""
SURELY_AN_ITEM: Final = 0.9
"""Chance from which the likeliest thing of the list is taken, however little it stands out.

A told secret reads like a list, clause by clause: "a Tainá, da sala 6, copiou meu molde e vendeu".
"""
ALIKE: Final = 0.35
"""Closeness of two directions, or chance of an attribute, from which two statements have something in common."""
MOST_TOUCHED: Final = 3


FIRES: Final = 0.3
"""Chance from which a message is taken to make the condition of a rule true."""
COVERED: Final = 0.05
"""The same where a sentence says most words of the condition, neither denies it nor surely ends it."""
SURELY_ENDS: Final = 0.7
"""Chance of ending a condition from which its words said again prove nothing: "voltou da licença" has 0.73."""
_MOST_WORDS: Final = 0.6
_WORDS_COVERED: Final = 2
ENDS: Final = 0.3
"""Chance from which a message is taken to end a condition that is true."""
DOUBTED: Final = 0.2
"""Chance from which a statement is taken to rest on what changed: it stays, marked."""
SLIGHT: Final = 0.05
"""The same beside words that tell that somebody left or that something ended."""
_HAPPENED: Final = 0.5


EffectKind = Literal["replace", "amend", "correct"]


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """Effect on one known statement: it is replaced, amended by the new one, or put right where it was wrong."""

    place: int
    kind: EffectKind
    chance: float


@one_thread()
def plan(
    spoken: MessageReading,
    statement: ComparedStatement,
    known: Sequence[ComparedStatement],
    *,
    act: str,
    meaning: Meaning | None = None,
) -> list[Effect]:
    """Return the effects of a statement on the known ones, ordered newest last; the most certain effect first."""
    if not known:
        return []
    if act == CONSEQUENCE and meaning is not None:
        return _followed(statement, known, meaning)
    chances = touch_chances(spoken, statement, known, meaning)
    least = TOLD if act == "tell" else CHANGED
    order = sorted(range(len(known)), key=lambda at: -chances[at, 0])
    touched = [at for at in order if chances[at, 0] >= least]
    likely = FOLLOWS if act == CONSEQUENCE else LIKELY
    if not touched and act != "tell" and _stands_out([float(chances[at, 0]) for at in order[:2]], likely):
        touched = order[:1]
    touched = [at for at in touched if not _same(statement, known[at])]
    if act == "tell":
        touched = [at for at in touched if not _of_others(statement, known[at])]
    if meaning is None or compared_words(statement.text) is None:
        # Without an encoder a word in common is required; with one, "tô de HB20" is seen beside "alugo um Onix".
        touched = [at for at in touched if _shares(spoken, statement, known[at])]
    if touched:
        resting = _doubts(spoken, statement, known)
        touched = [at for at in touched if chances[at, 0] >= resting[at]]
    return [_effect(statement, known[at], at, float(chances[at, 0]), act) for at in touched[:MOST_TOUCHED]]


def _doubts(spoken: MessageReading, statement: ComparedStatement, known: Sequence[ComparedStatement]) -> Floats:
    """Chances that each known statement rests on what is said: who is likelier to rest on it is not replaced.

    "A Jussara foi embora" does not end "guardo minhas ferramentas no depósito da Jussara": it makes it doubtful.
    """
    links, rows = load_links(), features(spoken, statement, known)
    chances: Floats = links.chances(doubt_features(rows, known, links.chances(rows)[:, 0]), "doubt")[:, 0]
    return chances


def _followed(statement: ComparedStatement, known: Sequence[ComparedStatement], meaning: Meaning) -> list[Effect]:
    """Effect of a rule's consequence, which is meant to change something: the nearest statement with a word of it.

    A consequence is worded as a plain statement and gives no sign of a change. The network waits for one and finds
    the right statement for 9 of the 18 rules of two evaluation sets; this finds 16.
    """
    sharing = [
        at
        for at, compared_statement in enumerate(known)
        if statement.stems & compared_statement.stems and not _same(statement, compared_statement)
    ][-NEWEST:]
    if not sharing:
        return []
    near, _ = nearness(meaning, statement.text, [known[at].text for at in sharing])
    order = sorted(range(len(sharing)), key=lambda at: -near[at])
    best = float(near[order[0]])
    if best < NEAR or (len(order) > 1 and best - float(near[order[1]]) < NEARER):
        return []
    place = sharing[order[0]]
    return [_effect(statement, known[place], place, best, CONSEQUENCE)]


def _stands_out(best: Sequence[float], likely: float = LIKELY) -> bool:
    """Return whether a change can only concern one known thing: likely, and nothing else near it."""
    return best[0] >= likely and _leads(best)


def _leads(best: Sequence[float]) -> bool:
    """Return whether the likeliest is clearly likelier than the next."""
    return len(best) == 1 or best[0] >= CLEAR_LEAD * best[1]


def _shares(spoken: MessageReading, statement: ComparedStatement, other: ComparedStatement) -> bool:
    """Return whether a request shares anything with a statement: a word, figure, direction or attribute."""
    return bool(
        statement.stems & other.stems
        or statement.figures & other.figures
        or float(statement.vector @ other.vector) >= ALIKE
        or (other.attribute != "other" and spoken.attribute_chance(other.attribute) >= ALIKE)
    )


def _same(statement: ComparedStatement, other: ComparedStatement) -> bool:
    """Return whether two statements say the same: every word and figure of the one is in the other."""
    return statement.stems == other.stems and statement.figures == other.figures


def _of_others(statement: ComparedStatement, other: ComparedStatement) -> bool:
    """Return whether two statements are about different ones by name: Paulo's telephone says nothing of Ana's."""
    subjects = {statement.subject, other.subject}
    return subjects.isdisjoint(NO_NAME) and not same_subject(statement.subject, other.subject)


def _effect(
    statement: ComparedStatement, other: ComparedStatement, place: int, touched: float, act: str
) -> Effect:
    """Replace a statement of which the new one says everything anew; else the new one stands behind it."""
    kind: EffectKind = "correct" if act == "correct" else "amend"
    return Effect(place=place, kind="replace" if covers(statement.text, other.text) else kind, chance=touched)


class MeantStatements(msgspec.Struct, frozen=True):
    """The known statements that a wish to forget means for sure, those it may mean, and those it means in part."""

    sure: tuple[int, ...] = ()
    possible: tuple[int, ...] = ()
    in_part: frozenset[int] = frozenset()
    surely_in_part: frozenset[int] = frozenset()
    """Those of which only one thing is meant, beyond doubt."""


@one_thread()
def meant(
    spoken: MessageReading,
    statement: ComparedStatement,
    known: Sequence[ComparedStatement],
    meaning: Meaning | None = None,
    *,
    described: bool = False,
) -> MeantStatements:
    """Find the known statements that a wish to forget means; the surest first.

    Where all that may be meant is among `known`, a statement can be meant by its description alone (`described`).
    """
    if not known:
        return MeantStatements()
    described = described and meaning is not None and compared_words(statement.text) is not None
    chances = touch_chances(spoken, statement, known, meaning, NEWEST_WISHED if described else 0)
    order = sorted(range(len(known)), key=lambda at: -chances[at, 0])
    best = [float(chances[at, 0]) for at in order[:2]]
    if described:
        sure = order[:1] if best[0] >= FORGOTTEN and _leads(best) else []
    else:
        sure = [at for at in order if chances[at, 0] >= FORGOTTEN and _shares(spoken, statement, known[at])]
        if not sure and _stands_out(best) and _shares(spoken, statement, known[order[0]]):
            sure = order[:1]
    possible = [at for at in order if chances[at, 0] >= (OFFERED if described else POSSIBLE)]
    twins = [at for at in order if any(_as_well_described(statement, known[at], known[other]) for other in sure)]
    return MeantStatements(
        tuple(dict.fromkeys((*sure, *twins))),
        tuple(possible),
        frozenset(at for at in order if chances[at, 1] >= AN_ITEM),
        frozenset(at for at in order if chances[at, 1] >= SURELY_AN_ITEM),
    )


def _as_well_described(statement: ComparedStatement, one: ComparedStatement, other: ComparedStatement) -> bool:
    """Return whether a wish says as much of one statement as of another: of two deadlines it means either."""
    shared = statement.words_said & one.words_said
    alike = one.attribute == other.attribute != "other" and bool(shared)
    return alike and shared == statement.words_said & other.words_said


@one_thread()
def fired(
    spoken: MessageReading,
    statement: ComparedStatement,
    conditions: Sequence[ComparedStatement],
    active: Collection[int] = (),
    meaning: Meaning | None = None,
    sentences: Sequence[tuple[MessageReading, ComparedStatement]] = (),
) -> tuple[list[int], list[int]]:
    """Find the conditions that a message makes true, and those it ends; questions and fiction make none true.

    `active` are the places of those that are true already: they cannot come true, and only they can end. One of
    the `sentences` of a long message may make a condition true that the whole says too little of.
    """
    if not conditions or spoken.chance("tell", "change", "correct", "passing") < _HAPPENED:
        return [], []
    # One by one: whether a rule comes true has nothing to do with the others that were told.
    chances = np.concatenate([_rule_chances(spoken, statement, condition, meaning) for condition in conditions])
    true, ended = [], []
    for at in sorted(range(len(conditions)), key=lambda at: -chances[at, 0]):
        comes, goes = chances[at]
        if at in active:
            ended += [at] if goes > comes and goes >= ENDS else []
        elif (comes >= FIRES and _shares(spoken, statement, conditions[at])) or any(
            _makes_true(*sentence, conditions[at], meaning) for sentence in sentences or ((spoken, statement),)
        ):
            true.append(at)
    return true, ended


def _makes_true(
    spoken: MessageReading, statement: ComparedStatement, condition: ComparedStatement, meaning: Meaning | None
) -> bool:
    """Return whether a sentence makes a condition true; most of its words said again need less certainty."""
    happened = spoken.chance("tell", "change", "correct", "passing") >= _HAPPENED
    if not happened or not statement.stems & condition.stems:
        return False
    comes, goes = _rule_chances(spoken, statement, condition, meaning)[0]
    said_again = len(statement.stems & condition.stems)
    covers = said_again >= _WORDS_COVERED and said_again >= _MOST_WORDS * len(condition.stems)
    lenient = covers and goes < SURELY_ENDS and not denies_other(statement, condition)
    return float(comes) >= (COVERED if lenient else FIRES)


def _rule_chances(
    spoken: MessageReading, statement: ComparedStatement, condition: ComparedStatement, meaning: Meaning | None
) -> Floats:
    """Chances that a message makes a condition true, and that it ends it."""
    links = load_links()
    rows = rule_features(spoken, statement, [condition])
    if meaning is None or not _shares(spoken, statement, condition):
        return links.chances(rows, "rule")
    near = meaning_features(meaning, links.space, statement, [condition])
    return links.chances(np.concatenate([rows, near], axis=1), "rule_meaning")


@one_thread()
def doubted(
    spoken: MessageReading,
    change: ComparedStatement,
    known: Sequence[ComparedStatement],
    replaced: Sequence[ComparedStatement] = (),
    meaning: Meaning | None = None,
) -> list[int]:
    """Find the known statements that rest on what a message says has changed.

    They say what they rest on ("porque", "perto de"), or share a word with the message or with a statement that it
    changes. Without that, a set that the network had not seen got twice as many false doubts. A statement that the
    message seems to touch, and that was not replaced for want of certainty, is in doubt as well. Those that the
    message has `replaced` are compared too: beside them a second price is not taken for the one that changed.
    With an encoder the comparison looks again at what is found, word by word: two appointments in March share a
    word, and neither rests on the other.
    """
    places = _possibly_doubted(spoken, change, known, replaced)
    if meaning is None:
        return places
    # In groups of the size that the comparison has learnt with: the newest first.
    groups = (places[start : start + CANDIDATES] for start in range(0, len(places), CANDIDATES))
    return [at for group in groups for at in _surely_doubted(spoken, change, known, replaced, meaning, group)]


def _surely_doubted(
    spoken: MessageReading,
    change: ComparedStatement,
    known: Sequence[ComparedStatement],
    replaced: Sequence[ComparedStatement],
    meaning: Meaning,
    places: Sequence[int],
) -> Sequence[int]:
    """Return those of some places that the comparison of words sees in doubt too; all where it sees no words."""
    mine = compared_words(change.text)
    near = [*replaced, *(known[at] for at in places)]
    theirs = [words for other in near if (words := compared_words(other.text)) is not None]
    if mine is None or len(theirs) < len(near):
        return places
    rows = np.concatenate(
        [features(spoken, change, near), meaning_features(meaning, load_links().space, change, near)], axis=1
    )
    judged = load_comparison().chances(mine, theirs, rows)[len(replaced) :]
    return [at for at, chances in zip(places, judged, strict=True) if _is_doubted(chances)]


def _is_doubted(chances: Floats) -> bool:
    """Return whether a statement rests on a message, or is likely replaced by it and was kept in doubt."""
    likely = chances[LINKS.index("touched")] >= CHANGED and chances[LINKS.index("replaces")] >= CHANGED
    return bool(likely or chances[LINKS.index("doubts")] >= DOUBTED)


def _possibly_doubted(
    spoken: MessageReading,
    change: ComparedStatement,
    known: Sequence[ComparedStatement],
    replaced: Sequence[ComparedStatement],
) -> list[int]:
    """Find what may rest on a change by whole statements; the newest first."""
    if not known:
        return []
    links = load_links()
    compared = [*replaced, *known]
    rows = features(spoken, change, compared)
    touched = links.chances(rows)[:, 0]
    changed = [statement for statement, chance in zip(compared, touched, strict=True) if chance >= LIKELY]
    words = change.stems.union(change.names, *(statement.stems | statement.names for statement in changed))
    parts = tells_parting(change)
    may_rest = [statement.names_its_reason or bool(words & statement.words_said) for statement in known]
    if not parts and not any(may_rest):
        # Nothing can be in doubt, whatever the network says: a statement that is touched shares a word as well.
        return []
    chances = links.chances(doubt_features(rows, compared, touched), "doubt")[len(replaced) :, 0]
    touched = touched[len(replaced) :]
    return [
        at
        for at, statement in reversed([*enumerate(known)])
        if (chances[at] >= DOUBTED and may_rest[at])
        or (touched[at] >= LIKELY and change.stems & statement.stems)
        or (parts and _rests_on(change, statement, float(chances[at]), float(touched[at])))
    ]


def _rests_on(change: ComparedStatement, statement: ComparedStatement, doubted: float, touched: float) -> bool:
    """Return whether a statement rests on who left or on what ended: a name, a word, or a reason that fits."""
    if shared_names(change, statement):
        return True
    if change.stems & statement.stems:
        return statement.names_its_reason or doubted >= SLIGHT or touched >= POSSIBLE
    return statement.names_its_reason and doubted >= SLIGHT
