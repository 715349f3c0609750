"""The policy as a page that people can read, made from the policy itself."""

from __future__ import annotations

from collections.abc import Iterator

from rememora.gate.patterns import lines
from rememora.gate.policy import Policy, load_policy

_INTRODUCTION = """\
# What may become a memory

This page is generated from the policy that the gate runs on (version {version}).
The same policy judges what comes through the library, the server and the pages.

A memory is born of three things only:
the profile, an explicit wish of the person, or a statement that is useful later, stable and sure enough.
Everything else is refused with a reason, or asked about.
"""

_VERDICTS = """\
## Verdicts

| verdict | what happens |
|---|---|
| save | it is kept |
| ask | the person is asked one short question first |
| refuse | it is not kept; the reason is recorded |
| quarantine | it tries to give the agent orders: kept apart for review, never known, never shown to a model |
| forget | the person wants something gone |
| correct | the person says that something remembered is wrong |
"""

_GROUPS = (
    ("Why something is kept", ("explicit", "stated", "seeded")),
    ("Why the person is asked", ("confirm.",)),
    ("Why something is refused", ("refuse.",)),
    ("What is sensitive", ("sensitive.",)),
    ("What is quarantined", ("order.",)),
    ("What the person can ask for", ("intent.",)),
)

_SENSITIVE = """\
Sensitive content is refused even when the person asks for it to be kept,
unless the person insists and the tenant allows it.
Mentioning a secret without its value is not sensitive, nor are a CNPJ and business contacts.
"""

_TRUST = """\
## Who said it

Every candidate carries its origin.
What the assistant, a tool or a document says is at best a question to the person,
and never a command to memory.
When several pieces are combined, the least trusted of their origins is the origin of the whole.
"""


def render_policy(policy: Policy | None = None) -> str:
    """The page "What may become a memory" as Markdown."""
    policy = policy or load_policy()
    parts = [
        _INTRODUCTION.format(version=policy.version),
        _VERDICTS,
        _categories(policy),
        _numbers(policy),
        *_reasons(policy),
        _TRUST,
        _size(policy),
    ]
    return "\n".join(parts)


def _categories(policy: Policy) -> str:
    rows = "\n".join(
        f"| {kind.en} | {kind.pt} | {', '.join(f'`{space}.`' for space in kind.namespaces)} | {kind.scope} |"
        for kind in policy.categories
    )
    return (
        "## Categories\n\nA key is dotted lower-case words and begins with the namespace of its category.\n\n"
        f"| category | em português | keys | read by |\n|---|---|---|---|\n{rows}\n"
    )


def _numbers(policy: Policy) -> str:
    rows = "\n".join(f"| {name} | {value:g} |" for name, value in policy.plain("policy", "thresholds").items())
    return f"## Numbers\n\n| threshold | value |\n|---|---|\n{rows}\n"


def _reasons(policy: Policy) -> Iterator[str]:
    for title, prefixes in _GROUPS:
        rows = "\n".join(
            f"| `{code}` | {why['en']} | {why['pt']} |"
            for code, why in policy.plain("reasons").items()
            if code.startswith(prefixes)
        )
        note = f"{_SENSITIVE}\n" if prefixes == ("sensitive.",) else ""
        yield f"## {title}\n\n{note}| code | reason | motivo |\n|---|---|---|\n{rows}\n"


def _size(policy: Policy) -> str:
    orders = sum(len(rule.get("frames", ())) for rule in policy.plain("orders").values())
    words = sum(len(entries) for entries in policy.plain("lexicon").values())
    facts = sum(len(lines(rule["patterns"])) for rule in policy.plain("facts", "rule"))
    return (
        "## The rules themselves\n\n"
        f"{orders} frames over {words} words by class look for orders and {facts} patterns read facts; "
        "all of them are files beside the gate's code, in `src/rememora/gate/rules`.\n"
    )
