"""The policy as a page that people can read, made from the policy itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from rememora.gate.policy import Policy, load_policy


def render_policy(policy: Policy | None = None) -> str:
    """The page "What may become a memory" as Markdown."""
    return ""


__all__ = ["Iterator", "chain", "load_policy", "render_policy"]
