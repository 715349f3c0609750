"""Pydantic-AI's own agents with our capability, tools and store, and a model that is a function."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai_harness.memory import (
    InMemoryStore,
    Memory,
    MemoryConflictError,
    MemoryOperation,
    MemoryOperationConflictError,
    MemoryStore,
    MetadataMemoryStore,
    SearchableMemoryStore,
)

from rememora import Rememora
from rememora.domain.ids import new_id
from rememora.integrations.pydantic_ai import RememoraMemory, memory_toolset
from rememora.integrations.pydantic_ai_store import RememoraMemoryStore

MANY = 100_000


class Seat(BaseModel):
    """Structured answer of an agent, in place of words."""

    row: int


class Scripted:
    """A model that answers from a list, and remembers what it was shown."""

    def __init__(self, *answers: str | ToolCallPart) -> None:
        self._answers = list(answers)
        self.shown: list[str] = []

    @property
    def model(self) -> FunctionModel:
        """As an agent takes it."""
        return FunctionModel(self._answer)

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.shown.append(str(messages))
        answer = self._answers.pop(0)
        return ModelResponse(parts=[TextPart(answer) if isinstance(answer, str) else answer])


async def test_a_run_is_told_and_kept_once(rememora: Rememora) -> None:
    """The second run knows the first; the run's own messages hold nothing of memory."""
    script = Scripted("Noted.", "Aisle.")
    memory = RememoraMemory(rememora, tenant="acme", user="ana", conversation="c1")
    agent = Agent(script.model, capabilities=[memory])
    await agent.run("I prefer aisle seats.")
    result = await agent.run("Which seats do I prefer?")
    stored = (await rememora.user("ana", tenant="acme").conversation("c1").messages()).items

    assert "Aisle." == result.output
    assert "<memory>" in script.shown[-1]
    assert "aisle seats" in script.shown[-1]
    assert "<memory>" not in str(result.all_messages())
    assert ["I prefer aisle seats.", "Noted.", "Which seats do I prefer?", "Aisle."] == [
        item.content for item in stored
    ]


async def test_data_is_an_answer_too(rememora: Rememora) -> None:
    """Stored as JSON; a call that waits for somebody's approval is no answer."""
    script = Scripted(ToolCallPart("final_result", {"row": 14}), ToolCallPart("book", {}))
    memory = RememoraMemory(rememora, tenant="acme", user="ana", conversation="c1")
    shaped = Agent(script.model, output_type=Seat, capabilities=[memory])
    await shaped.run("Which seat is free?")
    waiting = Agent(script.model, output_type=[str, DeferredToolRequests], capabilities=[memory])

    @waiting.tool_plain(requires_approval=True)
    def book() -> str:
        """Book it."""
        return "booked"

    await waiting.run("Book it, please.")
    stored = (await rememora.user("ana", tenant="acme").conversation("c1").messages()).items

    assert ["Which seat is free?", '{"row":14}', "Book it, please."] == [item.content for item in stored]


async def test_a_text_that_cannot_be_kept_is_answered(rememora: Rememora) -> None:
    """The agent goes on without memory."""
    agent = Agent(
        Scripted("Long.").model,
        capabilities=[RememoraMemory(rememora, tenant="acme", user="ana", conversation="c1")],
    )

    assert "Long." == (await agent.run("with \x00 in it")).output
    assert () == (await rememora.user("ana", tenant="acme").conversations.list()).items


async def test_people_come_with_the_run(rememora: Rememora) -> None:
    """Two runs of one agent, each with its own person; neither sees the other's memory."""
    script = Scripted("Noted.", "I do not know.")
    agent = Agent(
        script.model,
        deps_type=str,
        capabilities=[RememoraMemory(rememora, tenant="acme", user=lambda ctx: ctx.deps, conversation="c1")],
    )
    await agent.run("I prefer aisle seats.", deps="ana")
    await agent.run("Which seats do I prefer?", deps="bia")

    assert "aisle" not in script.shown[-1]
    assert 2 == len((await rememora.user("bia", tenant="acme").conversation("c1").messages()).items)


async def test_tools_under_the_gate(rememora: Rememora) -> None:
    """An agent saves and finds; what is refused is told to it."""
    script = Scripted(
        ToolCallPart("save_memory", {"text": "I prefer aisle seats."}),
        ToolCallPart("save_memory", {"text": "ok, thanks"}),
        ToolCallPart("search_memory", {"query": "seats"}),
        "Done.",
    )
    agent = Agent(script.model, toolsets=[memory_toolset(rememora, tenant="acme", user="ana")])
    await agent.run("Note my seats.")

    assert "kept" in script.shown[1]
    assert "refused" in script.shown[2]
    assert "aisle seats" in script.shown[3]
    assert 1 == len((await rememora.user("ana", tenant="acme").memories.list()).items)


async def test_it_is_a_store_of_the_harness(rememora: Rememora) -> None:
    """By its own protocols, and its own capability runs on it."""
    store = RememoraMemoryStore(rememora, tenant="acme", user="ana")
    script = Scripted("Hello.")
    await Agent(script.model, capabilities=[Memory(store=store)]).run("Hi")

    assert isinstance(store, MemoryStore)
    assert isinstance(store, MetadataMemoryStore)
    assert isinstance(store, SearchableMemoryStore)


