"""Keeps text that was held for giving orders out of every pack, in whatever it comes back."""

from __future__ import annotations

from collections.abc import Iterable

from rememora.domain.memory import Quarantined

COMPARED_CHARACTERS = 400


class Held:
    """What is held of one user, as far as a reviewer has not let it go."""

    def __init__(self, held: Iterable[Quarantined]) -> None:
        self._texts = tuple(_plain(each.text)[:COMPARED_CHARACTERS] for each in held if each.status != "approved")

    def clears(self, text: str) -> bool:
        """Whether a text may be told: it holds nothing that is held."""
        if not self._texts:
            return True
        plain = _plain(text)
        return not any(held in plain for held in self._texts)

    def clear_lines(self, text: str) -> str:
        """A text of several lines without those that hold what is held."""
        return "\n".join(line for line in text.split("\n") if self.clears(line)) if self._texts else text


def _plain(text: str) -> str:
    return " ".join(text.split())
