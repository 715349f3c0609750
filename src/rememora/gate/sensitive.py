"""Secrets with their value, personal documents, bank data, anybody's health, and what else the law protects."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from rememora.gate.policy import Policy
from rememora.language.phrases import plain_words
from rememora.reading.normalised import NormalisedText

_DIGITS = re.compile(r"\D")
_HAS_DIGIT = re.compile(r"\d")
_LONG_NUMBER = re.compile(r"\d(?:[ ./-]?\d){10}")
"""Every CPF and every card has as many digits, with at most one sign between any two."""
_SECRET_SHAPE = re.compile(r"\d|[^\w\s.]|[a-z][A-Z]|_")
_CARD_DIGITS = range(13, 20)
_NEAR = 40
_CLAUSE = re.compile(r"[^\s.,;!?()\"'`]{1,64}(?: [^\s.,;!?()\"'`]{1,64}){0,7}(?=[ \"'`]{0,3}(?:[\n.,;!?()]|$))")
"""Words up to the end of a clause; a value of more than eight words is no password."""
_COPULAS = plain_words("copula") | {":", "="}
_MOST_WORDS = 6
_LEAST_LETTERS = 3
_MIXED = re.compile(r"(?<!\S)(?=\S{0,40}[a-z])(?=\S{0,40}\d)[^\s,;]{4,40}")
_MADE_UP = re.compile(r"(?=.{0,40}[^\W\d_]{3})(?=.{0,40}(?:\d{2}|[!@#$%&*]))\S{5,40}")
"""Three letters in a row and two figures or a sign, without a space: no ordinary word is written so."""
_BEFORE = 80


class Secret(msgspec.Struct, frozen=True, kw_only=True):
    """Something sensitive, and where; `value` is where its value begins, if all from there on is the value."""

    code: str
    start: int
    end: int
    value: int | None = None


def find_sensitive(reading: NormalisedText, policy: Policy) -> Secret | None:
    """The first sensitive thing in a text."""
    text = reading.folded
    return find_secret(reading, policy) or _health(text, policy) or _personal(text, policy)


def find_mention(reading: NormalisedText, policy: Policy) -> Secret | None:
    """The first sensitive thing, or else the first word of health, tied to a person or not."""
    if sensitive := find_sensitive(reading, policy):
        return sensitive
    term = policy.one("sensitive", "health", "terms").search(reading.folded)
    return term and Secret(code="sensitive.health", start=term.start(), end=term.end())


def names_health(reading: NormalisedText, policy: Policy) -> bool:
    """Return whether a text has a word about health or another protected category, about anybody or nobody."""
    text = reading.folded
    health = [policy.one("sensitive", "health", name).search(text) for name in ("terms", "always")]
    return any(health) or _personal(text, policy) is not None


def names_access(reading: NormalisedText, policy: Policy) -> bool:
    """Return whether a text names something that opens an account, a device or a door."""
    return policy.one("sensitive", "access", "names").search(reading.folded) is not None


def names_ordinary_code(reading: NormalisedText, policy: Policy) -> bool:
    """Return whether a text names a code that is no secret, such as a postal code, and nothing that opens."""
    ordinary = policy.one("sensitive", "access", "ordinary").search(reading.folded)
    return ordinary is not None and not names_access(reading, policy)


def find_secret(reading: NormalisedText, policy: Policy) -> Secret | None:
    """Return the first secret, document or account number in a text, sensitive no matter who says it."""
    text = reading.folded
    digits = _HAS_DIGIT.search(text) is not None
    if digits and _LONG_NUMBER.search(text) and (number := _cpf(text, policy) or _card(text, policy)):
        return number
    if digits and (number := _iban(text, policy) or _dni(text, policy)):
        return number
    hinted = digits or policy.one("sensitive", "secret", "cue").search(text)
    for family in ("secret", "document", "bank") if digits else ("secret",) if hinted else ():
        if match := policy.any_of(text, "sensitive", family, "patterns"):
            return Secret(code=f"sensitive.{family}", start=match.start(), end=match.end())
    return (hinted and _spelled(text, policy)) or _password(reading, policy)


def _spelled(text: str, policy: Policy) -> Secret | None:
    """A secret of many words or lines, such as a key, the words of a wallet, or figures in words."""
    for pattern in policy.each("sensitive", "secret", "spelled"):
        if match := pattern.search(text):
            return Secret(code="sensitive.secret", start=match.start(), end=match.end("v"), value=match.start("v"))
    return None


def _cpf(text: str, policy: Policy) -> Secret | None:
    """A CPF by its form, by the word beside it, or by its check digits."""
    for match in policy.one("sensitive", "numbers", "cpf").finditer(text):
        nearby = text[max(0, match.start() - _NEAR) : match.end() + _NEAR]
        named = policy.one("sensitive", "numbers", "cpf_context").search(nearby)
        formatted = "." in match[0] or "-" in match[0]
        phone = policy.one("sensitive", "numbers", "phone_context").search(nearby)
        if named or (formatted and match[0].count(".") == 2) or (not phone and _is_cpf(match[0])):
            return Secret(code="sensitive.cpf", start=match.start(), end=match.end())
    return None


def _is_cpf(number: str) -> bool:
    """Return whether the check digits agree and it is not more likely a phone number."""
    import phonenumbers
    from stdnum.br import cpf

    digits = _DIGITS.sub("", number)
    if not cpf.is_valid(digits):
        return False
    return not phonenumbers.is_valid_number(phonenumbers.parse(digits, "BR"))


def _has_card_digit(digits: str) -> bool:
    """Tell whether the last digit is the Luhn check digit of the others."""
    from stdnum import luhn

    return luhn.is_valid(digits)


def _card(text: str, policy: Policy) -> Secret | None:
    """A card number by Luhn, or by the words beside it."""
    for match in policy.one("sensitive", "numbers", "card").finditer(text):
        digits = _DIGITS.sub("", match[0])
        if len(digits) not in _CARD_DIGITS or policy.one("sensitive", "numbers", "cnpj").fullmatch(match[0]):
            continue
        nearby = text[max(0, match.start() - _NEAR) : match.end() + _NEAR]
        named = policy.one("sensitive", "numbers", "card_context").search(nearby)
        ordered = policy.one("sensitive", "numbers", "order_context").search(nearby)
        if named or (not ordered and len(set(digits)) > 1 and _has_card_digit(digits)):
            return Secret(code="sensitive.card", start=match.start(), end=match.end())
    return None


def _iban(text: str, policy: Policy) -> Secret | None:
    """An account number by its check digits, whether or not the word for it stands beside."""
    for match in policy.one("sensitive", "numbers", "iban").finditer(text):
        from stdnum import iban

        # A word of four letters after it looks like one more group.
        number = match[0]
        while " " in number and not iban.is_valid(number, check_country=False):
            number = number.rpartition(" ")[0]
        if iban.is_valid(number, check_country=False):
            return Secret(code="sensitive.bank", start=match.start(), end=match.start() + len(number))
    return None


def _dni(text: str, policy: Policy) -> Secret | None:
    """A Spanish identity number (DNI or NIE) by its check letter, unless it is told to be an order's."""
    for match in policy.one("sensitive", "numbers", "dni").finditer(text):
        from stdnum.es import dni, nie

        nearby = text[max(0, match.start() - _NEAR) : match.end() + _NEAR]
        ordered = policy.one("sensitive", "numbers", "order_context").search(nearby)
        if not ordered and (dni.is_valid(match[0]) or nie.is_valid(match[0])):
            return Secret(code="sensitive.document", start=match.start(), end=match.end())
    return None


