"""List the labels of the reader: acts, attributes, subjects, in the order of the network's outputs."""

from __future__ import annotations

from typing import Final

ACTS: Final = (
    "chat", "tell", "change", "correct", "keep", "dont_keep", "forget", "erase", "hush", "undo", "answer",
    "doubt", "passing", "ask", "request", "unreal", "secret", "order",
)  # fmt: skip
"""Acts of a part of a message; data/reading/README.md defines each."""

CONSEQUENCE: Final = "consequence"
"""The act of what follows from a rule that came true; the planner knows it, the network does not."""

ATTRIBUTES: Final = (
    "", "name", "nickname", "relation", "role", "employer", "place", "birthday", "age", "phone", "email",
    "address", "study", "diet", "pet", "segment", "hours", "size", "price", "payment", "supplier", "client",
    "policy", "equipment", "product", "deadline", "budget", "owner", "status", "quantity", "model", "color",
    "language", "style", "channel", "tool", "routine", "meeting", "event", "goal", "likes", "dislikes",
    "rule", "skill", "possession", "other",
)  # fmt: skip
"""Attributes of a value; the empty one stands for words that are no value."""

SUBJECTS: Final = ("", "me", "company", "named", "meant")
"""Whom a value is about: named in the message, or meant by a pronoun or by what was said before."""

LABELS: Final = ("save", "ask", "reject", "sensitive", "quarantine", "forget", "correct")
"""Labels of a whole message, as evaluation sets write them."""

NAME_KINDS: Final = ("person", "organization", "product", "place", "campaign", "other")
"""What a name may be the name of; `other` are pets, projects, books and the like."""

NAME_TAGS: Final = (("", False), *((kind, begins) for kind in NAME_KINDS for begins in (True, False)))
"""What a word may be: none of a name, or of a kind of name, which it begins or goes on with."""
