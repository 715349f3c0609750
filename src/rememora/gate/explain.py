"""The policy as a page that people can read, made from the policy itself, in either language."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Literal

from rememora.domain.verdict import AnyVerdict
from rememora.gate.patterns import lines
from rememora.gate.policy import Policy, load_policy

Tongue = Literal["en", "pt"]

# The fixed texts of the page, by language; placeholders are filled from the policy, so that the page cannot
# disagree with what the gate does.
_OPENING = MappingProxyType(
    {
        "en": """\
# What may become a memory

This page is generated from the policy that the gate runs on (version {version}).
The same policy judges what comes through the library, the server and the pages.

[Leia em português](what-may-become-a-memory.pt-BR.md)

A memory is born of three things only:
the profile, an explicit wish of the person, or a statement that is useful later, stable and sure enough.
Everything else is refused with a reason, or asked about.

```mermaid
flowchart LR
    M[what is said] --> O[orders and secrets]
    O --> Q[quarantine,<br>or refused]
    O --> W[wishes: keep,<br>forget, correct]
    W --> K[kept, gone<br>or corrected]
    O --> S[statements: useful,<br>stable, sure?]
    S --> K
    S --> A[the person is asked]
    S --> R[refused,<br>with its reason]
```

## Verdicts

| verdict | what happens |
|---|---|
| save | it is kept |
| ask | the person is asked one short question first |
| refuse | it is not kept; the reason is recorded |
| quarantine | it tries to give the agent orders: kept apart for review, never known, never shown to a model |
| forget | the person wants something gone |
| correct | the person says that something remembered is wrong |
""",
        "pt": """\
# O que pode virar memória

Esta página é gerada da política com que o portão trabalha (versão {version}).
A mesma política julga o que chega pela biblioteca, pelo servidor e pelas páginas.

[Read in English](what-may-become-a-memory.md)

Uma memória nasce de três coisas apenas:
do cadastro, de um pedido explícito da pessoa, ou de uma afirmação útil mais tarde, estável e segura o bastante.
Todo o resto é recusado com um motivo, ou vira pergunta.

```mermaid
flowchart LR
    M[o que se diz] --> O[ordens e segredos]
    O --> Q[quarentena,<br>ou recusa]
    O --> W[pedidos: guardar,<br>esquecer, corrigir]
    W --> K[guardado, esquecido<br>ou corrigido]
    O --> S[afirmações: úteis,<br>estáveis, seguras?]
    S --> K
    S --> A[pergunta-se à pessoa]
    S --> R[recusado,<br>com o motivo]
```

## Veredictos

| veredicto | o que acontece |
|---|---|
| save | é guardado |
| ask | antes se faz uma pergunta curta à pessoa |
| refuse | não é guardado; o motivo fica registrado |
| quarantine | tenta dar ordens ao agente: fica à parte para revisão, nunca é sabido nem mostrado a um modelo |
| forget | a pessoa quer que algo seja esquecido |
| correct | a pessoa diz que algo lembrado está errado |
""",
    }
)

# Reasons are grouped by prefix: a new reason appears in the policy page without a change here.
_GROUPS = (
    ("Why something is kept", "Por que algo é guardado", ("explicit", "stated", "seeded")),
    ("Why the person is asked", "Por que se pergunta à pessoa", ("confirm.",)),
    ("Why something is refused", "Por que algo é recusado", ("refuse.",)),
    ("What is sensitive", "O que é sensível", ("sensitive.",)),
    ("What is quarantined", "O que fica em quarentena", ("order.",)),
    ("What the person can ask for", "O que a pessoa pode pedir", ("intent.",)),
)

# Follows the list of sensitive reasons.
_SENSITIVE = MappingProxyType(
    {
        "en": """\
Sensitive content is refused even when the person asks for it to be kept,
unless the person insists and the tenant allows it.
In a conversation a person insists by answering "save it anyway"; a program passes `insists=True`.
Mentioning a secret without its value is not sensitive, nor are a CNPJ and business contacts.
""",
        "pt": """\
Conteúdo sensível é recusado mesmo quando a pessoa pede para guardar,
a não ser que ela insista e a empresa permita.
Numa conversa, a pessoa insiste respondendo "guarda mesmo assim"; um programa passa `insists=True`.
Falar de um segredo sem dizer o valor não é sensível, nem um CNPJ nem contatos comerciais.
""",
    }
)

# The order of trust among origins, as `Origin` has it.
_TRUST = MappingProxyType(
    {
        "en": """\
