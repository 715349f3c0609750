"""The file itself: one connection in one thread, a page of changes per transaction, erasure by a rewrite."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.adapters.duckdb.columns import apart, joined, lent
from rememora.domain.hit import IndexItem, ItemKey
from rememora.domain.scope import Scope
from rememora.errors import MissingExtra, StoreUnavailable
from rememora.ports.index import IndexChanges
from rememora.ports.vectors import Near

try:
    from fcntl import LOCK_EX, LOCK_NB
    from fcntl import flock as _flock

    def flock(file: IO[bytes]) -> None:
        """Lock a file, or raise at once."""
        _flock(file, LOCK_EX | LOCK_NB)

except ImportError:

    def flock(file: IO[bytes]) -> None:
        """Nothing here: DuckDB's own lock keeps other processes out."""


ONE_PROCESS: Final = "a DuckDB file is for one process, and one memory in it"


class FileLock:
    """The right to a file, also within one process, where DuckDB would let a second one in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._taken: IO[bytes] | None = None

    def take(self) -> None:
        """Have it, or say who cannot."""
        if self._taken is not None:
            return
        taken = self._path.open("ab")
        try:
            flock(taken)
        except OSError:
            taken.close()
            raise StoreUnavailable(f"{self._path} is held: {ONE_PROCESS}") from None
        self._taken = taken

    def release(self) -> None:
        """Let others have it; the end of the process does so too."""
        if self._taken is not None:
            self._taken.close()
            self._taken = None


try:
    import duckdb
except ImportError:
    raise MissingExtra("duckdb") from None

logger = logging.getLogger(__name__)

SAID: Final = ("message", "summary", "episode")
"""What goes with its conversation; what is known outlives it."""
_FLOAT_BYTES: Final = 4
_BESIDE: Final = ".new"
# Vectors do not get smaller by being packed, only slower to read.
_SETTINGS: Final = "SET threads = 1; SET force_compression = 'uncompressed'; SET preserve_insertion_order = false"
# `owners.seen` is the last change taken in: after a crash the copy continues from there.
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS shape (dimension INTEGER, deleted BOOLEAN, model VARCHAR);
CREATE TABLE IF NOT EXISTS owners (owner INTEGER, tenant VARCHAR, person VARCHAR, seen BIGINT, reset BIGINT);
CREATE TABLE IF NOT EXISTS vectors (
    owner INTEGER, kind VARCHAR, conversation VARCHAR, id VARCHAR, vector FLOAT[{dimension}])
"""
_KEYS: Final = apart("kind", "conversation", "id")
# Vectors arrive as single numbers in the table `numbers`, and are put together here.
_LAID: Final = """
INSERT INTO vectors
SELECT $owner, keys.kind, keys.conversation, keys.id, laid.vector
FROM (SELECT unnest(range($count)) AS place, {keys}) AS keys JOIN (
    SELECT place, list(number ORDER BY nth)::FLOAT[{dimension}] AS vector FROM numbers GROUP BY place
) AS laid USING (place)
"""
# The parts of the keys arrive as parallel lists (`apart`), which make a table to join with.
_DROPPED: Final = f"""
DELETE FROM vectors USING (SELECT {_KEYS}) AS keys
WHERE vectors.owner = $owner AND vectors.id = keys.id AND vectors.kind = keys.kind
  AND vectors.conversation = keys.conversation
"""
# Materialised, so that the cosine of a row is computed once and not again for the sort.
_NEAREST: Final = """
WITH mine AS MATERIALIZED (
    SELECT kind, conversation, id, array_cosine_similarity(vector, ?::FLOAT[{dimension}]) AS cosine
    FROM vectors WHERE owner IN (?, ?))
SELECT kind, conversation, id, cosine FROM mine WHERE NOT isnan(cosine) ORDER BY cosine DESC LIMIT ?
"""


class Cursor(msgspec.Struct, frozen=True):
    """Position of a user's copy in the store's changes, and the last erasure it knows of."""

    seen: int = 0
    reset: int = 0


