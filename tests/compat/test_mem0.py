"""mem0's own examples, and the shapes of its results, against `rememora.compat.mem0`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mem0.configs.base import MemoryItem

from rememora import Rememora, Settings, UserMemory
from rememora.compat.mem0 import AsyncMemory, Memory
from rememora.compat.mem0_rows import matches, name_of, parts_of

# The messages of mem0's quickstart.
MOVIES = [
    {"role": "user", "content": "I'm planning to watch a movie tonight. Any recommendations?"},
    {"role": "assistant", "content": "How about thriller movies? They can be quite engaging."},
    {"role": "user", "content": "I'm not a big fan of thriller movies but I love sci-fi movies."},
    {"role": "assistant", "content": "Got it! I'll avoid thriller recommendations and suggest sci-fi movies."},
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory of mem0's shape on a store of the test's own."""
    settings = Settings.load({"store.url": str(tmp_path / "store"), "recall.embedder": "offline"}, environ={})
    with Memory(settings=settings) as opened:
        yield opened


class Completions:
    """An OpenAI client whose model repeats the system prompt: what it was told is what the test looks at."""

    def __init__(self) -> None:
        self.chat = self
        self.completions = self

    def create(self, *, model: str, messages: list[dict[str, str]]) -> Any:
        """One completion of the OpenAI client's shape."""
        content = f"({model}) {messages[0]['content']}"
        message = type("Message", (), {"content": content})
        return type("Completion", (), {"choices": [type("Choice", (), {"message": message})]})


def test_the_example_of_the_readme(memory: Memory) -> None:
    """As mem0's README prints it: search, answer, add; the second conversation knows the first."""
    openai_client = Completions()

    def chat_with_memories(message: str, user_id: str = "default_user") -> str:
        relevant_memories = memory.search(query=message, filters={"user_id": user_id}, top_k=3)
        memories_str = "\n".join(f"- {entry['memory']}" for entry in relevant_memories["results"])
        system_prompt = (
            "You are a helpful AI. Answer the question based on query and memories.\n"
            f"User Memories:\n{memories_str}"
        )
        messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": message}]
        response = openai_client.chat.completions.create(model="gpt-5-mini", messages=messages)
        assistant_response = response.choices[0].message.content
        messages.append({"role": "assistant", "content": assistant_response})
        memory.add(messages, user_id=user_id)
        return str(assistant_response)

    assert "aisle" not in chat_with_memories("I prefer aisle seats.")
    assert "- I prefer aisle seats" in chat_with_memories("Which seats do I prefer?")
    assert "aisle" not in chat_with_memories("Which seats do I prefer?", user_id="somebody_else")


def test_the_quickstart(memory: Memory) -> None:
    """The verbs of mem0's documentation, in the order in which it walks through them."""
    result = memory.add(MOVIES, user_id="alice", metadata={"category": "movie_recommendations"})
    rows = memory.get_all(filters={"user_id": "alice"})["results"]
    results = memory.search(query="What do you know about movies?", filters={"user_id": "alice"})["results"]
    id = result["results"][0]["id"]

    assert {"ADD"} == {item["event"] for item in result["results"]}
    assert any("sci-fi" in item["memory"] for item in result["results"])
    assert {item["id"] for item in result["results"]} == {row["id"] for row in rows}
    assert {"category": "movie_recommendations"} == results[0]["metadata"]
    assert 0 < results[0]["score"] <= 1
    assert {"message": "Memory updated successfully!"} == memory.update(id, text="I like sci-fi books")
    assert "I like sci-fi books" == (memory.get(id) or {})["memory"]
    assert ["ADD", "UPDATE"] == [item["event"] for item in memory.history(id)]
    assert {"message": "Memory deleted successfully!"} == memory.delete(id)
    assert memory.get(id) is None
    assert memory.history(id)[-1]["is_deleted"]
    assert {"message": "Memories deleted successfully!"} == memory.delete_all(user_id="alice")
    assert [] == memory.get_all(filters={"user_id": "alice"})["results"]


