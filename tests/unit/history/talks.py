"""Hand-written conversations, with the facts that a summary must keep and the filler it must not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from rememora.domain.message import Message, Role

START = datetime(2026, 5, 4, 12, tzinfo=UTC)

PADARIA: tuple[tuple[Role, str], ...] = (
    ("user", "Oi, bom dia! Tudo bem?"),
    ("assistant", "Bom dia! Tudo ótimo por aqui. Como posso ajudar?"),
    ("user", "Me chamo Ana Ribeiro e sou dona da Padaria Sol, em Campinas."),
    ("assistant", "Prazer, Ana! Que legal a Padaria Sol."),
    ("user", "Quanto devo investir em anúncios para chegar a R$ 45.000 por mês de faturamento?"),
    (
        "assistant",
        "Ótima pergunta! Recomendo começar com R$ 1.800 por mês no Instagram e medir o CAC por quatro semanas. "
        "Qualquer dúvida, estou à disposição.",
    ),
    ("user", "Fechado, pode seguir com isso."),
    ("assistant", "Perfeito! Já volto com o plano."),
    ("user", "ok"),
    ("user", "tô esperando"),
    ("assistant", "O ticket médio atual é de R$ 23,50 e a margem está em 18%."),
    ("user", "A meta é 30% de margem até dezembro."),
    ("assistant", "Anotado."),
    ("user", "Prefiro respostas curtas e sem termos técnicos, por favor."),
    ("assistant", "Combinado."),
    ("user", "kkkk valeu"),
    ("user", "O fornecedor de farinha é o Moinho Paulista e quem atende é o Carlos."),
    ("assistant", "Certo, o contato é o Carlos do Moinho Paulista."),
    ("user", "Decidimos cancelar a campanha Dia das Mães, ela não deu resultado."),
    ("assistant", "Entendido. Mais alguma coisa?"),
    ("user", "Não me ligue antes das 10h."),
    ("assistant", "Blz!"),
    ("user", "Obrigada, até amanhã!"),
    ("assistant", "Até amanhã! Bom descanso."),
)

PADARIA_KEEPS = (
    "Ana Ribeiro",
    "Padaria Sol",
    "R$ 45.000",
    "R$ 1.800",
    "(aceito)",
    "R$ 23,50",
    "18%",
    "30% de margem",
    "respostas curtas",
    "Moinho Paulista",
    "Carlos",
    "Dia das Mães",
    "antes das 10h",
)
PADARIA_DROPS = (
    "Tudo bem?",
    "tô esperando",
    "kkkk",
    "Até amanhã",
    "Mais alguma coisa",
    "disposição",
    "Blz",
    "Bom dia",
)

STARTUP: tuple[tuple[Role, str], ...] = (
    ("user", "Hi there!"),
    ("assistant", "Hello! How can I help you today?"),
    ("user", "I'm Kevin, and I run growth at Brightlane, a scheduling startup in Austin."),
    ("assistant", "Nice to meet you, Kevin! Happy to help."),
    ("user", "Our churn went from 4.2% to 6.8% in March. What should we look at first?"),
    (
        "assistant",
        "Great question! I suggest you interview ten customers who left in March before changing the price. "
        "Let me know if you need a script.",
    ),
    ("user", "Sounds good, let's do that."),
    ("assistant", "Perfect."),
    ("user", "still waiting"),
    ("user", "thanks"),
    ("assistant", "The onboarding survey had 312 answers, and 41% named calendar sync as the problem."),
    ("user", "We decided to move the launch to June 12 and to hire Priya as the lead designer."),
    ("assistant", "Got it."),
    ("user", "I prefer bullet points over long paragraphs."),
    ("assistant", "Sure thing!"),
    ("user", "Never schedule calls on Fridays."),
    ("assistant", "Noted."),
    ("user", "The budget for the relaunch is $18,000, and Dana from finance has to approve it."),
    ("assistant", "Okay. Anything else?"),
    ("user", "lol no"),
    ("user", "Have a great weekend!"),
    ("assistant", "You're welcome! Have a nice weekend."),
)
STARTUP_KEEPS = (
    "Kevin",
    "Brightlane",
    "6.8%",
    "What should we look at first?",
    "interview ten customers",
    "(accepted)",
    "312",
    "41%",
    "June 12",
    "Priya",
    "bullet points",
    "Fridays",
    "$18,000",
    "Dana",
)
STARTUP_DROPS = (
    "Hi there",
    "How can I help",
    "still waiting",
    "thanks",
    "lol",
    "Have a",
    "Got it",
    "Anything else",
)


def talk(lines: tuple[tuple[Role, str], ...], *, first: int = 1) -> list[Message]:
    """The lines as stored messages, one a minute."""
    return [
        Message(
            tenant="acme",
            user="ana",
            conversation="c1",
            seq=seq,
            id=f"m{seq}",
            role=role,
            content=content,
            modality="chat",
            attachments=(),
            metadata={},
            created_at=START + timedelta(minutes=seq),
        )
        for seq, (role, content) in enumerate(lines, first)
    ]
