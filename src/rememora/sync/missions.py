"""`UserMissions` without `await`; `make sync` writes this file from `handles/missions.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rememora.domain.memory import Outcome
from rememora.domain.mission import Mission
from rememora.domain.mission_intake import Intake
from rememora.handles import missions as wrapped
from rememora.missions.agents import Agent, Options
from rememora.missions.agents import MissionOutcome as Answered
from rememora.missions.limits import Terms
from rememora.portal import Portal


class SyncUserMissions:
    """The missions of one user; each is gone once its answer is out."""

    def __init__(self, portal: Portal, inner: wrapped.UserMissions) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def run(
        self,
        query: str,
        *,
        coordinators: Mapping[str, Agent],
        executors: Mapping[str, Agent],
        options: Options | None = None,
        session: str | None = None,
    ) -> Answered:
        """Take a query through the layers, with plain async functions as agents, to its answer and account."""
        return self._portal.run(
            self._inner.run(
                query, coordinators=coordinators, executors=executors, options=options, session=session
            )
        )

    def create(
        self,
        query: str,
        *,
        intake: Intake | None = None,
        terms: Terms | None = None,
        fallbacks: Mapping[str, str] | None = None,
        session: str | None = None,
    ) -> Mission:
        """Open a mission, in a session or none, whose layers you conduct yourself over its board and its bus."""
        return self._portal.run(
            self._inner.create(query, intake=intake, terms=terms, fallbacks=fallbacks, session=session)
        )

    def get(self, mission: str) -> Mission:
        """The whole document of one mission."""
        return self._portal.run(self._inner.get(mission))

    def active(self, *, limit: int = 50, session: str | None = None) -> list[Mission]:
        """The missions that are being worked on, newest first; of one session, where it is named."""
        return self._portal.run(self._inner.active(limit=limit, session=session))

    def delete(self, mission: str) -> bool:
        """Remove a mission before its time; False when there is none."""
        return self._portal.run(self._inner.delete(mission))

    def promote(self, mission: str, *, path: str, key: str) -> Outcome:
        """Let one result outlive its mission, if the gate lets it; an agent's finding, not the user's word."""
        return self._portal.run(self._inner.promote(mission, path=path, key=key))

    def debug(self, mission: str) -> dict[str, Any]:
        """The document as it lies and what is left to it; only where `missions.debug` is on."""
        return self._portal.run(self._inner.debug(mission))
