"""Tasks: scope first, taken by one worker at a time, ended once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import msgspec
from tests.contract.apart import apart
from tests.contract.making import moment
from tests.contract.test_scope import PAIRS
from tests.looped import looped

from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.domain.task import Ending, Task, TaskDone, TaskFailed, TaskFilter, TaskStatus
from rememora.ports.store import Store, UnitOfWork
from rememora.ports.tasks import Tasks

ANA = Scope("acme", "ana", "c1")
BIA = Scope("acme", "bia", "c1")
ALL = TaskFilter()
PERSON = ErasurePlan(person=True, history=True)
Act = Callable[[UnitOfWork, Scope], Any]

READINGS: dict[str, Act] = {
    "tasks.get": lambda work, scope: [task] if (task := work.tasks.get(scope, "t1")) else [],
    "tasks.with_key": lambda work, scope: [result] if (result := work.tasks.with_key(scope, "k1")) else [],
    "tasks.page": lambda work, scope: work.tasks.page(scope, ALL, limit=9),
    "tasks.unjudged": lambda work, scope: work.tasks.unjudged(scope, limit=9),
}
TEXTS: dict[str, Act] = {"tasks.texts": lambda work, scope: work.tasks.texts(scope, PERSON)}
OF_THE_TENANT: dict[str, Act] = {
    "tasks.of_tenant": lambda work, scope: work.tasks.of_tenant(scope, ALL, limit=9),
    "tasks.due": lambda work, scope: work.tasks.due(scope, "crm", now=moment(99), limit=9),
    "tasks.of_anybody": lambda work, scope: [
        result for id in ("t1", "t2") if (result := work.tasks.of_anybody(scope, id))
    ],
}
WRITINGS: dict[str, Act] = {
    "tasks.add": lambda work, scope: work.tasks.add(scope, asked(scope, "t9", key="k9")),
    "tasks.claim": lambda work, scope: work.tasks.claim(scope, asked(scope, "t2"), owner="w", until=moment(9)),
    "tasks.renew": lambda work, scope: work.tasks.renew(scope, "t1", owner="w1", until=moment(99)),
    "tasks.postpone": lambda work, scope: work.tasks.postpone(
        scope, asked(scope), owner="w1", due_at=moment(99), at=moment(1)
    ),
    "tasks.end": lambda work, scope: end(work, scope, "t1", owner="w1"),
    "tasks.erase": lambda work, scope: work.tasks.erase(scope, PERSON) > 0,
}


def _hide(work: UnitOfWork, scope: Scope) -> bool:
    work.tasks.hide(scope, "t1", "order")
    return True


WRITINGS["tasks.hide"] = _hide


def asked(scope: Scope, id: str = "t1", *, key: str | None = None, due: float = 0, module: str = "crm") -> Task:
    """A task as it begins."""
    return Task(
        id=id,
        tenant=scope.tenant,
        user=scope.user,
        conversation=scope.conversation,
        module=module,
        kind="send",
        payload={"of": scope.user},
        correlation=f"of {id}",
        key=key,
        due_at=moment(due),
        created_at=moment(),
        updated_at=moment(),
    )


def end(
    work: UnitOfWork, scope: Scope, id: str, *, owner: str | None, ending: Ending | None = None, at: float = 1
) -> bool:
    """Let a task end."""
    ending = ending or TaskDone(summary="sent")
    status: TaskStatus = "completed" if isinstance(ending, TaskDone) else "failed"
    return work.tasks.end(scope, id, status=status, ending=ending, at=moment(at), owner=owner)


def fill(work: UnitOfWork, scope: Scope) -> None:
    """Two tasks of an owner: one held by a worker, one that waits."""
    work.tasks.add(scope, asked(scope, "t1", key="k1"))
    work.tasks.add(scope, asked(scope, "t2"))
    work.tasks.claim(scope, asked(scope, "t1"), owner="w1", until=moment(10))
    work.tasks.hide(scope, "t2", "unjudged")


async def filled(store: Store, *scopes: Scope) -> None:
    """The same tasks for each owner."""
    for scope in scopes:
        await store.write(scope, partial(fill, scope=scope))


@looped("name", [*READINGS, *TEXTS])
@looped("pair", PAIRS.values(), ids=PAIRS, fresh=apart)
async def test_a_reading_sees_only_its_own(store: Store, pair: tuple[Scope, Scope], name: str) -> None:
    """What another owner handed over under the same ids and keys is not there for me."""
    mine, theirs = pair
    act = {**READINGS, **TEXTS}[name]
    await filled(store, theirs)

    assert [] == await store.read(mine, lambda work: act(work, mine))

    await filled(store, mine)
    result = await store.read(mine, lambda work: act(work, mine))

    assert result
    assert all((task.tenant, task.user) == (mine.tenant, mine.user) for task in result if isinstance(task, Task))


@looped("name", WRITINGS)
@looped("pair", PAIRS.values(), ids=PAIRS, fresh=apart)
async def test_a_writing_touches_only_its_own(store: Store, pair: tuple[Scope, Scope], name: str) -> None:
    """What I change under my ids leaves the same ids of another owner as they were."""
    mine, theirs = pair
    await filled(store, mine, theirs)
    before = await store.read(theirs, lambda work: work.tasks.page(theirs, ALL, limit=9))

    assert await store.write(mine, lambda work: WRITINGS[name](work, mine))
    assert before == await store.read(theirs, lambda work: work.tasks.page(theirs, ALL, limit=9))


async def test_the_tenant_sees_its_own_users_only(store: Store) -> None:
    """Everybody of the tenant, nobody of another."""
    zeta = Scope("zeta", "ana", "c1")
    await filled(store, ANA, BIA, zeta)
    result = await store.read(ANA, lambda work: OF_THE_TENANT["tasks.of_tenant"](work, ANA))

    assert {("acme", "ana"), ("acme", "bia")} == {(task.tenant, task.user) for task in result}
    assert 4 == len(result)


def test_every_repository_method_is_proven_here() -> None:
    """A method added to the port without a case above fails this test."""
    methods = {f"tasks.{name}" for name in dir(Tasks) if not name.startswith("_")}

    assert methods == {*READINGS, *TEXTS, *OF_THE_TENANT, *WRITINGS}


async def test_a_task_comes_back_as_it_was_written(store: Store) -> None:
    """Every field, before and after it ended."""
    task = asked(ANA, key="k1")
    await store.write(ANA, lambda work: work.tasks.add(ANA, task))

    assert task == await store.read(ANA, lambda work: work.tasks.get(ANA, "t1"))

    done = TaskDone(summary="sent", result={"id": 0, "ok": False})
    await store.write(ANA, lambda work: end(work, ANA, "t1", owner=None, ending=done))
    ended = await store.read(ANA, lambda work: work.tasks.get(ANA, "t1"))

    assert ended == msgspec.structs.replace(
        task, status="completed", due_at=None, result=done.result, summary="sent", updated_at=moment(1)
    )


async def test_a_key_is_used_once(store: Store) -> None:
    """A second task under a user's key is not stored; without a key there may be many."""

    def write(work: UnitOfWork) -> list[bool]:
        return [
            work.tasks.add(ANA, asked(ANA, "t1", key="k")),
            work.tasks.add(ANA, asked(ANA, "t2", key="k")),
            work.tasks.add(BIA, asked(BIA, "t3", key="k")),
            work.tasks.add(ANA, asked(ANA, "t4")),
            work.tasks.add(ANA, asked(ANA, "t5")),
        ]

    assert [True, False, True, True, True] == await store.write(ANA, write)