PATHS = st.sampled_from(["a.md", "b/c.md", "b/d.md", "../x", ""])
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "delete", "read", "list"]),
        PATHS,
        st.sampled_from(["one", "two words", ""]),
        st.sampled_from([None, "op1", "op2"]),
        st.booleans(),
    ),
    max_size=10,
)


async def step(store: Any, versions: dict[str, str | None], kind: str, path: str, rest: tuple[Any, ...]) -> Any:
    """What one step comes to on a store, with versions named by whether they are there."""
    text, operation, stale = rest
    named = None if operation is None else MemoryOperation(id=operation, fingerprint=f"{kind}{path}{text}")
    expected = "stale" if stale else versions.get(path)
    try:
        if kind == "read":
            reading = await store.read(path, max_chars=4)
            return reading and (reading.content, reading.truncated, reading.operation_id, reading.metadata)
        if kind == "list":
            return await store.list_paths("b/", limit=MANY)
        if kind == "write":
            done = await store.write(path, text, expected_version=expected, operation=named)
        else:
            done = await store.delete(path, expected_version=expected, operation=named)
    except (ValueError, MemoryConflictError, MemoryOperationConflictError) as error:
        return type(error).__name__
    if not done.replayed:
        versions[path] = done.version
    return done.replayed, done.existed, done.version is None


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
async def test_it_answers_like_the_stores_of_the_harness(rememora: Rememora, steps: list[Any]) -> None:
    """Any sequence of reads, writes, deletions and repeats comes to the same on both."""
    ours, theirs = RememoraMemoryStore(rememora, tenant="acme", user=new_id()), InMemoryStore()
    mine: dict[str, str | None] = {}
    reference: dict[str, str | None] = {}
    for kind, path, *rest in steps:
        assert await step(theirs, reference, kind, path, tuple(rest)) == await step(
            ours, mine, kind, path, tuple(rest)
        )


async def test_metadata_belongs_to_one_write(rememora: Rememora) -> None:
    """Read with the file, and gone with the next write that says none."""
    store = RememoraMemoryStore(rememora, tenant="acme", user="ana")
    first = await store.write_with_metadata("a.md", "one", expected_version=None, metadata={"by": "ana"})
    before = await store.read("a.md", max_chars=MANY)
    await store.write("a.md", "two", expected_version=first.version)
    after = await store.read("a.md", max_chars=MANY)

    assert before is not None
    assert after is not None
    assert ({"by": "ana"}, None) == (before.metadata, after.metadata)


async def test_search_is_bounded(rememora: Rememora) -> None:
    """Best first, within the limits, directly below the prefix, and it says when something was left out."""
    store = RememoraMemoryStore(rememora, tenant="acme", user="ana")
    for path, text in (
        ("b/tea.md", "green tea"),
        ("b/seat.md", "window"),
        ("b/deep/tea.md", "tea"),
        ("c.md", "tea"),
    ):
        await store.write(path, text, expected_version=None)
    bounds = {"limit": 5, "max_files": 10, "max_chars": 100, "max_file_chars": 100}
    whole = await store.search("b/", "tea", **bounds)
    cut = await store.search("b/", "tea window", **{**bounds, "limit": 1})

    assert (["b/tea.md"], 2, False) == ([match.path for match in whole.matches], whole.scanned, whole.truncated)
    assert (1, True) == (len(cut.matches), cut.truncated)


async def test_search_does_not_mind_accents(rememora: Rememora) -> None:
    """A word is found in either spelling, and the snippet begins where the file has it."""
    store = RememoraMemoryStore(rememora, tenant="acme", user="ana")
    await store.write("a.md", "Às terças a reunião é às dez.", expected_version=None)
    hits = await store.search("", "REUNIAO", limit=1, max_files=1, max_chars=20, max_file_chars=100)

    assert ["...a reunião ..."] == [match.snippet for match in hits.matches]


WORDS = st.lists(st.sampled_from(["alpha", "beta", "012345alpha-tail", "A longer line of words."]), max_size=6)
BOUNDS = st.tuples(*(st.integers(low, high) for low, high in ((0, 4), (0, 4), (0, 60), (0, 30))))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files=st.dictionaries(st.sampled_from(["a.md", "b/alpha.md", "b/d.md", "b/e/f.md"]), WORDS),
    request=st.tuples(st.sampled_from(["", "b/"]), st.sampled_from(["", "alpha", "line beta", "tail md"])),
    bounds=BOUNDS,
)
async def test_it_finds_what_the_stores_of_the_harness_find(
    rememora: Rememora, files: dict[str, list[str]], request: tuple[str, str], bounds: tuple[int, ...]
) -> None:
    """Any files, query and bounds give the same matches, snippets and counts on both."""
    texts = {path: " ".join(words) for path, words in files.items()}
    ours, theirs = RememoraMemoryStore(rememora, tenant="acme", user=new_id()), InMemoryStore(files=texts)
    for path, text in texts.items():
        await ours.write(path, text, expected_version=None)
    named: dict[str, Any] = dict(zip(("limit", "max_files", "max_chars", "max_file_chars"), bounds, strict=True))

    prefix, query = request

    assert await theirs.search(prefix, query, **named) == await ours.search(prefix, query, **named)
