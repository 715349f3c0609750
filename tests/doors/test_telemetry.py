"""What operators see: metrics, spans and logs, and nothing of what anybody said."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.doors.conftest import Running, settings_of

from rememora import Rememora, UserMemory, telemetry
from rememora.errors import InvalidInput

SECRET = "xyzzy-canary"


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that measures."""
    telemetry.switch_on()
    running = Running(settings_of(tmp_path_factory.mktemp("watched"))).start()
    running.tenant("acme")
    yield running
    running.stop()


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    """The spans of one test."""
    exporter = InMemorySpanExporter()
    provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):
        provider = TracerProvider()
        trace.set_tracer_provider(provider)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield exporter
    exporter.shutdown()


def samples(text: str) -> dict[str, float]:
    """The metrics by name and labels."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_metrics_tell_of_saves_and_refusals_without_content(watched: Running) -> None:
    """Gate decisions by reason, memories by category, corrections, verbs and answers; no tenant, no text."""
    ana = watched.user("ana")
    operator = watched.client(watched.key("operator"))
    before = samples(operator.get("/metrics").text)
    ana.post("/memories", json={"key": "user.city", "value": SECRET})
    ana.post("/memories", json={"key": "user.city", "value": f"{SECRET}-2"})
    ana.post("/notes", json={"text": "ok"})
    ana.get("/memory/search", params={"q": SECRET})
    text = operator.get("/metrics").text
    # Metrics are of the process, which other tests share: what counts is what was added.
    result = {name: value - before.get(name, 0) for name, value in samples(text).items()}

    assert 2 == sum(value for name, value in result.items() if name.startswith("rememora_memories_saved_total"))
    assert 1 == result["rememora_memory_corrections_total"]
    assert 1 <= sum(
        value for name, value in result.items() if 'decision="reject"' in name and "decisions_total" in name
    )
    assert 1 <= result['rememora_operation_duration_seconds_count{operation="search_memory"}']
    assert "rememora_index_lag_items" in result
    assert SECRET not in text
    assert "acme" not in text
    assert "ana" not in text.replace("canary", "")


def test_metrics_are_for_operators(watched: Running) -> None:
    """Nobody else reads them."""
    assert 403 == watched.client(watched.key("admin", tenant="acme")).get("/metrics").status_code
    assert 401 == watched.client().get("/metrics").status_code


async def test_verbs_leave_spans_after_the_genai_conventions(ana: UserMemory, spans: InMemorySpanExporter) -> None:
    """Operation and store are there; the query is not, nor what an error said."""
    await ana.remember("user.city", SECRET)
    await ana.recall(SECRET)
    with pytest.raises(InvalidInput):
        await ana.remember("nodot", SECRET)
    finished = spans.get_finished_spans()
    items = [dict(span.attributes or {}) for span in finished]

    assert ["upsert_memory", "search_memory", "upsert_memory"] == [item[telemetry.OPERATION] for item in items]
    assert "invalid_input" == items[-1][telemetry.ERROR]
    assert {"acme"} == {item[telemetry.STORE] for item in items}
    assert SECRET not in str([span.to_json() for span in finished])


async def test_the_query_is_in_the_span_only_when_switched_on(
    rememora: Rememora, spans: InMemorySpanExporter
) -> None:
    """Content is the operator's decision."""
    telemetry.switch_on(content=True)
    try:
        await rememora.user("ana", tenant="acme").recall(SECRET)
    finally:
        telemetry.switch_on(content=False)

    assert SECRET in str([span.to_json() for span in spans.get_finished_spans()])


@pytest.mark.parametrize("form", ["json", "pretty"])
def test_logs_say_where_and_never_what(form: str) -> None:
    """An exception is its type and its place; its message may be somebody's words."""
    stream = io.StringIO()
    logger = logging.getLogger("rememora")
    before = logger.handlers[:], logger.level, logger.propagate
    telemetry.log_to(stream, form=form, level="info")
    try:
        try:
            raise ValueError(SECRET)
        except ValueError:
            logging.getLogger("rememora.test").exception("it failed", extra={"fields": {"route": "/x"}})
    finally:
        logger.handlers[:], logger.level, logger.propagate = before
    text = stream.getvalue()

    assert "it failed" in text
    assert "ValueError" in text
    assert "/x" in text
    assert SECRET not in text
    if form == "json":
        assert "test_telemetry.py" in json.loads(text)["where"][0]


def test_a_log_line_per_answer_names_the_route_and_the_request(watched: Running) -> None:
    """The caller's request id comes back; one that is not plain is replaced."""
    ana = watched.user("ana")
    named = ana.get("/conversations", headers={"X-Request-Id": "abc-1"})
    odd = ana.get("/conversations", headers={"X-Request-Id": "a b\tc"})

    assert "abc-1" == named.headers["x-request-id"]
    assert "a b\tc" != odd.headers["x-request-id"]


def test_the_package_loads_nothing_of_this(tmp_path: Path) -> None:
    """`import rememora` brings in no web, metrics or tracing package."""
    code = (
        "import rememora, sys; print([name for name in sys.modules if name.partition('.')[0] in "
        "('fastapi', 'starlette', 'uvicorn', 'prometheus_client', 'opentelemetry', 'pydantic')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)

    assert "[]" == done.stdout.strip()
