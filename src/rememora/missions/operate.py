"""Execution of a coordinator's plan: runnable operations in order, up to a maximum at the same time (W6, W7)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from rememora.domain.mission import Mission
from rememora.domain.mission_bus import BusMessage
from rememora.domain.mission_plan import Operation, OperationPlan
from rememora.domain.mission_work import OperationRun, Track
from rememora.errors import BreakerOpen, DeadlinePassed, MissionRefused
from rememora.missions.bus import AgentAnswer, Also, as_error
from rememora.missions.guards import CallRequest
from rememora.missions.mission_run import MissionRun, attempt
from rememora.missions.plan import blocked_by_failure, runnable
from rememora.missions.record import with_run, with_track
from rememora.missions.settlement import at_worst


class Operations:
    """The operations of one plan, from waiting to done or failed."""

    def __init__(
        self, stage: MissionRun, coordinator: str, plan: OperationPlan, *, collected: Mapping[str, Any]
    ) -> None:
        self.runs: dict[str, OperationRun] = {}
        self._stage = stage
        self._coordinator = coordinator
        self._plan = plan
        self._by_id = {operation.id: operation for operation in plan.operations}
        self._collected = dict(collected)
        self._sent: set[str] = set()
        self._waiting = 0

    async def carry_out(self) -> dict[str, Any]:
        """Run the plan to its end and return everything collected so far."""
        running: set[asyncio.Task[None]] = set()
        try:
            while await self._advance(running):
                # Whatever ends first may free operations that wait for it: they start at once, not with the
                # slowest of a round.
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                running -= done
                for task in done:
                    task.result()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
        for operation in self._plan.operations:
            # Never silently missing: what did not run is recorded as failed, with the reason.
            if operation.id not in self.runs:
                await self._fail(operation, DeadlinePassed(self._stage.mission_id, "its turn never came"))
        return self._collected

    async def _advance(self, running: set[asyncio.Task[None]]) -> bool:
        """Send runnable operations and start as many as allowed; return whether any runs."""
        await self._send_ready()
        while self._waiting and len(running) < self._stage.options.parallel:
            taken = await self._stage.bus.take(sender=self._coordinator, also=self._running)
            if taken is None or taken.message.operation is None:
                # What waited was given up meanwhile, because its own time was over.
                self._waiting = 0
                break
            self._waiting -= 1
            operation = self._by_id[taken.message.operation]
            if taken.refusal:
                await self._refused(operation, as_error(self._stage.mission_id, taken.refusal))
                await self._send_ready()
                continue
            running.add(asyncio.create_task(self._operate(operation, taken.message)))
        return bool(running)

    async def _send_ready(self) -> None:
        for operation in runnable(self._plan, self.runs):
            if operation.id not in self._sent:
                self._sent.add(operation.id)
                await self._send(operation)
        for operation in blocked_by_failure(self._plan, self.runs):
            await self._set(operation.id, OperationRun(state="failed", error="what it waits for failed"))

    async def _send(self, operation: Operation) -> None:
        try:
            await self._post(operation, operation.executor)
        except MissionRefused as refusal:
            await self._refused(operation, refusal)

    async def _refused(self, operation: Operation, refusal: MissionRefused) -> None:
        """Use the fallback of an agent with an open breaker, or give the operation up."""
        if not isinstance(refusal, BreakerOpen) or refusal.fallback is None:
            await self._fail(operation, refusal)
            return
        try:
            await self._post(operation, refusal.fallback)
        except MissionRefused as second:
            await self._fail(operation, second)

    async def _post(self, operation: Operation, executor: str, *, start: bool = False) -> BusMessage:
        send = CallRequest(
            sender=self._coordinator,
            to=executor,
            reserve=operation.estimate,
            priority=operation.priority,
            timeout_s=operation.timeout_s,
            operation=operation.id,
            payload=operation.payload,
            start=start,
            kind="operation" if executor == operation.executor else "fallback",
        )
        message = await self._stage.bus.send(send)
        self._waiting += 0 if start else 1
        return message

    async def _operate(self, operation: Operation, message: BusMessage) -> None:
        """Do one operation, and retry it with the executor's fallback if it fails."""
        self.runs[operation.id] = OperationRun(state="running")
        failure = await self._try(operation, message)
        fallback = self._stage.options.fallbacks.get(message.to)
        if failure and fallback and message.to == operation.executor:
            failure = await self._retry(operation, fallback)
        if failure:
            await self._fail(operation, failure)

    async def _retry(self, operation: Operation, fallback: str) -> Exception | None:
        try:
            message = await self._post(operation, fallback, start=True)
        except MissionRefused as refusal:
            return refusal
        return await self._try(operation, message)

    async def _try(self, operation: Operation, message: BusMessage) -> Exception | None:
        stage = self._stage
        record = partial(self._recorded, operation, message)
        carried = stage.bus.carry(message, stage.worker(message.to, self._collected), also=record)
        answer = await attempt(carried)
        if isinstance(answer, Exception):
            return answer
        self.runs[operation.id] = self._done(operation, message, answer)
        self._collected[operation.id] = answer.value
        return None

    def _running(self, mission: Mission, message: BusMessage) -> Mission:
        run = OperationRun(state="running", started_at=message.started_at)
        return with_run(mission, self._coordinator, str(message.operation), run)

    def _recorded(self, operation: Operation, message: BusMessage, answer: AgentAnswer | None) -> Also:
        """Return the record of a call, to be stored in the change that settles it."""
        now = self._stage.clock()
        track = Track(
            executor=message.to,
            coordinator=self._coordinator,
            operation=operation.id,
            ok=answer is not None,
            started_at=message.started_at,
            ended_at=now,
            duration_s=max(0.0, (now - message.started_at).total_seconds()) if message.started_at else None,
            request_id=(answer.request_id if answer else None) or message.id,
            fallback_for=operation.executor if message.to != operation.executor else None,
            # A call that failed may have used all it was allowed: nobody can say otherwise.
            spent=answer.spent if answer else at_worst(message),
        )

        def record(mission: Mission) -> Mission:
            tracked = with_track(mission, track)
            if answer is None:
                return tracked
            done = replace(self._done(operation, message, answer), ended_at=now)
            return with_run(tracked, self._coordinator, operation.id, done)

        return record

    def _done(self, operation: Operation, message: BusMessage, answer: AgentAnswer) -> OperationRun:
        return OperationRun(
            state="done",
            result=answer.value,
            source=answer.source or message.to,
            fallback=message.to if message.to != operation.executor else None,
            tokens=answer.spent.tokens,
            reliability=answer.reliability,
            started_at=message.started_at,
        )

    async def _fail(self, operation: Operation, error: Exception) -> None:
        self._stage.warnings.append(f"{operation.id}: {error}")
        await self._set(operation.id, OperationRun(state="failed", error=str(error), ended_at=self._stage.clock()))

    async def _set(self, operation: str, run: OperationRun) -> None:
        self.runs[operation] = run
        await self._stage.board.amend(lambda mission: with_run(mission, self._coordinator, operation, run))