## Who said it

Every candidate carries its origin.
What the assistant, a tool or a document says is at best a question to the person,
and never a command to memory.
When several pieces are combined, the least trusted of their origins is the origin of the whole.
""",
        "pt": """\
## Quem disse

Todo candidato leva a sua origem.
O que o assistente, uma ferramenta ou um documento diz é no máximo uma pergunta à pessoa,
e nunca uma ordem à memória.
Quando várias partes se juntam, a origem do todo é a menos confiável delas.
""",
    }
)

# The head of a table; its rows are the policy's categories.
_CATEGORIES = MappingProxyType(
    {
        "en": """\
## Categories

A key is dotted lower-case words and begins with the namespace of its category.

| category | em português | keys | read by |
|---|---|---|---|
""",
        "pt": """\
## Categorias

Uma chave são palavras minúsculas separadas por pontos, e começa com o espaço de nomes da sua categoria.

| categoria | in English | chaves | quem lê |
|---|---|---|---|
""",
    }
)

# The figures are counted when the page is written.
_SIZE = MappingProxyType(
    {
        "en": """\
## The rules themselves

{orders} frames over {words} words by class look for orders and {facts} patterns read facts; \
the rules are files beside the gate's code, in `src/rememora/gate/rules`, \
their words those of the language packs, in `src/rememora/languages`.
""",
        "pt": """\
## As próprias regras

{orders} moldes sobre {words} palavras em classes procuram ordens, e {facts} padrões leem fatos; \
as regras são arquivos ao lado do código do portão, em `src/rememora/gate/rules`, \
e as palavras são as dos pacotes de idioma, em `src/rememora/languages`.
""",
    }
)


def render_policy(policy: Policy | None = None, language: Tongue = "en") -> str:
    """The page "What may become a memory" as Markdown."""
    policy = policy or load_policy()
    parts = [
        _OPENING[language].format(version=policy.version),
        _categories(policy, language),
        _numbers(policy, language),
        *_reasons(policy, language),
        _TRUST[language],
        _size(policy, language),
    ]
    return "\n".join(parts)


def _categories(policy: Policy, language: Tongue) -> str:
    rows = (
        f"| {kind.en if language == 'en' else kind.pt} | {kind.pt if language == 'en' else kind.en} "
        f"| {', '.join(f'`{space}.`' for space in kind.namespaces)} | {kind.scope} |\n"
        for kind in policy.categories
    )
    return _CATEGORIES[language] + "".join(rows)


def _numbers(policy: Policy, language: Tongue) -> str:
    heads = "## Numbers\n\n| threshold | value |" if language == "en" else "## Números\n\n| limite | valor |"
    rows = "\n".join(f"| {name} | {value:g} |" for name, value in policy.plain("policy", "thresholds").items())
    return f"{heads}\n|---|---|\n{rows}\n"


def _reasons(policy: Policy, language: Tongue) -> Iterator[str]:
    first, second = ("en", "pt") if language == "en" else ("pt", "en")
    heads = "| code | reason | motivo |" if language == "en" else "| código | motivo | reason |"
    for english, portuguese, prefixes in _GROUPS:
        rows = "\n".join(
            f"| `{code}` | {why[first]} | {why[second]} |"
            for code, why in policy.plain("reasons").items()
            if code.startswith(prefixes)
        )
        note = f"{_SENSITIVE[language]}\n" if prefixes == ("sensitive.",) else ""
        yield f"## {english if language == 'en' else portuguese}\n\n{note}{heads}\n|---|---|---|\n{rows}\n"


def _size(policy: Policy, language: Tongue) -> str:
    orders = sum(len(rule.get("frames", ())) for rule in policy.plain("orders").values())
    words = sum(len(entries) for entries in policy.plain("lexicon").values())
    facts = sum(len(lines(rule["patterns"])) for rule in policy.plain("facts", "rule"))
    return _SIZE[language].format(orders=orders, words=words, facts=facts)


def said_why(verdict: AnyVerdict, language: str) -> str:
    """The reason for a verdict as a person of that language is told it."""
    return verdict.why.told_in(language)
