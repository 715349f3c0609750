"""Proposals to one user: questions that wait for an answer before something is saved."""

from __future__ import annotations

import builtins

from rememora.domain.memory import Outcome, Proposal
from rememora.handles.deprecated import OldCall
from rememora.handles.user.noun import UserNoun
from rememora.knowledge import propose
from rememora.knowledge.propose import Reply as Answered


class UserProposals(OldCall, UserNoun):
    """The questions that wait for one user's answer."""

    async def list(self) -> builtins.list[Proposal]:
        """List the questions that wait for this user's answer."""
        await self._look()
        return await propose.proposals(self._parts.desk, self._scope, actor=self._actor)

    async def answer(self, proposal: str, reply: str | Answered) -> Outcome:
        """Answer a question: yes, no, the correct value, or a choice."""
        await self._look()
        return await propose.answer(self._parts.desk, self._scope, proposal, reply, actor=self._actor)