class VectorFile:
    """Every user's vectors, each user under a number; used by one thread."""

    def __init__(self, path: Path, *, dimension: int, model: str = "") -> None:
        self._path = path
        self._model = model
        self._dimension = dimension
        self._hold = FileLock(path.with_name(f"{path.name}.lock"))
        self._opened: duckdb.DuckDBPyConnection | None = None
        self._owners: dict[Scope, tuple[int, Cursor]] = {}

    def cursor(self, owner: Scope) -> Cursor:
        """Return the position of the owner's copy."""
        self._db()
        return self._owners[owner][1] if owner in self._owners else Cursor()

    def take_in(self, owner: Scope, changes: IndexChanges, cursor: Cursor) -> None:
        """Apply a page of changes, and know that it was applied, in one transaction."""
        if cursor == self.cursor(owner):
            return
        with self._transaction() as db:
            number = self._number(db, owner)
            changed = [item.key for item in changes.items]
            gone = _drop(db, number, changes.gone) + _drop_said(db, number, changes.gone_conversations)
            _drop(db, number, changed)
            self._lay(db, number, changes.items)
            self._set_cursor(db, owner, number, cursor)
            if gone:
                db.execute("UPDATE shape SET deleted = true")
        self._owners[owner] = (number, cursor)

    def clear(self, owner: Scope, cursor: Cursor) -> int:
        """Let go of all vectors of an owner; returns how many."""
        with self._transaction() as db:
            number = self._number(db, owner)
            gone = _count(db.execute("DELETE FROM vectors WHERE owner = ?", [number]))
            self._set_cursor(db, owner, number, cursor)
            if gone:
                db.execute("UPDATE shape SET deleted = true")
        self._owners[owner] = (number, cursor)
        return gone

    def drop_tenant(self, scope: Scope) -> int:
        """Let go of everybody in a tenant, their names included; returns how many vectors that were."""
        with self._transaction() as db:
            theirs = "SELECT owner FROM owners WHERE tenant = ?"
            gone = _count(db.execute(f"DELETE FROM vectors WHERE owner IN ({theirs})", [scope.tenant]))
            db.execute("DELETE FROM owners WHERE tenant = ?", [scope.tenant])
        self._owners = {owner: held for owner, held in self._owners.items() if owner.tenant != scope.tenant}
        return gone

    def nearest(self, owners: Sequence[Scope], vector: NDArray[np.float32], limit: int) -> list[Near]:
        """The owners' closest items, best first, by exact cosines."""
        db = self._db()
        numbers = [self._owners[owner][0] if owner in self._owners else -1 for owner in owners]
        # A list of numbers is bound forty times slower than the same list spelled out.
        params = [str(vector.tolist()), *numbers, limit]
        with _asking(self._path):
            rows = db.execute(_NEAREST.format(dimension=self._dimension), params).fetchall()
        return [Near(ItemKey(kind, id, conversation), cosine) for kind, conversation, id, cosine in rows]

    def rewrite(self) -> None:
        """Rewrite the file from its live rows, so that no deleted byte remains."""
        db = self._db()
        copy = self._path.with_name(self._path.name + _BESIDE)
        with _asking(self._path):
            _remove(copy)
            db.execute(f"ATTACH '{_quoted(copy)}' AS beside")
            name = db.execute("SELECT current_database()").fetchall()[0][0]
            db.execute(f'COPY FROM DATABASE "{name}" TO beside; UPDATE beside.shape SET deleted = false')
            db.execute("DETACH beside")
            db.close()
            self._opened = None
            # Closing has written the log into the file: what is left of it must not be read into the new one.
            self._path.with_name(f"{self._path.name}.wal").unlink(missing_ok=True)
            copy.replace(self._path)
        self._db()

    def close(self) -> None:
        """Let go of the file; first of the bytes of what was deleted, should there be any."""
        if self._opened is None:
            return
        try:
            if self._opened.execute("SELECT bool_or(deleted) FROM shape").fetchall()[0][0]:
                self.rewrite()
        except (duckdb.Error, StoreUnavailable) as error:
            logger.warning("deleted vectors stay in their file until it can be written: %s", type(error).__name__)
        if self._opened is not None:
            self._opened.close()
        self._opened = None
        self._hold.release()

    def _db(self) -> duckdb.DuckDBPyConnection:
        if self._opened is None:
            with _asking(self._path):
                self._opened = self._open()
        return self._opened

    def _open(self) -> duckdb.DuckDBPyConnection:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._hold.take()
        db = duckdb.connect(str(self._path))
        self._path.chmod(0o600)
        _remove(self._path.with_name(self._path.name + _BESIDE))
        db.execute(_SETTINGS)
        db.execute(_TABLES.format(dimension=self._dimension))
        known = db.execute("SELECT dimension, model FROM shape").fetchall()
        mine = (self._dimension, self._model)
        if known and known[0] != mine:
            # Vectors of another model: a copy is made anew, not mended.
            db.execute("DROP TABLE vectors; DELETE FROM owners; DELETE FROM shape")
            db.execute(_TABLES.format(dimension=self._dimension))
        if known != [mine]:
            db.execute("INSERT INTO shape VALUES (?, ?, ?)", [self._dimension, bool(known), self._model])
        rows = db.execute("SELECT tenant, person, owner, seen, reset FROM owners").fetchall()
        self._owners = {
            Scope(tenant, person): (number, Cursor(*cursor)) for tenant, person, number, *cursor in rows
        }
        return db

    @contextmanager
    def _transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        db = self._db()
        with _asking(self._path):
            db.execute("BEGIN")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(duckdb.Error):
                    db.execute("ROLLBACK")
                raise

    def _number(self, db: duckdb.DuckDBPyConnection, owner: Scope) -> int:
        if owner in self._owners:
            return self._owners[owner][0]
        number: int = db.execute("SELECT coalesce(max(owner), 0) + 1 FROM owners").fetchall()[0][0]
        db.execute("INSERT INTO owners VALUES (?, ?, ?, 0, 0)", [number, owner.tenant, owner.user])
        return number

    def _set_cursor(self, db: duckdb.DuckDBPyConnection, owner: Scope, number: int, cursor: Cursor) -> None:
        whose = [cursor.seen, cursor.reset, number, owner.tenant]
        db.execute("UPDATE owners SET seen = ?, reset = ? WHERE owner = ? AND tenant = ?", whose)

    def _lay(self, db: duckdb.DuckDBPyConnection, number: int, items: Sequence[IndexItem]) -> None:
        """Put vectors in, as columns of numbers: one by one they take a hundred times as long."""
        width, size = self._dimension, self._dimension * _FLOAT_BYTES
        # The store keeps the vector of what an item said before until it has the new one.
        ready = [(item.key, item.vector or b"") for item in items if item.embedded]
        fit = [(key, vector) for key, vector in ready if len(vector) == size]
        if not fit:
            return
        laid = np.frombuffer(b"".join(vector for _, vector in fit), dtype=np.float32)
        places = np.arange(len(fit), dtype=np.int32)
        columns = {
            "place": np.repeat(places, width),
            "nth": np.tile(np.arange(width, dtype=np.int32), len(fit)),
            "number": laid,
        }
        params = {"owner": number, "count": len(fit), **_columns([key for key, _ in fit])}
        with lent(db, "numbers", columns):
            db.execute(_LAID.format(dimension=width, keys=_KEYS), params)


