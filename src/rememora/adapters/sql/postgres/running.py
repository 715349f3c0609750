"""Runs units of work inside an open transaction, and ends it; no result is given before it is durable."""

from __future__ import annotations

from typing import Any

import msgspec
import psycopg

from rememora.adapters.sql.jobs import Job, JobResult
from rememora.adapters.sql.postgres.connections import translated
from rememora.adapters.sql.postgres.session import PostgresSession, statement
from rememora.adapters.sql.postgres.transaction import PostgresTransaction
from rememora.errors import StoreDamaged, StoreUnavailable

COMMIT, SAVE = statement("COMMIT"), statement("SAVEPOINT one")
RELEASE, BACK = statement("RELEASE SAVEPOINT one"), statement("ROLLBACK TO SAVEPOINT one")


def run_all(session: PostgresSession, jobs: list[Job]) -> list[JobResult]:
    """Each unit of work in turn, and a commit for those that did not fail."""
    transaction = PostgresTransaction(session)
    outcomes = [guarded(jobs[0], transaction)] if len(jobs) == 1 else _apart(session, transaction, jobs)
    if any(outcome.error is None for outcome in outcomes):
        commit(session)
    return outcomes


def commit(session: PostgresSession) -> None:
    """Make it durable. A transaction in which something failed would answer, too, but with another word."""
    if session.end(COMMIT).command_status != b"COMMIT":
        raise StoreUnavailable("the server rolled the change back")


def _apart(session: PostgresSession, transaction: PostgresTransaction, jobs: list[Job]) -> list[JobResult]:
    """Several units of work: the failure of one takes back only its own changes."""
    session.end(SAVE)
    return [_one(session, transaction, job) for job in jobs]


def _one(session: PostgresSession, transaction: PostgresTransaction, job: Job) -> JobResult:
    outcome = guarded(job, transaction)
    if outcome.error is None:
        try:
            session.end(RELEASE, SAVE)
        except psycopg.Error as error:
            # Something that it sent was refused.
            outcome = JobResult(job, error=translated(error))
        except Exception as error:
            # Something that it sent could not even be sent.
            outcome = JobResult(job, error=error)
    if outcome.error is not None:
        session.forget()
        session.end(BACK)
    return outcome


def guarded(job: Job, transaction: Any) -> JobResult:
    """Run a unit of work, and capture its result or its error."""
    try:
        return JobResult(job, job.work(transaction))
    except psycopg.Error as error:
        return JobResult(job, error=translated(error))
    except (UnicodeDecodeError, msgspec.DecodeError):
        return JobResult(job, error=StoreDamaged("the store is damaged: a stored value cannot be read"))
    except BaseException as error:
        # Whatever a unit of work raises belongs to its caller, and must not end this thread.
        return JobResult(job, error=error)
