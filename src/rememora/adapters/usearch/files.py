"""The files of one owner's index: segments of vectors with their keys, and one list that names them.

A file is written under a name of its own and never changed; the list is replaced as a whole. A reader with the
old files open goes on with them, and a reader that opens them again sees all of the new or none.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from array import array
from collections.abc import Iterator, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.adapters import private_files
from rememora.domain.hit import ItemKey
from rememora.domain.ids import new_id
from rememora.domain.scope import Scope
from rememora.errors import MissingExtra

FORMAT, READ_FORMATS = 2, (1, 2)
"""Format 1 knows no blanks."""
CONNECTIVITY, EXPANSION_ADD, EXPANSION_SEARCH = 16, 64, 64
LIST = "list.json"
_BETWEEN = "\x1f"
BLANK = 1 << 40
"""Label from which vectors are blank: zeros in the place of what is gone, which nothing is near to."""
_NO_NAME = b"\0"

Matrix = NDArray[np.float32]


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """The embedded messages and episodes whose last change lies after one number and up to another.

    Some of `count` are gone since: they are `blanks`.
    """

    name: str
    after: int
    until: int
    count: int
    blanks: int = 0


class IndexManifest(msgspec.Struct, frozen=True, kw_only=True):
    """Files of an index, and the store's number they are current to."""

    format: int = FORMAT
    owner: Scope
    dimension: int
    seen: int = 0
    reset: int = 0
    segments: tuple[Segment, ...] = ()
    loose: str = ""

    @property
    def count(self) -> int:
        """Vectors in the segments."""
        return sum(segment.count for segment in self.segments)


def settings_of(dimension: int) -> dict[str, Any]:
    """Return the settings of every segment: one byte per number."""
    return {
        "ndim": dimension,
        "metric": "cos",
        "dtype": "i8",
        "connectivity": CONNECTIVITY,
        "expansion_add": EXPANSION_ADD,
        "expansion_search": EXPANSION_SEARCH,
    }


def new_index(dimension: int) -> Any:
    """An empty index."""
    try:
        from usearch.index import Index
    except ImportError:
        raise MissingExtra("local") from None
    return Index(**settings_of(dimension))


class OpenSegment:
    """A segment mapped into memory."""

    def __init__(self, folder: Path, segment: Segment, dimension: int) -> None:
        self.segment = segment
        self._index = new_index(dimension)
        self._index.view(str(folder / f"{segment.name}.vectors"))
        self._starts = np.load(folder / f"{segment.name}.starts.npy", mmap_mode="r")
        with (folder / f"{segment.name}.keys").open("rb") as keys:
            self._keys = mmap(keys.fileno(), 0, access=ACCESS_READ)
        if len(self._index) != segment.count or len(self._starts) != segment.count + 1:
            raise ValueError("a segment has changed since it was written")

    def nearest(self, vector: Matrix, count: int) -> Iterator[tuple[ItemKey, float]]:
        """The closest, best first."""
        matches = self._index.search(vector, count, threads=1)
        there = matches.keys < BLANK
        names = self._names(matches.keys[there].astype(np.intp))
        return zip(map(_key, names), (1.0 - matches.distances[there]).tolist(), strict=True)

    def labelled(self) -> Iterator[tuple[int, ItemKey]]:
        """Labels of all that it holds, each with its key."""
        names = enumerate(self._names(np.arange(self.segment.count)))
        return ((label, _key(name)) for label, name in names if not name.startswith(_NO_NAME))

    def _names(self, labels: NDArray[np.intp]) -> Iterator[bytes]:
        starts, ends = self._starts[labels].tolist(), self._starts[labels + 1].tolist()
        return (self._keys[start:end] for start, end in zip(starts, ends, strict=True))


def _key(name: bytes) -> ItemKey:
    return ItemKey.named(name.decode())


