"""Writes an owner's files: what is new goes into segments, and what is gone is blanked out of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial

from rememora.adapters.usearch.files import IndexFolder, IndexManifest, OpenSegment, Segment, SegmentWriter
from rememora.adapters.usearch.tail import SAID, SEGMENTED, Tail
from rememora.domain.hit import ItemKey
from rememora.domain.scope import Scope
from rememora.ports.index import IndexChanges
from rememora.ports.store import Store, UnitOfWork

PAGE = 2_000
SEGMENT_ROWS = 200_000
"""Vectors in a segment: a few of them hold a million, and the graph of one is built in some minutes."""
DUE_ROWS = 5_000
"""New vectors that are worth writing down; fewer are held in memory."""
WORN_SHARE = 4
"""One in so many vectors of a segment may be blank; with more it is built anew from the store."""


async def pages(store: Store, owner: Scope, *, after: int) -> AsyncIterator[IndexChanges]:
    """Yield the changes after a number, page by page."""
    more = True
    while more:
        page = await store.read(owner, partial(_page, owner=owner, after=after))
        yield page
        after, more = page.newest, page.more


def _page(work: UnitOfWork, *, owner: Scope, after: int) -> IndexChanges:
    return work.index.changes(owner, after=after, limit=PAGE)


class Builder:
    """Brings the files of one owner up to date, once."""

    def __init__(self, store: Store, owner: Scope, folder: IndexFolder, *, dimension: int) -> None:
        self._store, self._owner, self._folder = store, owner, folder
        self._dimension = dimension

    async def build(self) -> bool:
        """Write what is due; True when something was written."""
        listed = await asyncio.to_thread(self._usable)
        news = await self._news(listed)
        # The store says that its numbering began again (a restore, a new model): files of before are worthless.
        if news.anew or (listed.seen and news.reset > listed.reset):
            await asyncio.to_thread(self._folder.remove)
            listed = IndexManifest(owner=self._owner, dimension=self._dimension)
            news = await self._news(listed)
        gone = await asyncio.to_thread(self._gone, listed, news.tail)
        # Few new rows are searched one by one in the tail; they are written down when that becomes slow.
        if news.count < DUE_ROWS and not gone:
            return False
        await self._write(listed, news, gone)
        return True

    def _usable(self) -> IndexManifest:
        """Return the readable files; delete the others."""
        listed = self._folder.listed(self._dimension)
        if listed is None or self._damaged(listed):
            self._folder.remove()
            return IndexManifest(owner=self._owner, dimension=self._dimension)
        # A process that died after it put the list left the files of before, and what was deleted in them.
        self._folder.tidy(listed)
        return listed

    async def _news(self, listed: IndexManifest) -> _News:
        news = _News(self._dimension, marking=listed.seen > 0)
        async for changes in pages(self._store, self._owner, after=listed.seen):
            news.note(changes)
        return news

    def _damaged(self, listed: IndexManifest) -> bool:
        try:
            for segment in listed.segments:
                OpenSegment(self._folder.path, segment, self._dimension)
            self._folder.read_loose(listed)
        except (OSError, ValueError, RuntimeError):
            return True
        return False

    def _gone(self, listed: IndexManifest, tail: Tail) -> dict[str, list[int]]:
        """Labels of what is gone or has changed, by the name of the segment that holds it."""
        if not tail.marks:
            return {}
        opened = (OpenSegment(self._folder.path, segment, self._dimension) for segment in listed.segments)
        labels = {
            part.segment.name: [label for label, key in part.labelled() if tail.holds_no_more(key)]
            for part in opened
        }
        return {name: outdated for name, outdated in labels.items() if outdated}

    async def _write(self, listed: IndexManifest, news: _News, gone: dict[str, list[int]]) -> None:
        segments: list[Segment] = []
        for segment in listed.segments:
            # The last one grows until it is full: many small ones would each be searched.
            last = segment is listed.segments[-1]
            grows = last and 0 < news.count <= SEGMENT_ROWS - segment.count
            segments += await self._brought_up(segment, gone.get(segment.name, []), news.newest if grows else 0)
        if not segments or segments[-1].until < news.newest:
            segments += await self._segments(SegmentWriter(self._dimension), listed.seen, news.newest)
        name = await asyncio.to_thread(self._folder.write_loose, await self._loose(listed, news))
        made = IndexManifest(
            owner=self._owner,
            dimension=self._dimension,
            seen=news.newest,
            reset=news.reset,
            segments=tuple(segments),
            loose=name,
        )
        await asyncio.to_thread(self._folder.put_list, made)
        later = await self._news(made)
        if later.anew or later.reset > made.reset:
            # The person was erased while their vectors were being written down.
            await asyncio.to_thread(self._folder.remove)

    async def _brought_up(self, segment: Segment, gone: Sequence[int], newest: int) -> list[Segment]:
        """A segment without what is gone, and with all up to a newer number where it grows."""
        until = max(segment.until, newest)
        if WORN_SHARE * (segment.blanks + len(gone)) > segment.count:
            return await self._segments(SegmentWriter(self._dimension), segment.after, until)
        if not gone and until == segment.until:
            return [segment]
        draft = await asyncio.to_thread(
            SegmentWriter.resume, self._folder.path, segment, gone, dimension=self._dimension
        )
        return await self._segments(draft, segment.after, until, read=segment.until)

    async def _segments(
        self, draft: SegmentWriter, after: int, until: int, *, read: int | None = None
    ) -> list[Segment]:
        """The items whose last change lies in a range, as segments; the draft has those up to `read`."""
        made: list[Segment] = []
        start, read = after, after if read is None else read
        if read == until:
            return [await self._segment(draft, start, until)]
        async for changes in pages(self._store, self._owner, after=read):
            await asyncio.to_thread(_take, draft, changes, until)
            if len(draft) >= SEGMENT_ROWS:
                made.append(await self._segment(draft, start, changes.newest))
                draft, start = SegmentWriter(self._dimension), changes.newest
            # Later changes are in no file yet: they are searched one by one.
            if changes.newest >= until:
                break
        return [*made, await self._segment(draft, start, until)] if len(draft) else made

    async def _segment(self, draft: SegmentWriter, after: int, until: int) -> Segment:
        return await asyncio.to_thread(self._folder.write_segment, draft, after=after, until=until)

    async def _loose(self, listed: IndexManifest, news: _News) -> dict[ItemKey, bytes]:
        before = await asyncio.to_thread(self._folder.read_loose, listed)
        held = {key: vector for key, vector in before.items() if not news.tail.holds_no_more(key)}
        return held | news.loose


def _take(draft: SegmentWriter, changes: IndexChanges, until: int) -> None:
    pairs = [
        (item.key, item.vector) for item in changes.items if item.number <= until and item.key.kind in SEGMENTED
    ]
    whole = [(key, vector) for key, vector in pairs if vector is not None]
    draft.add([key for key, _ in whole], [vector for _, vector in whole])


class _News:
    """Changes since the files were written; vectors for new segments are read again."""

    def __init__(self, dimension: int, *, marking: bool) -> None:
        self.tail = Tail(dimension)
        self.loose: dict[ItemKey, bytes] = {}
        self.count = self.newest = self.reset = 0
        self.anew = False
        self._marking = marking

    def note(self, changes: IndexChanges) -> None:
        """Take in a page."""
        self.newest, self.reset = max(self.newest, changes.newest), max(self.reset, changes.reset)
        self.anew = self.anew or changes.anew
        if self._marking:
            self.tail.mark(changes)
        gone = {*changes.gone, *(key for key in self.loose if key.conversation in changes.gone_conversations)}
        for key in gone & self.loose.keys():
            if key in changes.gone or key.kind in SAID:
                del self.loose[key]
        for item in changes.items:
            segmented = item.key.kind in SEGMENTED
            self.count += segmented and item.vector is not None
            if segmented:
                continue
            # What changed between two pages may have a vector in the first and none in the second.
            self.loose.pop(item.key, None)
            if item.vector is not None:
                self.loose[item.key] = item.vector
