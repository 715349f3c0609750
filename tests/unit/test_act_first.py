"""Messages that are acted on before they are answered, and those that can wait."""

from __future__ import annotations

import pytest

from rememora.context.act_first import addresses_memory
from rememora.reading.parsed import parse_message


@pytest.mark.parametrize(
    "text",
    [
        "esquece o que eu falei do aluguel",
        "anota aí que o portão fecha às 22h",
        "na verdade é Olinda",
        "undo that",
        "don't save that",
        "apaga tudo sobre mim definitivamente",
        "agora moro em Recife, me mudei",
        "no me hables más de mi divorcio",
    ],
)
def test_requests_and_changes_come_first(text: str) -> None:
    """The answer tells of what was done."""
    assert addresses_memory(parse_message(text))


@pytest.mark.parametrize(
    "text",
    [
        "Which supplier delivers on Tuesday?",
        "quando vence o boleto da farinha?",
        "bom dia, tudo bem?",
        "escreve um e-mail curto pro fornecedor",
        "tenho dois gatos",
    ],
)
def test_what_changes_nothing_can_wait(text: str) -> None:
    """The model has the message itself."""
    assert not addresses_memory(parse_message(text))
