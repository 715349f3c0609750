"""What is sensitive is refused, and the answer says what it takes to have it kept all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from rememora import Rememora, Settings, UserMemory
from rememora.domain.verdict import Origin
from rememora.gate import evaluate


def settings_of(folder: Path, *, allowed: bool) -> Settings:
    chosen = {
        "store.url": str(folder / "store"),
        "recall.embedder": "none",
        "context.deadline_ms": 20_000,
        "knowledge.allow_sensitive": allowed,
    }
    return Settings.load(chosen, environ={})


@pytest.fixture(params=[True, False], ids=["allowed", "not allowed"])
def allowed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def settings(tmp_path: Path, allowed: bool) -> Settings:
    """Recall by words alone, in a tenant that allows sensitive content to those who insist, or does not."""
    return settings_of(tmp_path, allowed=allowed)


@pytest.fixture
def ana(rememora: Rememora) -> UserMemory:
    return rememora.user("ana", tenant="acme")


async def known(user: UserMemory) -> list[object]:
    return [memory.value for memory in (await user.memories()).items]


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
    told = (await chat.reply(said)).deeds[0]
    refused = await known(ana)
    await chat.reply(wish)

    assert ("refused", True, []) == (told.kind, how in told.text, refused)
    assert ([said] if allowed else []) == await known(ana)


def test_a_third_party_is_not_told_how_to_insist() -> None:
    """A document cannot insist."""
    said = [
        evaluate("Ana is allergic to peanuts", origin=origin).why.en for origin in (Origin.DOCUMENT, Origin.TOOL)
    ]

    assert not [text for text in said if "insist" in text]