def test_a_team_shares_a_run(memory: Memory) -> None:
    """As in mem0's cookbook: several people write into one run as they are, and each row says whose it is."""
    for name, text in (
        ("alice", "Let's list tasks."),
        ("bob", "I'll own the hero section."),
        ("carol", "I choose screenshots."),
    ):
        memory.add([{"role": "user", "name": name, "content": text}], run_id="project-demo", infer=False)
    result = memory.search("hero section", filters={"run_id": "project-demo"}, top_k=5)["results"]
    rows = memory.get_all(filters={"run_id": "project-demo"})["results"]

    assert ("bob", "I'll own the hero section.") == (result[0]["actor_id"], result[0]["memory"])
    assert ["alice", "bob", "carol"] == sorted(row["actor_id"] for row in rows)
    assert [] == memory.get_all(filters={"run_id": "another"})["results"]


def test_a_tutor_keeps_what_a_question_tells(memory: Memory) -> None:
    """As in mem0's cookbook: a question goes in as plain text, with metadata, and its fact comes out."""
    memory.add("I am learning introduction to CS. What is a queue?", user_id="john", metadata={"app_id": "app-1"})
    (row,) = memory.get_all(filters={"user_id": "john"})["results"]

    assert ("I am learning introduction to CS", "app-1") == (row["memory"].rstrip("."), row["metadata"]["app_id"])


def test_rows_have_the_fields_of_mem0(memory: Memory) -> None:
    """The fields of mem0's own `MemoryItem`, and those that it promotes beside them."""
    memory.add(
        "I prefer aisle seats.", user_id="alice", agent_id="travel", run_id="trip", metadata={"kind": "seat"}
    )
    (row,) = memory.search("seats", filters={"user_id": "alice"}, explain=True)["results"]
    item = MemoryItem(**{name: row.get(name) for name in MemoryItem.model_fields})

    assert ("alice", "travel", "trip") == (row["user_id"], row["agent_id"], row["run_id"])
    assert ({"kind": "seat"}, row["memory"]) == (item.metadata, item.memory)
    assert row["score_details"]
    assert set(MemoryItem.model_fields) <= set(memory.get(row["id"]) or {})


def test_without_inference_every_message_stands(memory: Memory) -> None:
    """`infer=False` keeps texts as they are, with their roles; what may not be kept is named."""
    secret = {"role": "user", "content": "my password is hunter2hunter2"}
    result = memory.add([*MOVIES, secret], user_id="alice", infer=False)

    assert [move["content"] for move in MOVIES] == [item["memory"] for item in result["results"]]
    assert ["user", "assistant", "user", "assistant"] == [item["role"] for item in result["results"]]
    assert [secret["content"]] == [item["memory"] for item in result["refused"]]


def test_one_word_is_kept_as_it_is(memory: Memory) -> None:
    """No name of a key stands before it; `limit` is the `top_k` of mem0 1."""
    memory.add([{"role": "user", "content": item} for item in ("Pizza", "42 km")], user_id="alice", infer=False)

    assert {"Pizza", "42 km"} == {result["memory"] for result in memory.get_all(user_id="alice")["results"]}
    assert 1 == len(memory.get_all(user_id="alice", limit=1)["results"])


def test_a_new_value_keeps_its_id(memory: Memory) -> None:
    """What replaces a memory is told as an update of it, with the text before."""
    first = memory.add("I live in Recife.", user_id="alice")["results"][0]
    second = memory.add("I moved: I live in Olinda now.", user_id="alice")["results"]
    changed = [item for item in second if item["event"] == "UPDATE"]

    assert [first["id"]] == [item["id"] for item in changed]
    assert "Recife" in changed[0]["previous_memory"]
    assert "Olinda" in (memory.get(first["id"]) or {})["memory"]


