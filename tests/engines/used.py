"""The engines of this run, in lines for whoever starts it."""

from __future__ import annotations

from tests.engines import mongo, postgres, redis


def engines() -> list[str]:
    """One line for each engine in use, and one for each package that is broken on this machine."""
    kinds = (
        ("PostgreSQL", postgres.GIVEN, postgres.postgres_choice),
        ("Redis", redis.GIVEN, redis.redis_choice),
        ("MongoDB", mongo.GIVEN, mongo.mongo_choice),
    )
    lines: list[str] = []
    for name, given, choice in kinds:
        lines += [f"{name}: using the server that was given"] if given else choice().lines()
    return lines
