"""`UserProposals` without `await`; `make sync` writes this file from `handles/user/proposals.py`."""

from __future__ import annotations

import builtins

from rememora.domain.memory import Outcome, Proposal
from rememora.handles.deprecated import OldCall
from rememora.handles.user import proposals as wrapped
from rememora.knowledge.propose import Reply as Answered
from rememora.portal import Portal


class SyncUserProposals(OldCall):
    """The questions that wait for one user's answer."""

    def __init__(self, portal: Portal, inner: wrapped.UserProposals) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def list(self) -> builtins.list[Proposal]:
        """The questions that wait for this user's answer."""
        return self._portal.run(self._inner.list())

    def answer(self, proposal: str, reply: str | Answered) -> Outcome:
        """Answer a question: yes, no, the right value, or which one."""
        return self._portal.run(self._inner.answer(proposal, reply))
