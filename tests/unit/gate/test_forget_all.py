"""A bare wish to forget everything is one; giving up on a question is not."""

from __future__ import annotations

import pytest

from rememora import Forget
from rememora.gate import evaluate


@pytest.mark.parametrize(
    "text",
    [
        "esquece tudo",
        "Esqueça tudo!",
        "esquece tudo, por favor",
        "apaga tudo",
        "forget everything",
        "apaga tudo da sua memória",
        "apaga tudo do sistema",
        "delete everything about myself",
        "erase everything regarding your memory",
    ],
)
def test_everything_is_to_be_forgotten(text: str) -> None:
    """Two words are enough, in either language; the memory itself and oneself narrow nothing."""
    verdict = evaluate(text)

    assert isinstance(verdict, Forget)
    assert verdict.target == "all"


@pytest.mark.parametrize(
    "text", ["esquece", "esquece, tudo bem", "esquece, deixa pra lá", "forget it, never mind"]
)
def test_giving_up_forgets_nothing(text: str) -> None:
    """Whoever drops a question does not ask for memory to be wiped."""
    assert not isinstance(evaluate(text), Forget)