def test_people_are_apart(memory: Memory) -> None:
    """A user, an agent and a run each have their own; without one of them nothing is read or written."""
    memory.add("I prefer aisle seats.", user_id="alice")
    memory.add("I prefer window seats.", agent_id="travel")

    assert 1 == len(memory.get_all(filters={"user_id": "alice"})["results"])
    assert 1 == len(memory.get_all(filters={"agent_id": "travel"})["results"])
    assert [] == memory.search("seats", filters={"user_id": "bob"})["results"]
    for call in (lambda: memory.add("x"), lambda: memory.search("x"), memory.get_all, memory.delete_all):
        with pytest.raises(ValueError, match="user_id"):
            call()
    with pytest.raises(ValueError, match="not found"):
        memory.delete("01a1e67c-ef7c-7ea8-a6ce-08117c1d6321@alice")


def test_narrowed_by_metadata_agent_and_run(memory: Memory) -> None:
    """Filters of mem0 on what was given with a memory."""
    memory.add("I prefer aisle seats.", user_id="alice", agent_id="travel", metadata={"weight": 3})
    memory.add("I prefer tea.", user_id="alice", run_id="breakfast", metadata={"weight": 9})

    def texts(**filters: Any) -> list[str]:
        return [row["memory"] for row in memory.get_all(filters={"user_id": "alice", **filters})["results"]]

    assert 2 == len(texts())
    assert ["I prefer aisle seats"] == texts(agent_id="travel")
    assert ["I prefer tea"] == texts(weight={"gt": 5})
    assert ["I prefer tea"] == texts(OR=[{"run_id": "breakfast"}, {"weight": 1}])
    assert [] == texts(NOT=[{"weight": "*"}])
    memory.delete_all(user_id="alice", run_id="breakfast")
    assert ["I prefer aisle seats"] == texts()


def test_metadata_does_not_say_whose_it_is(memory: Memory) -> None:
    """As in mem0, ids in metadata are dropped, with `add` and with `update`, also given by place."""
    mine = {"user_id": "bob", "agent_id": "x", "actor_id": "eve", "kind": "seat"}
    (row,) = memory.add("I prefer aisle seats.", user_id="alice", metadata=mine)["results"]
    first = memory.get(row["id"]) or {}
    memory.update(row["id"], "I prefer window seats", {**mine, "kind": "view"})
    second = memory.get(row["id"]) or {}

    assert ("alice", {"kind": "seat"}) == (first["user_id"], first["metadata"])
    assert ("alice", {"kind": "view"}) == (second["user_id"], second["metadata"])
    assert "agent_id" not in second
    assert [] == memory.get_all(filters={"user_id": "bob"})["results"]


@pytest.mark.parametrize("limits", [{"top_k": -1}, {"top_k": "3"}, {"threshold": 2}, {"threshold": -0.1}])
def test_odd_limits_are_refused(memory: Memory, limits: dict[str, Any]) -> None:
    """As in mem0; no threshold is its default one, and no row is asked for by zero."""
    memory.add("I prefer aisle seats.", user_id="alice")
    whose: Any = {"filters": {"user_id": "alice"}}

    with pytest.raises(ValueError, match=next(iter(limits))):
        memory.search("seats", **whose, **limits)
    assert 1 == len(memory.search("seats", **whose, threshold=None)["results"])
    assert [] == memory.search("seats", **whose, top_k=0)["results"]
    assert [] == memory.get_all(**whose, top_k=0)["results"]


