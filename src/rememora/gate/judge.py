"""The judgement: one pure function from a text to a verdict, and one from a proposed key and value."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from rememora.domain.verdict import (
    AnyVerdict,
    Ask,
    Candidate,
    Correct,
    Fact,
    Forget,
    Origin,
    Quarantine,
    Refuse,
    Save,
    Span,
)
from rememora.gate import worth
from rememora.gate.candidates import refuse_candidate
from rememora.gate.corrections import corrected, names_somebody
from rememora.gate.facts import as_fact, clause_facts, find_facts, general_fact, wished_fact
from rememora.gate.found import Found
from rememora.gate.intents import (
    attribute,
    declines,
    find_contest,
    find_correction,
    find_forget,
    find_wish,
    is_change,
    is_reminder,
)
from rememora.gate.normalise import Reading, read
from rememora.gate.orders import find_order
from rememora.gate.policy import Policy, load_policy
from rememora.gate.sensitive import find_sensitive
from rememora.gate.settle import OF_ANY_TEXT, OF_THE_OUTPUT, passing

JUDGED_CHARACTERS = 65_536
_SENTENCE_END = re.compile(r"[.!?…] +")


def evaluate(
    text: str,
    *,
    origin: Origin = Origin.USER_SAID,
    insists: bool = False,
    allow_sensitive: bool = False,
    most: int = JUDGED_CHARACTERS,
    policy: Policy | None = None,
) -> AnyVerdict:
    """Judge the first `most` characters; what is sensitive passes where person and tenant both want it kept."""
    policy = policy or load_policy()
    if not text.strip():
        return _say(Refuse, "refuse.empty", policy, origin=origin, confidence=1.0)
    reading = read(text[:most])
    if barred := _barred(reading, policy, origin=origin, lenient=insists and allow_sensitive):
        return barred
    verdict = None
    if len(reading.text) > policy.threshold("read_characters"):
        reading = read(text[: int(policy.threshold("read_characters"))])
        verdict = judge_closing(text, policy, origin)
    verdict = verdict or _Judgement(reading, policy, origin).verdict()
    return verdict if origin.first_hand else _distrust(verdict, policy)


def judge_closing(text: str, policy: Policy, origin: Origin) -> AnyVerdict | None:
    """The wish or the order that a long text ends with; None where its last words are neither."""
    start = _closing_of(text, int(policy.threshold("closing_characters")))
    reading = read(text[start:])
    verdict = _barred(reading, policy, origin=origin, lenient=False)
    verdict = verdict or _Judgement(reading, policy, origin).verdict()
    told = isinstance(verdict, Forget | Correct | Quarantine) or (isinstance(verdict, Save) and verdict.explicit)
    return _moved(verdict, start) if told else None


def _closing_of(text: str, most: int) -> int:
    """Where the last words of a text begin: its last line, or else the sentences that fit in `most`."""
    first = len(text) - most
    line = text.rstrip().rfind("\n", first)
    if line >= 0:
        return line + 1
    sentence = _SENTENCE_END.search(text, first)
    return sentence.end() if sentence else first


def _moved(verdict: AnyVerdict, by: int) -> AnyVerdict:
    """A verdict on the end of a text, its evidence at its place in the whole."""
    facts = tuple(msgspec.structs.replace(fact, evidence=_shifted(fact.evidence, by)) for fact in verdict.facts)
    return msgspec.structs.replace(verdict, facts=facts, evidence=_shifted(verdict.evidence, by))


def _shifted(span: Span | None, by: int) -> Span | None:
    return None if span is None else Span(start=span.start + by, end=span.end + by, text=span.text)


def judge_candidate(
    candidate: Candidate,
    *,
    insists: bool = False,
    allow_sensitive: bool = False,
    policy: Policy | None = None,
) -> AnyVerdict:
    """Judge a key and a value: from `remember`, a profile seed, inference or a model's extraction."""
    policy = policy or load_policy()
    origin = candidate.origin
    if code := refuse_candidate(candidate, policy):
        return _say(Refuse, code, policy, origin=origin, confidence=1.0, evidence=candidate.evidence)
    spoken = read(f"{candidate.key.rpartition('.')[2].replace('_', ' ')}: {candidate.value}")
    if barred := _barred(spoken, policy, origin=origin, lenient=insists and allow_sensitive):
        return barred
    if isinstance(candidate.value, str) and (held := _ordered(candidate.value, policy, origin)):
        return held
    sure = candidate.explicit or candidate.seeded
    fact = Fact(
        key=candidate.key,
        value=candidate.value,
        category=candidate.category or policy.category_of(candidate.key) or "",
        confidence=policy.threshold("explicit") if sure else candidate.confidence,
        origin=origin,
        evidence=candidate.evidence,
    )
    if not origin.first_hand:
        return _say(Ask, "confirm.third_party", policy, origin=origin, confidence=fact.confidence, facts=(fact,))
    if not sure and candidate.confidence < policy.threshold("inference"):
        return _say(
            Ask, "confirm.low_confidence", policy, origin=origin, confidence=fact.confidence, facts=(fact,)
        )
    reason = "explicit" if candidate.explicit else "seeded" if candidate.seeded else "stated"
    return _say(
        Save,
        reason,
        policy,
        origin=origin,
        confidence=fact.confidence,
        facts=(fact,),
        explicit=candidate.explicit,
    )