class SegmentWriter:
    """A segment while it is made: vectors go into the index as they come, so that it takes no more than that."""

    def __init__(self, dimension: int) -> None:
        self._index = new_index(dimension)
        self._dimension = dimension
        self._names = bytearray()
        self._starts = array("q", (0,))
        self.blanks = 0

    @classmethod
    def resume(cls, folder: Path, segment: Segment, gone: Sequence[int], dimension: int) -> SegmentWriter:
        """A segment that was written, with what is gone blanked out: to build its graph anew takes a minute."""
        draft = cls(dimension)
        draft._index.load(str(folder / f"{segment.name}.vectors"))
        draft._names[:] = (folder / f"{segment.name}.keys").read_bytes()
        draft._starts = array("q", np.load(folder / f"{segment.name}.starts.npy").tobytes())
        draft.blanks = segment.blanks
        if gone:
            draft._blank(gone)
        return draft

    def _blank(self, gone: Sequence[int]) -> None:
        """Overwrite vectors and names: what is added after a removal takes the places that it left."""
        self._index.remove(np.array(gone, dtype=np.uint64))
        labels = np.arange(self.blanks, self.blanks + len(gone), dtype=np.uint64) + BLANK
        self._index.add(labels, np.zeros((len(gone), self._dimension), dtype=np.float32), threads=1)
        for label in gone:
            start, end = self._starts[label], self._starts[label + 1]
            self._names[start:end] = _NO_NAME * (end - start)
        self.blanks += len(gone)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def add(self, keys: Sequence[ItemKey], vectors: Sequence[bytes]) -> None:
        """Take in some vectors with their keys."""
        if not keys:
            return
        matrix = np.frombuffer(b"".join(vectors), dtype=np.float32).reshape(len(keys), -1)
        self._index.add(np.arange(len(self), len(self) + len(keys)), matrix, threads=1)
        for key in keys:
            self._names += key.name.encode()
            self._starts.append(len(self._names))

    def save(self, folder: Path, name: str) -> None:
        """Write it all down."""
        vectors, starts = folder / f"{name}.vectors", folder / f"{name}.starts.npy"
        private_files.prepare(vectors)
        self._index.save(str(vectors))
        private_files.prepare(starts)
        np.save(starts, np.array(self._starts, dtype=np.int64))
        private_files.write(folder / f"{name}.keys", bytes(self._names))


class IndexFolder:
    """Folder of one owner's index; its name does not reveal whose it is."""

    def __init__(self, root: Path, owner: Scope) -> None:
        self.owner, self._root = owner, root
        self._mark = hashlib.sha256(f"{owner.tenant}{_BETWEEN}{owner.user}".encode()).hexdigest()[:32]

    @property
    def path(self) -> Path:
        """The folder itself."""
        return self._root / self._mark

    def stamp(self) -> int:
        """Return a number that differs when the list was rewritten; 0 where there is none."""
        try:
            # Asked at every first question: to join strings costs a tenth of joining paths.
            return os.stat(f"{self._root}{os.sep}{self._mark}{os.sep}{LIST}").st_mtime_ns  # noqa: PTH116
        except OSError:
            return 0

    def listed(self, dimension: int) -> IndexManifest | None:
        """Return the list of files, or None where there is none that can be used."""
        try:
            manifest = msgspec.json.decode((self.path / LIST).read_bytes(), type=IndexManifest)
        except (OSError, msgspec.DecodeError):
            return None
        return manifest if manifest.format in READ_FORMATS and manifest.dimension == dimension else None

    def write_segment(self, draft: SegmentWriter, *, after: int, until: int) -> Segment:
        """Write a draft as a new segment."""
        self._make()
        name = new_id()
        draft.save(self.path, name)
        return Segment(name=name, after=after, until=until, count=len(draft), blanks=draft.blanks)

    def write_loose(self, loose: dict[ItemKey, bytes]) -> str:
        """Write items that change too often for a segment."""
        self._make()
        name = f"{new_id()}.loose"
        pairs = [(key.name, vector) for key, vector in loose.items()]
        private_files.write(self.path / name, msgspec.msgpack.encode(pairs))
        return name

    def read_loose(self, listed: IndexManifest) -> dict[ItemKey, bytes]:
        """Read the items that `write_loose` wrote."""
        if not listed.loose:
            return {}
        pairs = msgspec.msgpack.decode((self.path / listed.loose).read_bytes(), type=list[tuple[str, bytes]])
        return {ItemKey.named(name): vector for name, vector in pairs}

    def put_list(self, listed: IndexManifest) -> None:
        """From now on these files are the index; the others go."""
        draft = self.path / f"{new_id()}.draft"
        private_files.write(draft, msgspec.json.encode(listed))
        draft.replace(self.path / LIST)
        self.tidy(listed)

    def tidy(self, listed: IndexManifest) -> None:
        """Remove files that the list does not name: what was deleted stands in those of before."""
        named = {segment.name for segment in listed.segments} | {listed.loose.removesuffix(".loose"), "list"}
        for file in self.path.iterdir():
            if file.name.partition(".")[0] not in named:
                file.unlink(missing_ok=True)

    def _make(self) -> None:
        for folder in (self.path.parent.parent, self.path.parent, self.path):
            folder.mkdir(exist_ok=True, mode=0o700)

    def remove(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self.path.exists():
            raise OSError(f"cannot remove {self.path}")


def owners_in(root: Path) -> list[Scope]:
    """List the owners of the files in a folder."""
    owners = []
    for path in root.glob(f"*/{LIST}"):
        try:
            owners.append(msgspec.json.decode(path.read_bytes(), type=IndexManifest).owner)
        except (OSError, msgspec.DecodeError):
            shutil.rmtree(path.parent, ignore_errors=True)
    return owners
