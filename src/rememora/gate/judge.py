"""The judgement: one pure function from a text to a verdict, and one from a proposed key and value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from rememora.domain.verdict import (
    AnyVerdict,
    Ask,
    Correct,
    Fact,
    Forget,
    Origin,
    Quarantine,
    Refuse,
    Save,
    TextSpan,
)
from rememora.gate import worth
from rememora.gate.barred import barred, distrust, make_verdict
from rememora.gate.beside import spare_harmless
from rememora.gate.corrections import corrected
from rememora.gate.facts import as_fact, find_facts
from rememora.gate.found import FoundFact
from rememora.gate.intents import (
    Target,
    attribute_place,
    declines,
    find_correction,
    find_forget,
    find_keep_request,
    forget_in,
    forgets_as_a_whole,
    is_about_memory,
    is_reminder,
    names_removal,
)
from rememora.gate.orders import is_approval
from rememora.gate.pasted import is_document, is_machine_text
from rememora.gate.pointing import righted
from rememora.gate.policy import Policy, load_policy
from rememora.gate.sensitive import names_ordinary_code
from rememora.gate.stated import SLOTS, doubted_facts, is_for_today, is_once, sentence_fact, stated_facts
from rememora.gate.trim import closing_start
from rememora.gate.verbatim import verbatim_start
from rememora.language.detection import is_unread
from rememora.reading import read_message
from rememora.reading.normalised import normalise
from rememora.reading.parsed import ParsedMessage, parse_message
from rememora.reading.results import FACTS, MessageReading, SentencePart, Statement

JUDGED_CHARACTERS = 65_536
MOST_FACTS = 24
_MOST_OF = 0.85
"""Share of what was asked to be kept that the reader must see as statements."""
_QUOTATION = re.compile(r"[\"“][^\"“”]{60,}[\"”]?|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){40,600}'(?!\w)")
"""A text of some length in quotation marks; an apostrophe between letters ends none."""
_HEDGED_WORDS = 20
_SURE_FACT = 0.9
_SHOWS: Final = re.compile(r'["“][^"“”\s]{1,40} [^"“”\s]{1,40} ')
"""A quote of some words, which is shown to be translated or read, and not told."""
_ASKED: Final = re.compile(r"[^.,!?;\n]*+\?")
_DOUBTS: Final = ("third_hand", "temporary")
"""Kinds of doubt that the rules tell apart, each the name of its reason."""
_NOTHING: Final = {
    "chat": "filler", "ask": "question", "request": "request", "passing": "momentary", "unreal": "hypothetical",
}  # fmt: skip
_CONTACTS: Final = frozenset(
    {"user.phone", "user.work_phone", "user.email", "user.work_email", "user.address", "user.birthday"}
)
"""Slots that are private and no secret."""
_OWN: Final = ("user.", "tenant.", "prefs.")
"""Namespaces of what people say of themselves in a few words."""
_FEW_WORDS: Final = 12
_PASSING: Final = 0.9
_LEAST_SECRET: Final = 5
"""Minimum length of a secret in letters and digits: a code of four digits comes with a word that names it."""
_ALL: Final = slice(0, None)


def evaluate(
    text: str,
    *,
    before: Sequence[str] = (),
    origin: Origin = Origin.USER_SAID,
    insists: bool = False,
    allow_sensitive: bool = False,
    most: int = JUDGED_CHARACTERS,
    policy: Policy | None = None,
) -> AnyVerdict:
    """Judge the first `most` characters; what is sensitive passes where person and tenant both want it kept.

    `before` are the turns that the message follows, each with its role before it (`user: …`).
    """
    policy = policy or load_policy()
    if not text.strip():
        return make_verdict(Refuse, "refuse.empty", policy, origin=origin, confidence=1.0)
    message = parse_message(text[:most], before)
    reading = message.normal
    if refusal := barred(reading, policy, origin=origin, lenient=insists and allow_sensitive):
        return spare_harmless(refusal, message, policy)
    if is_unread(reading.text):
        return make_verdict(Refuse, "refuse.unread_language", policy, origin=origin, confidence=1.0)
    verdict = None
    if len(reading.text) > policy.threshold("read_characters"):
        message = parse_message(text[: int(policy.threshold("read_characters"))], before)
        verdict = judge_closing(text, policy, origin)
    verdict = verdict or _read_verdict(message, policy, origin, lenient=insists and allow_sensitive)
    if isinstance(verdict, Save) and not verdict.explicit and is_document(text, policy):
        # What a document tells is found by search.
        return make_verdict(Refuse, "refuse.quotation", policy, origin=origin, confidence=1.0)
    return verdict if origin.first_hand else distrust(verdict, policy)


def _read_verdict(message: ParsedMessage, policy: Policy, origin: Origin, *, lenient: bool) -> AnyVerdict:
    """Judge a message that no rule has barred by what the reader reads in it."""
    judgement = _Judgement(message, policy, origin, insists=lenient)
    grave = None if lenient else judgement.grave()
    return judgement.verdict() if grave is None else spare_harmless(grave, message, policy)


def judge_closing(text: str, policy: Policy, origin: Origin) -> AnyVerdict | None:
    """The wish or the order that a long text ends with; None where its last words are neither."""
    start = closing_start(text, int(policy.threshold("closing_characters")))
    message = parse_message(text[start:])
    verdict = barred(message.normal, policy, origin=origin, lenient=False)
    verdict = verdict or _read_verdict(message, policy, origin, lenient=False)
    decided = isinstance(verdict, Forget | Correct | Quarantine) or (
        isinstance(verdict, Save) and verdict.explicit
    )
    return _moved(verdict, start) if decided else None


def _moved(verdict: AnyVerdict, by: int) -> AnyVerdict:
    """A verdict on the end of a text, its evidence at its place in the whole."""
    facts = tuple(msgspec.structs.replace(fact, evidence=_shifted(fact.evidence, by)) for fact in verdict.facts)
    return msgspec.structs.replace(verdict, facts=facts, evidence=_shifted(verdict.evidence, by))


def _shifted(span: TextSpan | None, by: int) -> TextSpan | None:
    return None if span is None else TextSpan(start=span.start + by, end=span.end + by, text=span.text)


class _Judgement:
    """One message on its way to a verdict, once rules have ruled out orders and secrets."""

    def __init__(self, message: ParsedMessage, policy: Policy, origin: Origin, *, insists: bool = False) -> None:
        self.message, self.policy, self.origin, self.insists = message, policy, origin, insists
        self.reading, self.spoken, self.before = message.normal, message.reading, message.before

    def grave(self) -> AnyVerdict | None:
        """An order or a secret that only the reader sees; both the words and the whole message must say so."""
        spoken, threshold = self.spoken, self.policy.threshold
        ordered = min(spoken.label("quarantine"), spoken.chance("order")) >= threshold("reader_order")
        evidence = self._span_of(_surest(spoken, "order")) if ordered else None
        if evidence and not (self.origin.first_hand and self._is_harmless(evidence.text)):
            return self._say(Quarantine, "order.address_agent", spoken.label("quarantine"), evidence=evidence)
        private = _private(spoken)
        if private < threshold("reader_secret") and spoken.chance("secret") >= threshold("reader_doubts_secret"):
            # Beside "please remember that for me" a secret looks like a wish: what is wished decides by itself.
            private = max(private, _private(read_message(self._wished())))
        secret = private >= threshold("reader_secret")
        evidence = self._span_of(_surest(spoken, "secret")) if secret else None
        if evidence and not (self._forget_rule() or self._is_no_secret() or _says_nothing(evidence.text)):
            verdict = self._say(Refuse, "sensitive.private", private, evidence=evidence, sensitive=True)
            insist = self.policy.why_insist("sensitive.private")
            return msgspec.structs.replace(verdict, why=insist) if self.origin.first_hand else verdict
        return None

    def _is_harmless(self, order: str) -> bool:
        """Return whether what seems an order says who approves something, or is a machine's output."""
        return is_approval(self.reading, self.policy) or is_machine_text(order)

    def _is_no_secret(self) -> bool:
        """Return whether what seems a secret is a contact, or a code that everybody may know."""
        return self._is_contact() or names_ordinary_code(self.reading, self.policy)

    def _is_contact(self) -> bool:
        """Return whether the message is nothing but a phone number or other contact that a rule recognises."""
        folded = self.reading.folded
        return any(
            fact.key in _CONTACTS and not (folded[: fact.start].strip() or folded[fact.end :].strip(" .!"))
            for fact in find_facts(self.reading, self.policy)
        )

    def verdict(self) -> AnyVerdict:
        """The first that fits of a wish about memory, a statement, a doubt, and nothing to keep."""
        for look in (
            self._decline, self._verbatim, self._forget, self._correct, self._wish, self._statement,
            self._doubt, self._plain,
        ):  # fmt: skip
            if verdict := look():
                return verdict
        return self._say(Refuse, self._why_nothing(), 0.8, evidence=self.reading.whole())

    def _decline(self) -> AnyVerdict | None:
        """Small talk, and the wish that nothing be kept of what the message says."""
        reading, policy = self.reading, self.policy
        if worth.is_filler(reading, policy):
            return self._refuse("filler", 0.95)
        ruled = declines(reading, policy, "written") or declines(reading, policy, "borne")
        if (ruled and not find_forget(reading, policy)) or (self._acts("dont_keep") and not self.insists):
            return self._refuse("unwanted", 0.9)
        return None

    def _acts(self, *acts: str) -> bool:
        return self.spoken.chance(*acts) >= self.policy.threshold("reader_acts")

    def _denies(self, *acts: str) -> bool:
        """Return whether the reader is certain that no part has any of these acts, whatever a rule says."""
        return self.spoken.chance(*acts) < self.policy.threshold("reader_denies")

    def _forget_rule(self) -> Target | None:
        target = find_forget(self.reading, self.policy)
        # Two words that ask for everything ("esqueça tudo!") say too little for the reader to deny them.
        if target is None or (target.words == "all" and len(self.reading.text.split()) <= _FEW_WORDS // 4):
            return target
        return None if self._denies("forget", "erase", "hush", "undo", "dont_keep") else target

    def _forget(self) -> AnyVerdict | None:
        """A wish to forget something known."""
        target = self._forget_rule()
        named = names_removal(self.reading.folded)
        whole = forgets_as_a_whole(self.spoken, self.policy)
        least = "reader_forgets_part" if whole else "reader_forgets_named" if named else "reader_forgets"
        sure = self.policy.threshold(least)
        if target is None and self.spoken.chance("forget", "erase", "hush") >= sure:
            part = _surest(self.spoken, "forget", "erase", "hush")
            target = forget_in(self.reading, part.start, part.end, self.policy)
        if target is None:
            return None
        return self._say(
            Forget,
            "intent.forget_all" if target.words == "all" else "intent.forget",
            0.9,
            evidence=self.reading.span(target.start, target.end),
            target=target.words,
            key=target.key,
        )

    def _correct(self) -> AnyVerdict | None:
        """A correction: what is right, or else what the rules find of the value that is contested."""
        rule = find_correction(self.reading, self.policy)
        if (
            rule is not None
            and self._denies("correct", "change")
            and not is_about_memory(self.reading, self.policy)
        ):
            rule = None
        wrong = self._acts("correct") and not find_keep_request(self.reading, self.policy) and not self._hearsay()
        if rule is None and not wrong and righted(self.message) is None:
            return None
        facts = self._right()
        start, end = rule.span() if rule else (0, len(self.reading.text))
        evidence = self.reading.span(start, end)
        return self._say(
            Correct, "intent.correct", 0.9, evidence=evidence, facts=facts, key=facts[0].key, value=facts[0].value
        )

    def _right(self) -> tuple[Fact, ...]:
        """The right values: a slot that the rules read in a correction, what is stated, or the key contested."""
        stated = [fact for fact in self._stated(1.0) if fact.value is not None]
        facts = [
            as_fact(found_fact, self.reading, self.policy, confidence=1.0, origin=self.origin)
            for found_fact in corrected(self.reading, self.policy)
        ]
        right = [fact for fact in stated if fact.said is not None and fact.said.act == "correct"]
        if not right:
            return tuple(facts)
        slots = [
            fact
            for fact in facts
            if fact.key in SLOTS and (fact.value is not None or not self._is_of_others(fact.key))
        ]
        if slots and not any(fact.key in SLOTS for fact in right):
            return (*slots, *(fact for fact in stated if fact not in right))
        return tuple(stated)

    def _is_of_others(self, key: str) -> bool:
        """Return whether the attribute of a contested key is named where somebody else is spoken of.

        "Na verdade a Lívia tem 10, fez aniversário" asks for no birthday of the person's own.
        """
        of_others = [
            part for part in self.spoken.statements if any(value.subject == "named" for value in part.values)
        ]
        at = attribute_place(self.reading.folded, key, self.policy)
        return bool(of_others) if at is None else any(part.start <= at < part.end for part in of_others)

    def _verbatim(self) -> AnyVerdict | None:
        """A text that is to come back word for word: kept whole, and nothing read out of it."""
        raw = self.reading.raw
        keeps = find_keep_request(self.reading, self.policy) is not None or self._acts("keep")
        if verbatim_start(self.message, asked_to_keep=keeps) is None or not (keeps or self.spoken.statements):
            return None
        sure = self.policy.threshold("explicit")
        whole = Statement(start=0, end=len(self.reading.text), text=raw.strip(), act="tell", sure=sure)
        fact = sentence_fact(self.reading, whole, self.policy, origin=self.origin, confidence=sure)
        # As it was written, with the full stop at its end.
        facts = () if fact is None else (msgspec.structs.replace(fact, value=raw.strip()),)
        return self._say(Save, "explicit", sure, evidence=self.reading.whole(), facts=facts, explicit=True)

    def _wish(self) -> AnyVerdict | None:
        """An explicit wish to keep something."""
        reading, policy = self.reading, self.policy
        if is_reminder(reading, policy) and not self._acts("keep", "tell", "change"):
            return self._refuse("reminder", 0.85)
        wish = find_keep_request(reading, policy)
        if wish is None:
            return None
        # "salva isso" alone or at the end leaves no doubt; words that open a sentence may mean something else.
        opens = not wish.empty and wish.content >= wish.start
        if opens and self._denies("keep", "tell", "change", "correct"):
            return None
        evidence = reading.span(wish.start, len(reading.text))
        if wish.empty:
            return self._say(Ask, "confirm.empty_wish", policy.threshold("doubtful"), evidence=evidence)
        begin = wish.content if wish.content >= wish.start else 0
        sure, said = (
            policy.threshold("explicit"),
            slice(begin, None) if begin else slice(0, self._before(wish.start)),
        )
        requested = [fact for fact in self._stated(sure, said) if fact.value is not None]
        before = self._stated(sure, slice(0, wish.start)) if begin else []
        if not requested and not before and (doubt := self._doubt()):
            return doubt
        facts = [*before, *self._all_asked(requested, begin, wish.start)]
        return self._save("explicit", facts, sure, explicit=True) if facts else None

    def _all_asked(self, facts: list[Fact], begin: int, wish: int) -> list[Fact]:
        """All that was asked to be kept: what the reader sees of it, and the whole where it sees only a part."""
        whole = self._as_wished(begin, wish)
        if not facts:
            return whole
        seen = sum(len(text) for text in {fact.evidence.text for fact in facts if fact.evidence is not None})
        if begin < wish or seen >= _MOST_OF * len(self.reading.text[begin:].strip()):
            return facts
        slots = [fact for fact in facts if fact.key in SLOTS]
        return [*slots, *(fact for fact in whole if fact.key not in SLOTS)]

    def _wished(self) -> str:
        """Return the message without the words that wish it kept."""
        wish, text = find_keep_request(self.reading, self.policy), self.reading.text
        if wish is None or wish.empty:
            return text
        return text[wish.content :] if wish.content >= wish.start else text[: self._before(wish.start)]

    def _before(self, wish: int) -> int:
        """Return the end of the text that stands before a wish."""
        return len(self.reading.until(wish).text)

    def _as_wished(self, begin: int, wish: int) -> list[Fact]:
        """All that was asked to be kept, where the reader sees no statement in it."""
        start, end = (begin, len(self.reading.text)) if begin >= wish else (0, self._before(wish))
        text = self.reading.text[start:end]
        whole = Statement(start=start, end=end, text=text, act="tell", sure=1.0)
        return self._stated(self.policy.threshold("explicit"), given=(whole,))

    def _whole(self, confidence: float, *, attribute: str) -> Fact | None:
        """The message as one statement of the person."""
        text = self.reading.text
        said = Statement(
            start=0, end=len(text), text=text, act="tell", sure=1.0, subject="me", attribute=attribute
        )
        return sentence_fact(self.reading, said, self.policy, origin=self.origin, confidence=confidence)

    def _statement(self) -> AnyVerdict | None:
        """Save the facts that are stated for sure."""
        if self._hedged():
            return None
        facts = list(self._stated(self.policy.threshold("stated")))
        return self._save("stated", facts, self.policy.threshold("stated")) if facts else None

    def _hearsay(self) -> bool:
        return worth.says(self.reading, self.policy, "third_hand") is not None

    def _hedged(self) -> bool:
        """Return whether a short message is hearsay, or hedges and the reader is not certain of it."""
        if len(self.reading.words()) > _HEDGED_WORDS or self._acts("ask", "request"):
            return False
        sure = max((statement.sure for statement in self.spoken.statements if statement.act in FACTS), default=0.0)
        return self._hearsay() or (
            sure < _SURE_FACT and worth.says(self.reading, self.policy, "hedge") is not None
        )

    def _plain(self) -> AnyVerdict | None:
        """Save a slot of one's own, said in a few words in which the reader sees no statement."""
        reading, policy = self.reading, self.policy
        ruled = self._acts("ask", "request", "secret", "order") and not self._is_contact()
        if ruled or len(reading.words()) > _FEW_WORDS or is_once(reading.text) or is_for_today(reading.text):
            return None
        if _SHOWS.search(reading.text) or self._really_asks():
            return None
        if any(worth.says(reading, policy, kind) for kind in ("hedge", *_DOUBTS)):
            return None
        slots = [fact for fact in find_facts(reading, policy) if self._is_plain(fact)]
        if not slots or not all(fact.key.startswith(_OWN) for fact in slots):
            return None
        sure = policy.threshold("plain")
        facts = [as_fact(fact, reading, policy, confidence=sure, origin=self.origin) for fact in slots]
        return self._save("stated", facts, sure)

    def _really_asks(self) -> bool:
        """Return whether a message asks anything but how one is: "aqui é a Rosângela, tudo bem?"."""
        questions = _ASKED.findall(self.reading.text)
        return any(not worth.is_filler(normalise(question), self.policy) for question in questions)

    def _is_plain(self, fact: FoundFact) -> bool:
        """Return whether a rule overrides the reader."""
        return fact.key != "user.role_title" or self.spoken.chance("passing") < _PASSING

    def _quoted(self, statement: Statement) -> bool:
        """Return whether a statement is part of a text that the person only shows, to have it read or edited."""
        return self._acts("ask", "request") and any(
            quote.start() < statement.end and statement.start < quote.end()
            for quote in _QUOTATION.finditer(self.reading.text)
        )

    def _stated(
        self, confidence: float, within: slice = _ALL, *, given: tuple[Statement, ...] | None = None
    ) -> list[Fact]:
        statements = given or tuple(
            statement for statement in self.spoken.statements if not self._quoted(statement)
        )
        facts = stated_facts(
            self.reading,
            statements,
            self.policy,
            origin=self.origin,
            confidence=confidence,
            before=self.before,
            within=within,
        )
        return list({fact.key: fact for fact in facts}.values())[:MOST_FACTS]

    def _unsure(self) -> tuple[Fact, ...]:
        facts = tuple(
            doubted_facts(self.reading, self.spoken, self.policy, origin=self.origin, before=self.before)
        )
        if not facts and self._hedged():
            whole = self._whole(self.policy.threshold("doubtful"), attribute="other")
            return () if whole is None else (whole,)
        return facts[:MOST_FACTS]

    def _doubt(self) -> AnyVerdict | None:
        """Ask about facts that are not sure."""
        facts = self._unsure()
        if not facts:
            return None
        reason = next((kind for kind in _DOUBTS if worth.says(self.reading, self.policy, kind)), "hedged")
        confidence = self.policy.threshold("doubtful")
        return self._say(Ask, f"confirm.{reason}", confidence, evidence=self.reading.whole(), facts=facts)

    def _why_nothing(self) -> str:
        """Return why nothing is kept, by the main act of the message."""
        weight: dict[str, int] = {}
        for part in self.spoken.parts:
            weight[part.act] = weight.get(part.act, 0) + part.end - part.start
        most = max(weight, key=lambda act: weight[act], default="chat")
        return f"refuse.{_NOTHING.get(most, 'unworthy')}"

    def _save(self, reason: str, facts: list[Fact], confidence: float, *, explicit: bool = False) -> AnyVerdict:
        return self._say(
            Save,
            reason,
            confidence,
            evidence=self.reading.whole(),
            facts=tuple(facts),
            explicit=explicit,
            unsure=self._unsure(),
        )

    def _refuse(self, reason: str, confidence: float) -> AnyVerdict:
        return self._say(Refuse, f"refuse.{reason}", confidence, evidence=self.reading.whole())

    def _span_of(self, part: SentencePart) -> TextSpan:
        return self.reading.span(part.start, part.end)

    def _say(self, kind: type[Any], reason: str, confidence: float, **fields: Any) -> AnyVerdict:
        return make_verdict(kind, reason, self.policy, origin=self.origin, confidence=confidence, **fields)


def _says_nothing(text: str) -> bool:
    """Whether a part is a scrap of a figure ("480 g."), which hides nothing."""
    return sum(char.isalnum() for char in text) < _LEAST_SECRET


def _private(spoken: MessageReading) -> float:
    """Chance that a message is private: both the words and the whole message must say so."""
    return min(spoken.label("sensitive"), spoken.chance("secret"))


def _surest(spoken: MessageReading, *acts: str) -> SentencePart:
    """The part that is most likely one of some acts."""
    return max(spoken.parts, key=lambda part: part.chance(*acts))