def _password(reading: NormalisedText, policy: Policy) -> Secret | None:
    """A password whose value is given, not one that is only spoken of."""
    stop = policy.listed("not_password")
    if match := policy.one("sensitive", "password", "login").search(reading.folded):
        return Secret(code="sensitive.password", start=match.start(), end=match.end())
    for match in policy.one("sensitive", "password", "value").finditer(reading.folded):
        if secret := _told_value(reading, match, policy):
            return secret
    for match in policy.one("sensitive", "password", "adjacent").finditer(reading.folded):
        value = reading.text[match.start("v") : match.end("v")].rstrip(".!?)")
        if match["v"] not in stop and (_HAS_DIGIT.search(value) or _SECRET_SHAPE.search(value)):
            return Secret(code="sensitive.password", start=match.start(), end=match.end())
        if secret := _phrase_at(reading, match, policy):
            return secret
    return _used(reading.folded, policy) or _described(reading, policy) or _value_before(reading.folded, policy)


def _used(text: str, policy: Policy) -> Secret | None:
    """A word that somebody says they use as a password."""
    match = policy.one("sensitive", "password", "used").search(text)
    if match is None or (match["v"] or match["w"]) in policy.listed("not_password"):
        return None
    start, end = match.span("v" if match["v"] else "w")
    return Secret(code="sensitive.password", start=start, end=end)


