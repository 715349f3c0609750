"""What the segments of well-known keys are called in Portuguese and English, so that a question can meet them."""

from __future__ import annotations

from typing import Final

CALLED: Final = {
    "answers": "respostas",
    "business": "negócio",
    "business_hours": "horário de funcionamento, opening hours",
    "birthday": "aniversário",
    "channels": "canais",
    "city": "cidade",
    "communication_style": "estilo de comunicação, jeito de falar",
    "company": "empresa",
    "contact": "contato",
    "deadline": "prazo",
    "email": "e-mail",
    "goals": "metas, objetivos",
    "language": "idioma, língua",
    "location": "lugar, cidade, onde mora, where lives",
    "model": "modelo",
    "name": "nome, como se chama",
    "no_emojis": "sem emojis",
    "no_tech_terms": "sem termos técnicos",
    "operating": "funcionamento, regra, how we work",
    "payment_terms": "condições de pagamento, prazo de pagamento",
    "people": "pessoas, contatos, quem é",
    "phone": "telefone, celular",
    "prefs": "preferência, gosta, prefere, likes",
    "price": "preço",
    "primary_goals": "metas principais",
    "projects": "projetos",
    "role": "função, cargo",
    "role_title": "cargo, função",
    "segment": "segmento, ramo",
    "short_answers": "respostas curtas",
    "supplier": "fornecedor",
    "target_audience": "público, clientes",
    "tenant": "empresa, company",
    "timezone": "fuso horário",
    "tools": "ferramentas, sistemas",
    "user": "pessoa, usuário",
}


def called(key: str) -> str:
    """The other names of a dotted key: `tenant.name` is also `empresa, company, nome, como se chama`."""
    return ", ".join(CALLED[segment] for segment in key.split(".") if segment in CALLED)