async def test_pages_are_narrowed_and_newest_first(store: Store) -> None:
    """By status, by module, from an id on."""

    def write(work: UnitOfWork) -> None:
        for number in range(1, 5):
            work.tasks.add(ANA, asked(ANA, f"t{number}", module=f"m{number % 2}"))
        end(work, ANA, "t2", owner=None, ending=TaskFailed(error="no"))

    await store.write(ANA, write)

    async def ids(overrides: TaskFilter, **rest: Any) -> list[str]:
        page = await store.read(
            ANA, lambda work: work.tasks.page(ANA, overrides, limit=rest.pop("limit", 9), **rest)
        )
        return [task.id for task in page]

    assert ["t4", "t3"] == await ids(ALL, limit=2)
    assert ["t2", "t1"] == await ids(ALL, before="t3")
    assert ["t2"] == await ids(TaskFilter(status="failed"))
    assert ["t3", "t1"] == await ids(TaskFilter(module="m1"))


async def due(store: Store, at: float, module: str = "crm") -> list[Task]:
    """What a module may take at a moment."""
    return await store.tasks(lambda view: view.due(module, now=moment(at), limit=9))


async def claimed(store: Store, task: Task, owner: str, until: datetime) -> bool:
    """Whether an owner got a task."""
    return await store.write(ANA, lambda work: work.tasks.claim(task.scope, task, owner=owner, until=until))