def _columns(keys: Sequence[ItemKey]) -> dict[str, str]:
    """The parameters of `_KEYS`."""
    return {name: joined(getattr(key, name) for key in keys) for name in ("kind", "conversation", "id")}


def _drop(db: duckdb.DuckDBPyConnection, number: int, keys: Sequence[ItemKey]) -> int:
    if not keys:
        return 0
    return _count(db.execute(_DROPPED, {"owner": number, **_columns(keys)}))


def _drop_said(db: duckdb.DuckDBPyConnection, number: int, conversations: Sequence[str]) -> int:
    return sum(
        _count(
            db.execute(
                "DELETE FROM vectors WHERE owner = ? AND conversation = ? AND kind IN (?, ?, ?)",
                [number, conversation, *SAID],
            )
        )
        for conversation in conversations
    )


@contextmanager
def _asking(path: Path) -> Iterator[None]:
    """The engine's faults as ours; a file that another process holds is said to be so."""
    try:
        yield
    except duckdb.IOException as error:
        if "lock" in str(error).lower():
            raise StoreUnavailable(f"{path} is open elsewhere: {ONE_PROCESS}") from None
        raise StoreUnavailable(f"{path} cannot be used: {type(error).__name__}") from None
    except (duckdb.Error, OSError) as error:
        raise StoreUnavailable(f"{path} cannot be used: {type(error).__name__}") from None


def _count(result: duckdb.DuckDBPyConnection) -> int:
    return int(result.fetchall()[0][0])


def _remove(file: Path) -> None:
    for name in (file.name, f"{file.name}.wal"):
        file.with_name(name).unlink(missing_ok=True)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
