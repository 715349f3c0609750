"""Changes by a new statement, found by meaning: one statement is amended, its siblings stay."""

from __future__ import annotations

import pytest

from rememora import UserMemory
from rememora.language.amended import newest

CHANGED = [
    (
        ("A reunião com a Clarice é toda terça às 9h.", "A reunião com o time de vendas é quinta às 14h."),
        "A reunião com a Clarice passou pra quarta às 10h.",
        ("terça às 9h", "quarta às 10h", "quinta às 14h"),
    ),
    (
        ("Our warehouse rent is 2,400 a month.", "Our van lease is 600 a month."),
        "The warehouse rent went up to 2,900 a month.",
        ("2,400", "2,900", "600"),
    ),
]
"""What was said, what changes it, and what is gone, new and left."""


@pytest.mark.parametrize(("said", "change", "parts"), CHANGED)
async def test_a_change_ends_the_statement_it_is_about(
    ana: UserMemory, said: tuple[str, ...], change: str, parts: tuple[str, str, str]
) -> None:
    """Neither shares a key with it: only the comparison can tell."""
    for text in (*said, change):
        await ana.conversation("c1").reply(text)
    known = [newest(str(memory.value)) for memory in (await ana.memories.list()).items]
    gone, new, left = parts

    assert not [text for text in known if gone in text]
    assert [text for text in known if new in text]
    assert [text for text in known if left in text]
