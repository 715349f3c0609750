"""What is sensitive is refused, and the answer says what it takes to have it kept all the same."""

from __future__ import annotations

import pytest
from tests.scenarios.knowing import known

from rememora import UserMemory
from rememora.domain.verdict import Origin
from rememora.gate import evaluate


@pytest.fixture(params=[True, False], ids=["allowed", "not allowed"])
def allowed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def overrides(overrides: dict[str, object], allowed: bool) -> dict[str, object]:
    """A tenant that allows sensitive content to those who insist, or does not."""
    return {**overrides, "knowledge.allow_sensitive": allowed}


@pytest.mark.parametrize(
    ("said", "wish", "how"),
    [
        ("Sou alérgico a amendoim", "guarda mesmo assim", "guarda mesmo assim"),
        ("I'm allergic to peanuts", "yes, save it anyway", "save it anyway"),
    ],
)
async def test_the_answer_to_a_sensitive_wish_says_how_to_insist(
    ana: UserMemory, allowed: bool, said: str, wish: str, how: str
) -> None:
    """And where the tenant allows it, insisting so is heeded; elsewhere it is not."""
    chat = ana.conversation("c1")
    deed = (await chat.reply(said)).deeds[0]
    refused = await known(ana)
    await chat.reply(wish)

    assert ("refused", True, {}) == (deed.kind, how in deed.text, refused)
    assert ([said] if allowed else []) == [*(await known(ana)).values()]


def test_a_third_party_is_not_told_how_to_insist() -> None:
    """A document cannot insist."""
    said = [
        evaluate("Ana is allergic to peanuts", origin=origin).why.en for origin in (Origin.DOCUMENT, Origin.TOOL)
    ]

    assert not [text for text in said if "insist" in text]