def _phrase_at(reading: NormalisedText, match: re.Match[str], policy: Policy) -> Secret | None:
    """Several plain words right after the word for a password, where a text names what is signed in to."""
    phrase = _CLAUSE.match(reading.folded, match.start("v"))
    if not phrase or not policy.one("sensitive", "password", "place").search(reading.folded, 0, match.start()):
        return None
    if not _is_passphrase(phrase[0].split(), policy):
        return None
    return Secret(code="sensitive.password", start=match.start(), end=phrase.end(), value=phrase.start())


def _described(reading: NormalisedText, policy: Policy) -> Secret | None:
    """A value of letters and figures or signs that follows what a password is said to be."""
    for match in policy.one("sensitive", "password", "described").finditer(reading.folded):
        # "14h30" or "v2" in a sentence about passwords is no value.
        value = reading.text[match.start("v") : match.end("v")]
        if _MADE_UP.fullmatch(value):
            return Secret(code="sensitive.password", start=match.start(), end=match.end())
    return None


def _told_value(reading: NormalisedText, match: re.Match[str], policy: Policy) -> Secret | None:
    """What follows "the password is": one word by its form or its place, or several words to the end."""
    first = match["v"].rstrip(".!?)")
    phrase = _CLAUSE.match(reading.folded, match.start("v"))
    words = phrase[0].split() if phrase else []
    stop = policy.listed("not_password")
    if not first or first in stop:
        return None
    secret = Secret(code="sensitive.password", start=match.start(), end=match.end())
    if phrase and _is_passphrase(words, policy) and match["sep"] in _COPULAS:
        return msgspec.structs.replace(secret, end=phrase.end(), value=phrase.start())
    value = reading.text[match.start("v") : match.end("v")].rstrip(".!?)")
    if _SECRET_SHAPE.search(value) or match["sep"] in (":", "="):
        return secret
    return secret if len(words) < 2 and match["sep"] in _COPULAS else None


def _is_passphrase(words: Sequence[str], policy: Policy) -> bool:
    """Return whether several words may be a password: none of them is one that sentences are made with."""
    plain = policy.listed("not_password")
    return 1 < len(words) <= _MOST_WORDS and not any(len(word) < _LEAST_LETTERS or word in plain for word in words)


def _value_before(text: str, policy: Policy) -> Secret | None:
    """A value with letters and figures, or signs, before the words that call it a password or a code."""
    for match in policy.one("sensitive", "password", "named").finditer(text):
        start = max(0, match.start() - _BEFORE)
        for value in _MIXED.finditer(text, start, match.start()):
            return Secret(code="sensitive.password", start=value.start(), end=match.end())
    return None


def _health(text: str, policy: Policy) -> Secret | None:
    """A condition or a treatment tied to a person, not a trade that deals with it."""
    if match := policy.one("sensitive", "health", "always").search(text):
        return Secret(code="sensitive.health", start=match.start(), end=match.end())
    term = policy.one("sensitive", "health", "terms").search(text)
    if term is None or policy.one("sensitive", "health", "idiom").search(text):
        return None
    before = text[max(0, term.start() - _NEAR) : term.start()]
    if policy.one("sensitive", "health", "called").search(before):
        return None
    personal = policy.one("sensitive", "health", "own").search(before)
    if not personal and policy.one("sensitive", "health", "business").search(text):
        return None
    person = policy.one("sensitive", "health", "person").search(before)
    return Secret(code="sensitive.health", start=term.start(), end=term.end()) if person else None


def _personal(text: str, policy: Policy) -> Secret | None:
    """Belief, politics, union, origin, sexual life or biometrics of a person, not of a trade or an audience."""
    match = policy.any_of(text, "sensitive", "personal", "patterns")
    if match is None or policy.one("sensitive", "personal", "business").search(text, 0, match.start()):
        return None
    return Secret(code="sensitive.personal", start=match.start(), end=match.end())
