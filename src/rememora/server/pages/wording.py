"""Texts of the API page in both languages: its own, and translations of the OpenAPI document's."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from rememora.dashboard.words import Language

Words = Mapping[str, str]
# Texts of the page by name. A test checks that none is missing in Portuguese.
ENGLISH: Final[Words] = {
    "home": "Home",
    "other": "pt",
    "other_name": "Português",
    "about": "The memory of AI agents. Every refusal is a problem as RFC 9457 describes it.",
    "operations": "Operations",
    "all": "All of them",
    "document": "OpenAPI 3.1 document",
    "for": "for clients and generators.",
    "start": "Start here",
    "key": "Put your key in the environment and say something. A key that is not a user's own names the user in "
    "<code>X-Rememora-User</code>; it reads a person's memory only with a reason in "
    "<code>X-Rememora-Reason</code>.",
    "rights": "Which key may do what",
    "each": "Each operation names the right it needs.",
    "try": "Try it from this page",
    "your_key": "Key",
    "user": "User",
    "reason": "Reason",
    "why": "why you read it",
    "find": "Find",
    "stays": "The key stays in this tab and is sent to this server only.",
    "types": "Types",
    "shapes": "Types",
    "needs": "needs",
    "open": "open to all",
    "parameters": "Parameters",
    "body": "Body",
    "body_optional": "Body (may be left out)",
    "answers": "Answers",
    "problems": "Problems (RFC 9457)",
    "required": "required",
    "send": "Send",
    "long.memory": "Memory: search and windows",
    "long.memories": "Memories: what is known",
    "long.gate": "Gate: what may become a memory",
    "long.person": "Person: profile, export, erase",
}
PORTUGUESE: Final[Words] = {
    "home": "Início",
    "other": "en",
    "other_name": "English",
    "about": "A memória de agentes de IA. Toda recusa é um problema como a RFC 9457 o descreve.",
    "noun.chat": "Conversar",
    "noun.conversations": "Conversas",
    "noun.memory": "Memória",
    "noun.memories": "Lembranças",
    "noun.gate": "Política",
    "noun.person": "Pessoa",
    "noun.entities": "Entidades",
    "noun.missions": "Missões",
    "noun.tasks": "Tarefas",
    "noun.audit": "Auditoria",
    "noun.events": "Eventos",
    "noun.keys": "Chaves",
    "noun.tenants": "Empresas",
    "noun.health": "Saúde",
    "operations": "Operações",
    "all": "Todas",
    "document": "Documento OpenAPI 3.1",
    "for": "para clientes e geradores.",
    "start": "Comece aqui",
    "key": "Ponha a sua chave no ambiente e diga algo. Uma chave que não é do próprio usuário diz quem ele é em "
    "<code>X-Rememora-User</code>; ela só lê a memória de uma pessoa com um motivo em "
    "<code>X-Rememora-Reason</code>.",
    "rights": "Que chave pode o quê",
    "each": "Cada operação diz de que direito precisa.",
    "try": "Experimente nesta página",
    "your_key": "Chave",
    "user": "Usuário",
    "reason": "Motivo",
    "why": "por que você lê",
    "find": "Procurar",
    "stays": "A chave fica nesta aba e só é enviada a este servidor.",
    "types": "Tipos",
    "shapes": "Tipos",
    "needs": "precisa de",
    "open": "aberta a todos",
    "parameters": "Parâmetros",
    "body": "Corpo",
    "body_optional": "Corpo (pode faltar)",
    "answers": "Respostas",
    "problems": "Problemas (RFC 9457)",
    "required": "obrigatório",
    "send": "Enviar",
    "long.memory": "Memória: busca e janelas",
    "long.memories": "Lembranças: o que se sabe",
    "long.gate": "Política: o que pode virar lembrança",
    "long.person": "Pessoa: perfil, exportação, apagamento",
}


def words_of(language: Language) -> Words:
    """Return the texts of the page in a language."""
    return {**PORTUGUESE, **_quoted()} if language == "pt" else ENGLISH


def operation_text(words: Words, name: str) -> str | None:
    """Return the description of an operation; None if only the document has one."""
    return words.get(f"operation.{name}")


def told(words: Words, english: str) -> str:
    """Return a text of the document in the language of the page; unchanged if there is no translation."""
    return words.get(f"told.{english}", english)


@cache
def _quoted() -> Words:
    """Portuguese translations of the document's English texts."""
    raw = tomllib.loads(files(__package__).joinpath("operations.pt.toml").read_text("utf-8"))
    operations = {f"operation.{name}": text for name, text in raw["operations"].items()}
    return operations | {
        f"told.{english}": text for part in ("parameters", "kinds", "types") for english, text in raw[part].items()
    }
