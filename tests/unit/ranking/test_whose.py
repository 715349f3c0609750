"""Whose words a question wants, in both languages."""

from __future__ import annotations

from tests.looped import looped

from rememora.language import fold
from rememora.ranking.question import wants_assistant


@looped(
    "question",
    [
        "What hotel did you recommend?",
        "Which was the third book in the list you gave me?",
        "You had also mentioned a museum, which one?",
        "What was in your last suggestion about the soup?",
        "Which of your ideas for my son's lunch can be frozen?",
        "Can you remind me what the rotation for Sunday was?",
        "In our previous chat about guesthouses, which one had a pool?",
        "What did we discuss about the loan?",
        "Which mistakes did you warn me about?",
        "O que você me recomendou para a dor?",
        "qual pousada vc tinha me sugerido?",
        "Me lembra qual era o terceiro item da lista?",
        "Na nossa última conversa sobre vinhos, qual era o tinto?",
    ],
)
def test_what_the_assistant_said_is_asked_for(question: str) -> None:
    """A verb of saying in the past, or what was said between the two."""
    assert wants_assistant(fold(question))


@looped(
    "question",
    [
        "Can you recommend a hotel for my trip?",
        "Could you suggest something to watch tonight?",
        "Would you give me some ideas for dinner?",
        "What do you suggest for the weekend?",
        "Can you remind me when my appointment is?",
        "Remind me what I told you about the car, did I sell it?",
        "In our previous chat, what did I say about the dog?",
        "What did I tell you I gave her?",
        "Que restaurante você recomenda para hoje?",
        "você sugere algum filme?",
        "Me lembra o nome do meu dentista?",
        "Onde fica a oficina?",
    ],
)
def test_what_the_user_said_is_asked_for(question: str) -> None:
    """A wish for advice is answered from what the user likes; `my` and `did I` are the user's own."""
    assert not wants_assistant(fold(question))