def test_what_has_no_meaning_here_is_said(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    """A time of mem0's platform and procedural memories are refused, and a prompt has no effect."""
    for odd in ({"timestamp": 1}, {"memory_type": "procedural_memory"}):
        with pytest.raises(ValueError, match=next(iter(odd))):
            memory.add("I prefer tea.", user_id="alice", **odd)
    memory.add("I prefer tea.", user_id="alice", prompt="Keep everything.")

    assert "prompt has no effect" in caplog.text


def test_an_expired_memory_is_not_told(memory: Memory) -> None:
    """From the day after its date on, unless expired ones are asked for."""
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    memory.add("I prefer aisle seats.", user_id="alice", expiration_date=yesterday)
    overrides: dict[str, Any] = {"filters": {"user_id": "alice"}}
    (row,) = memory.get_all(**overrides, show_expired=True)["results"]

    assert [] == memory.get_all(**overrides)["results"] == memory.search("seats", **overrides)["results"]
    memory.update(row["id"], expiration_date=None)
    assert 1 == len(memory.get_all(**overrides)["results"])


def test_reset_forgets_everybody(memory: Memory) -> None:
    """Every person of the tenant."""
    for user in ("alice", "bob"):
        memory.add("I prefer aisle seats.", user_id=user)
    memory.reset()

    assert [[], []] == [memory.get_all(filters={"user_id": user})["results"] for user in ("alice", "bob")]


async def test_the_same_with_await(rememora: Rememora) -> None:
    """`AsyncMemory` over an open Rememora; what it kept is the person's, whoever asks."""
    memory = AsyncMemory(rememora=rememora, tenant="acme")
    await memory.add("I prefer aisle seats.", user_id="ana")
    hits = await memory.search("seats", filters={"user_id": "ana"})
    kept = await rememora.user("ana", tenant="acme").memories.list()

    assert [name_of(kept.items[0].id, "ana")] == [row["id"] for row in hits["results"]]


async def test_erasing_a_person_takes_the_metadata_along(rememora: Rememora, ana: UserMemory) -> None:
    """Nothing of what was given with a memory outlives the person's erasure."""
    memory = AsyncMemory(rememora=rememora, tenant="acme")
    await memory.add("I prefer aisle seats.", user_id="ana", metadata={"note": "zebra-4711"})
    before = await ana.archive.export()
    await ana.erase(person=True)

    assert "zebra-4711" in str(before)
    assert "zebra-4711" not in str(await ana.archive.export())


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Hi, I'm Ana and I love hiking in the mountains.", "I'm Ana"),
        ("Hello, my name is Bob and I work at Acme.", "my name is Bob"),
        ("Oi, sou a Ana e adoro trilhas na serra.", "sou a Ana"),
    ],
)
def test_a_value_is_told_in_the_words_it_was_said_in(memory: Memory, said: str, text: str) -> None:
    """Without the greeting before it and the beginning of what is said next."""
    added = memory.add(said, user_id="ana")["results"]

    assert text in [row["memory"] for row in added]


def test_from_config_takes_what_it_can(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """mem0's models and stores have no effect, which is said; where the store lies and whose it is has one."""
    folder = str(tmp_path / "store")
    with Memory.from_config(
        {"llm": {"provider": "openai"}, "rememora": {"url": folder, "tenant": "shop"}}
    ) as made:
        made.add("I prefer aisle seats.", user_id="alice", infer=False)

    assert "no effect" in caplog.text
    assert (tmp_path / "store").exists()


@given(memory=st.uuids().map(str), person=st.text(min_size=1))
def test_an_id_holds_its_person(memory: str, person: str) -> None:
    """Whatever the person is called."""
    assert (memory, person) == parts_of(name_of(memory, person))


@pytest.mark.parametrize(
    ("filters", "met"),
    [
        ({"n": 3}, True),
        ({"n": {"gte": 3, "lt": 4}}, True),
        ({"n": {"in": [1, 2]}}, False),
        ({"n": {"nin": [1, 2]}}, True),
        ({"word": {"contains": "Sky"}}, True),
        ({"word": {"contains": "sky"}}, False),
        ({"word": {"icontains": "sky"}}, True),
        ({"n": {"gt": "three"}}, False),
        ({"none": {"ne": 1}}, True),
        ({"none": "*"}, False),
        ({"AND": [{"n": 3}, {"word": {"ne": "x"}}]}, True),
        ({"NOT": [{"n": 3}]}, False),
    ],
)
def test_filters(filters: dict[str, Any], met: bool) -> None:
    """Each operator of mem0; what cannot be compared does not match."""
    assert met is matches(filters, {"metadata": {"n": 3, "word": "Skylark"}})


def test_an_unknown_operator_is_refused() -> None:
    """As mem0 does."""
    with pytest.raises(ValueError, match="nearby"):
        matches({"n": {"nearby": 3}}, {"metadata": {"n": 3}})