def _ordered(value: str, policy: Policy, origin: Origin) -> AnyVerdict | None:
    """Quarantine for a value that is an order when it is read alone, as the message that it could have been."""
    reading = read(value)
    order = find_order(reading, policy, third_party=not origin.first_hand)
    if order is None:
        return None
    evidence = reading.span(order.start, order.end)
    return _say(Quarantine, f"order.{order.family}", policy, origin=origin, confidence=0.9, evidence=evidence)


def _say(kind: type[Any], reason: str, policy: Policy, *, origin: Origin, **fields: Any) -> AnyVerdict:
    """A verdict with its human reason."""
    verdict: AnyVerdict = kind(reason=reason, why=policy.why(reason), origin=origin, **fields)
    return verdict


def _barred(reading: Reading, policy: Policy, *, origin: Origin, lenient: bool) -> AnyVerdict | None:
    """Quarantine for orders, refusal for sensitive content, None for the rest."""
    order = find_order(reading, policy, third_party=not origin.first_hand)
    secret = None if order and not order.weak else find_sensitive(reading, policy)
    if order and not secret:
        evidence = reading.span(order.start, order.end)
        return _say(Quarantine, f"order.{order.family}", policy, origin=origin, confidence=0.9, evidence=evidence)
    # Who wants something sensitive forgotten asks for nothing to be kept.
    if secret and not lenient and not (origin.first_hand and find_forget(reading, policy)):
        evidence = reading.span(secret.start, secret.end)
        verdict = _say(
            Refuse, secret.code, policy, origin=origin, confidence=0.95, evidence=evidence, sensitive=True
        )
        return (
            msgspec.structs.replace(verdict, why=policy.why_insist(secret.code)) if origin.first_hand else verdict
        )
    return None


def _distrust(verdict: AnyVerdict, policy: Policy) -> AnyVerdict:
    """What a third party says is at best a question to the person, and it never commands memory."""
    if isinstance(verdict, Save | Correct):
        return _say(
            Ask,
            "confirm.third_party",
            policy,
            origin=verdict.origin,
            confidence=min(verdict.confidence, policy.threshold("doubtful")),
            evidence=verdict.evidence,
            facts=verdict.facts,
        )
    if isinstance(verdict, Forget):
        return _say(
            Quarantine,
            "order.address_agent",
            policy,
            origin=verdict.origin,
            confidence=0.8,
            evidence=verdict.evidence,
        )
    return verdict


