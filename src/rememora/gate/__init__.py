"""The gate: what may become a memory, decided by rules that are data."""

from __future__ import annotations

from rememora.gate.answers import No, Unrelated, Value, Yes, read_answer
from rememora.gate.candidates import judge_candidate
from rememora.gate.explain import render_policy
from rememora.gate.judge import evaluate
from rememora.gate.policy import Policy, load_policy

__all__ = [
    "No",
    "Policy",
    "Unrelated",
    "Value",
    "Yes",
    "evaluate",
    "judge_candidate",
    "load_policy",
    "read_answer",
    "render_policy",
]
