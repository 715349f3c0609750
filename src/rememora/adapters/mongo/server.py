"""The way to a MongoDB server: what is asked of every connection, and what its faults mean to us."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from rememora.adapters.mongo.documents import Document
from rememora.errors import Conflict, InvalidInput, MissingExtra, SettingsError, StoreUnavailable

try:
    from pymongo import ASCENDING, DESCENDING, AsyncMongoClient, IndexModel
    from pymongo.asynchronous.collection import AsyncCollection
    from pymongo.errors import DocumentTooLarge, DuplicateKeyError, InvalidURI, OperationFailure, PyMongoError
    from pymongo.read_concern import ReadConcern
    from pymongo.uri_parser import parse_uri
    from pymongo.write_concern import WriteConcern
except ImportError:
    raise MissingExtra("mongo") from None

DATABASE: Final = "rememora"
PATIENCE: Final = {"serverSelectionTimeoutMS": 15_000, "connectTimeoutMS": 5_000, "socketTimeoutMS": 20_000}
"""Longer than an election, shorter than a person waits; an option of the URL outweighs it."""
_TOO_LARGE: Final = frozenset({10334, 17419, 17420})

# `ttl` removes what no sweep came for; only the sweep publishes events, which MongoDB cannot.
INDEXES: Final = [
    IndexModel([("tenant", ASCENDING), ("mission", ASCENDING)], name="mission", unique=True),
    IndexModel([("tenant", ASCENDING), ("session", ASCENDING)], name="session"),
    IndexModel([("status", ASCENDING), ("created_at", DESCENDING)], name="status_created"),
    IndexModel(
        [("tenant", ASCENDING), ("user", ASCENDING), ("status", ASCENDING), ("created_at", DESCENDING)],
        name="user_status",
    ),
    IndexModel([("remove_at", ASCENDING)], name="ttl", expireAfterSeconds=0),
    IndexModel([("untold.id", ASCENDING)], name="untold", sparse=True),
]


class MissionCollection:
    """One collection of missions, made ready when it is first needed, so that history opens without it."""

    def __init__(self, url: str, *, collection: str) -> None:
        try:
            parsed = parse_uri(url, validate=True, warn=False)
        except (InvalidURI, PyMongoError, ValueError):
            raise SettingsError("missions.url", "mongodb://…", "a MongoDB URL") from None
        given = {name.lower() for name in parsed["options"]}
        patience: dict[str, Any] = {name: ms for name, ms in PATIENCE.items() if name.lower() not in given}
        # A change that was acknowledged survives the primary, and a retried one is made once.
        self._client: AsyncMongoClient[Document] = AsyncMongoClient(url, retryWrites=True, **patience)
        database = self._client.get_default_database(DATABASE)
        self._missions = database.get_collection(
            collection, write_concern=WriteConcern(w="majority", j=True), read_concern=ReadConcern("majority")
        )
        self._preparing = asyncio.Lock()
        self._ready = False

    async def missions(self) -> AsyncCollection[Document]:
        """The collection, with its indexes."""
        async with self._preparing:
            if not self._ready:
                with asking():
                    await self._prepare()
                self._ready = True
        return self._missions

    async def _prepare(self) -> None:
        hello = await self._client.admin.command("hello")
        if "setName" not in hello and hello.get("msg") != "isdbgrid":
            raise StoreUnavailable("missions.url: MongoDB must be a replica set; one node is enough")
        await self._missions.create_indexes(INDEXES)

    async def close(self) -> None:
        await self._client.close()


@contextmanager
def asking() -> Iterator[None]:
    """Translate the server's errors into ours; its messages may quote the document, so only their kind passes."""
    try:
        yield
    except DuplicateKeyError:
        raise Conflict("a mission with that id already exists") from None
    except DocumentTooLarge:
        raise _too_large() from None
    except OperationFailure as error:
        if error.code in _TOO_LARGE:
            raise _too_large() from None
        raise StoreUnavailable(f"MongoDB failed: {type(error).__name__} {error.code}") from None
    except PyMongoError as error:
        raise StoreUnavailable(f"MongoDB does not answer: {type(error).__name__}") from None


def _too_large() -> InvalidInput:
    return InvalidInput("mission", "larger than the 16 MB that MongoDB takes")