async def test_only_one_takes_what_both_saw(store: Store) -> None:
    """The second to claim a task as it was seen comes too late; after the lease it is due again."""
    await store.write(ANA, lambda work: work.tasks.add(ANA, asked(ANA, due=5)))
    assert [] == await due(store, 4)
    assert [] == await due(store, 5, "other")
    [seen] = await due(store, 5)

    assert [True, False] == [await claimed(store, seen, owner, moment(10)) for owner in ("a", "b")]
    assert [] == await due(store, 9)

    [abandoned] = await due(store, 10)

    assert ("running", True) == (abandoned.status, await claimed(store, abandoned, "b", moment(20)))


async def test_who_lost_a_task_has_no_say(store: Store) -> None:
    """Renewing, postponing and ending are the present owner's, and nobody's once it has ended."""
    await store.write(ANA, lambda work: work.tasks.add(ANA, asked(ANA)))
    [seen] = await due(store, 0)
    await claimed(store, seen, "a", moment(10))
    [abandoned] = await due(store, 10)
    await claimed(store, abandoned, "b", moment(20))

    def said(work: UnitOfWork, owner: str) -> list[bool]:
        later = work.tasks.postpone(ANA, seen, owner=owner, due_at=moment(30), at=moment(1))
        return [
            work.tasks.renew(ANA, "t1", owner=owner, until=moment(30)),
            later,
            end(work, ANA, "t1", owner=owner),
        ]

    assert [False, False, False] == await store.write(ANA, lambda work: said(work, "a"))
    assert await store.write(ANA, lambda work: end(work, ANA, "t1", owner="b"))
    assert [False, False, False] == await store.write(ANA, lambda work: said(work, "b"))
    assert not await store.write(ANA, lambda work: end(work, ANA, "t1", owner=None))
    assert [] == await due(store, 10**6)


async def test_what_has_not_ended_is_counted(store: Store) -> None:
    """Waiting and running, of every tenant, for one module."""
    await filled(store, ANA, Scope("zeta", "ana"))
    await store.write(ANA, lambda work: end(work, ANA, "t1", owner=None))

    assert 3 == await store.tasks(lambda view: view.waiting("crm"))
    assert 0 == await store.tasks(lambda view: view.waiting("other"))


async def test_an_erasure_takes_what_it_reaches(store: Store) -> None:
    """A conversation takes its own tasks, a memory takes none."""
    other = Scope("acme", "ana", "c2")
    await store.write(
        ANA, lambda work: (work.tasks.add(ANA, asked(ANA)), work.tasks.add(other, asked(other, "t2")))
    )

    def erase(work: UnitOfWork) -> list[int]:
        return [
            work.tasks.erase(ANA, ErasurePlan(memories=("t1",))),
            work.tasks.erase(ANA, ErasurePlan(conversation="c1")),
        ]

    assert [0, 1] == await store.write(ANA, erase)
    assert ["t2"] == [task.id for task in await store.read(ANA, lambda work: work.tasks.page(ANA, ALL, limit=9))]