class _Judgement:
    """One message on its way to a verdict, once orders and secrets are ruled out."""

    def __init__(self, reading: Reading, policy: Policy, origin: Origin) -> None:
        self.reading, self.policy, self.origin = reading, policy, origin
        self.standing = worth.says(reading, policy, "standing") is not None
        self._known: dict[tuple[str, bool], tuple[Found, ...]] = {}

    def _facts(self, reading: Reading, *, standing: bool = False) -> tuple[Found, ...]:
        """Facts of a reading, found once however often they are asked for."""
        asked = (reading.text, standing)
        if asked not in self._known:
            self._known[asked] = find_facts(reading, self.policy, standing=standing)
        return self._known[asked]

    def verdict(self) -> AnyVerdict:
        """The first of the readings that fits, from the surest to the vaguest."""
        for look in (self._intent, self._wish, self._talk, self._asked, self._doubt, self._statement):
            if verdict := look():
                return verdict
        moment = worth.says(self.reading, self.policy, "moment")
        return self._refuse("momentary" if moment else "unworthy", 0.7)

    def _intent(self) -> AnyVerdict | None:
        """Forgetting and correcting, but not small talk."""
        reading, policy = self.reading, self.policy
        if worth.is_filler(reading, policy):
            return self._refuse("filler", 0.95)
        if declines(reading, policy, "written"):
            return self._refuse("unwanted", 0.9)
        if target := find_forget(reading, policy):
            return _say(
                Forget,
                "intent.forget_all" if target.words == "all" else "intent.forget",
                policy,
                origin=self.origin,
                confidence=0.9,
                evidence=reading.span(target.start, target.end),
                target=target.words,
                key=target.key,
            )
        if declines(reading, policy, "borne"):
            return self._refuse("unwanted", 0.9)
        if match := find_correction(reading, policy):
            return self._correct(reading.span(*match.span()))
        return self._refuse("output", 0.8) if worth.says(reading, policy, "output_only") else None

    def _correct(self, evidence: Span) -> AnyVerdict:
        """A correction, with the right value if the message gives one."""
        facts = tuple(
            as_fact(fact, self.reading, self.policy, confidence=1.0, origin=self.origin)
            for fact in corrected(self.reading, self.policy)
        )
        return _say(
            Correct,
            "intent.correct",
            self.policy,
            origin=self.origin,
            confidence=0.9,
            evidence=evidence,
            facts=facts,
            key=facts[0].key,
            value=facts[0].value,
        )

    def _wish(self) -> AnyVerdict | None:
        """An explicit wish to keep something."""
        reading, policy = self.reading, self.policy
        if is_reminder(reading, policy):
            return self._refuse("reminder", 0.85)
        wish = find_wish(reading, policy)
        if wish is None:
            return None
        evidence = reading.span(wish.start, len(reading.text))
        if wish.empty:
            return self._ask("empty_wish", evidence=evidence)
        if doubt := self._doubt():
            return doubt
        found = self._facts(reading, standing=True)
        said = reading if wish.content >= wish.start else reading.until(wish.start)
        general = wished_fact(said, policy, wish.content)
        facts = [fact for fact in found if not fact.weak and not wish.says(reading.text, fact.value)]
        if general and not wish.met_by(facts):
            facts.append(general)
        return self._save("explicit", facts, confidence=policy.threshold("explicit"), explicit=True)

    def _talk(self) -> AnyVerdict | None:
        """Kinds of talk that state nothing about the world."""
        for kind, code in (
            ("roleplay", "roleplay"),
            ("hypothetical", "hypothetical"),
            ("quote", "quotation"),
            ("sarcasm", "joke"),
            ("joke_name", "joke"),
        ):
            if worth.says(self.reading, self.policy, kind):
                return self._refuse(code, 0.85)
        if (match := find_contest(self.reading, self.policy)) and self._durable(self.reading):
            return self._correct(self.reading.span(*match.span()))
        return None

    def _asked(self) -> AnyVerdict | None:
        """Questions and requests, unless something lasting is said beside them."""
        reading, policy = self.reading, self.policy
        if worth.is_question(reading, policy):
            if not worth.asks_outright(reading, policy) and worth.says(reading, policy, "hedge"):
                return None
            rest = worth.without_questions(reading)
            if rest is reading or not self._facts(rest, standing=self.standing):
                return self._refuse("question", 0.85)
            self.reading = rest
        if worth.says(reading, policy, "one_off") and not self.standing:
            facts = [fact for fact in self._facts(reading, standing=self.standing) if not fact.weak]
            if facts and all(fact.key.startswith(OF_ANY_TEXT) for fact in facts):
                return self._refuse("request", 0.8)
        if worth.is_request(reading, policy) and not self.standing:
            facts = [fact for fact in self._facts(reading, standing=self.standing) if not fact.weak]
            if not facts or all(fact.key.startswith(OF_THE_OUTPUT) for fact in facts):
                return self._refuse("request", 0.8)
        return None

    def _doubt(self) -> AnyVerdict | None:
        """What is not sure, not first-hand, or not for long."""
        reading, policy = self.reading, self.policy
        whole = reading.whole()
        passing = worth.says(reading, policy, "moment") is not None and not worth.has_topic(reading, policy)
        if worth.says(reading, policy, "conditional"):
            return self._ask("conditional", evidence=whole)
        if worth.is_temporary(reading, policy) and not worth.is_request(reading, policy):
            return self._ask("temporary", evidence=whole)
        if worth.is_idle(reading, policy) or passing:
            return None
        if worth.says(reading, policy, "hedge"):
            return self._ask("hedged", evidence=whole)
        return self._ask("third_hand", evidence=whole) if worth.says(reading, policy, "third_hand") else None

    def _statement(self) -> AnyVerdict | None:
        """A lasting statement, by what it says or by its signs."""
        reading, policy = self.reading, self.policy
        found = list(self._facts(reading, standing=self.standing))
        moment = worth.says(reading, policy, "moment")
        strong = [fact for fact in found if not fact.weak]
        if strong and not (moment and all(passing(fact, done=worth.is_done(reading, policy)) for fact in strong)):
            strong += clause_facts(reading, policy, beside=strong)
            return self._save("stated", strong, confidence=policy.threshold("stated"))
        if found and not moment:
            return self._save("stated", found, confidence=policy.threshold("plain"))
        if moment:
            return None
        if len(reading.words()) > policy.threshold("plain_words"):
            return None
        lasting = worth.is_rule(reading, policy) or (
            (not worth.is_past(reading, policy) or is_change(reading, policy))
            and not worth.is_passing(reading, policy)
            and worth.is_lasting(reading, policy)
        )
        if lasting and (fact := general_fact(reading, policy)):
            return self._save("stated", [fact], confidence=policy.threshold("plain"))
        return None

    def _durable(self, reading: Reading) -> bool:
        """Whether something lasting is stated at all."""
        if self._facts(reading, standing=self.standing) or worth.has_topic(reading, self.policy):
            return True
        if worth.signs(reading, self.policy) > 1 and not worth.says(reading, self.policy, "moment"):
            return True
        return attribute(reading.folded, self.policy) is not None or names_somebody(reading)

    def _save(self, reason: str, found: list[Found], *, confidence: float, explicit: bool = False) -> AnyVerdict:
        facts = tuple(
            as_fact(fact, self.reading, self.policy, confidence=confidence, origin=self.origin) for fact in found
        )
        return _say(
            Save,
            reason,
            self.policy,
            origin=self.origin,
            confidence=confidence,
            evidence=self.reading.whole(),
            facts=facts,
            explicit=explicit,
        )

    def _ask(self, reason: str, *, evidence: Span) -> AnyVerdict:
        confidence = self.policy.threshold("doubtful")
        found = self._facts(self.reading, standing=self.standing)
        facts = tuple(
            as_fact(fact, self.reading, self.policy, confidence=confidence, origin=self.origin) for fact in found
        )
        return _say(
            Ask,
            f"confirm.{reason}",
            self.policy,
            origin=self.origin,
            confidence=confidence,
            evidence=evidence,
            facts=facts,
        )

    def _refuse(self, reason: str, confidence: float) -> AnyVerdict:
        return _say(
            Refuse,
            f"refuse.{reason}",
            self.policy,
            origin=self.origin,
            confidence=confidence,
            evidence=self.reading.whole(),
        )
