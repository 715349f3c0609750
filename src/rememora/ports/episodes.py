"""Port of summaries and episodes, inside a unit of work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rememora.domain.episode import Episode, Summary
from rememora.domain.scope import Scope
from rememora.domain.visibility import Reason
from rememora.ports.erasable import Erasable


class Summaries(Erasable, Protocol):
    """One rolling summary per conversation."""

    def get(self, scope: Scope) -> Summary | None: ...

    def all(self, scope: Scope) -> list[Summary]:
        """List the summaries of all the user's conversations."""

    def replace(self, scope: Scope, summary: Summary, *, after_seq: int) -> bool:
        """Store the summary if the stored one still ends at `after_seq` (0: there is none); otherwise False."""

    def hide(self, scope: Scope, hidden: Reason | None) -> None:
        """Set the reason for hiding the summary; None makes it visible."""

    def rewrite(self, scope: Scope, summary: Summary) -> bool:
        """Replace the text of a summary that was made again; False when it covers something else by now."""

    def remove(self, scope: Scope) -> int: ...


class Episodes(Erasable, Protocol):
    """Runs of turns, at most one for each turn count."""

    def add(self, scope: Scope, episode: Episode, *, summarised: bool = True) -> bool:
        """Store the episode, to be summarised later unless `summarised`; False if its turn count has one."""

    def add_all(self, scope: Scope, episodes: Sequence[Episode], *, summarised: bool = True) -> list[Episode]:
        """Store episodes of the conversation, as `add` does; returns those that are new."""

    def tell(self, scope: Scope, episode: Episode) -> bool:
        """Set the title and summary of an episode that waits for them; False if it does not wait."""

    def newest(self, scope: Scope, *, limit: int) -> list[Episode]:
        """List the newest of the conversation, or of all the user's if the scope names none."""

    def withhold(self, scope: Scope, seq: int) -> list[str]:
        """Hide the episodes that cover a position until they are made again; returns their ids."""

    def withheld(self, scope: Scope) -> list[Episode]:
        """List the conversation's episodes that wait to be made again."""

    def hide(self, scope: Scope, id: str, hidden: Reason | None) -> None:
        """Set the reason for hiding one episode; None makes it visible."""

    def remove(self, scope: Scope) -> int: ...
