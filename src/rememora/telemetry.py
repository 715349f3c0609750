"""Observability: spans, metrics and logs, all optional, and without content unless it is switched on.

Spans follow the GenAI memory operations of OpenTelemetry; they appear when the host process has loaded
OpenTelemetry, and cost one lookup when it has not. Metrics appear once `switch_on` was called and the Prometheus
client is installed. Both wrap a verb as a decorator, and are never written into its code.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from logging import Formatter, LogRecord, StreamHandler, getLogger
from typing import Any, Protocol, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

REQUEST: ContextVar[str] = ContextVar("rememora_request", default="")
"""Id of the current request."""

SEARCH, UPSERT, UPDATE, DELETE = "search_memory", "upsert_memory", "update_memory", "delete_memory"
CREATE = "create_memory"
LOAD, GATE, MISSION, CHAT = "load_memory", "judge_memory", "mission", "chat"
"""Names of operations: the first five are OpenTelemetry's, the others ours."""

OPERATION = "gen_ai.operation.name"
STORE = "gen_ai.memory.store.id"
QUERY = "gen_ai.memory.query.text"
ERROR = "error.type"

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
TOKENS = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)


class CountedEvent(Protocol):
    """An event, as far as the counters need it."""

    @property
    def type(self) -> str: ...
    @property
    def payload(self) -> Mapping[str, Any]: ...


class Measures:
    """The metrics of one process, or of several that share a folder, in the Prometheus client's registry."""

    def __init__(self, *, shared: bool = False) -> None:
        client = import_module("prometheus_client")
        self._shared = shared
        self._text = client.generate_latest
        self.registry = client.CollectorRegistry()
        count = functools.partial(client.Counter, registry=self.registry)
        spread = functools.partial(client.Histogram, registry=self.registry)
        gauge = functools.partial(client.Gauge, registry=self.registry)
        self.operations = count("rememora_operations", "Verbs that ended.", ["operation", "outcome"])
        self.durations = spread(
            "rememora_operation_duration_seconds", "How long verbs took.", ["operation"], buckets=SECONDS
        )
        self.decisions = count("rememora_gate_decisions", "What the gate said.", ["decision", "reason"])
        self.saved = count(
            "rememora_memories_saved", "Memories that came to be or changed.", ["category", "change"]
        )
        self.corrections = count("rememora_memory_corrections", "Values that took the place of another.")
        self.deleted = count("rememora_memories_deleted", "Memories forgotten or erased.", ["how"])
        self.dropped = count("rememora_mentions_dropped", "Mentions that a model gave in no form to be kept.")
        self.readings = count(
            "rememora_model_readings", "Messages that a model was to read, by what became of it.", ["outcome"]
        )
        self.reading_calls = count("rememora_model_reading_calls", "Times that a model was asked to read.")
        self.reading_tokens = count("rememora_model_reading_tokens", "Tokens of what it was asked and answered.")
        self.reading_facts = count(
            "rememora_model_reading_facts", "Facts that a model proposed, by what became of them.", ["fate"]
        )
        self.missions = count("rememora_missions", "Missions by what became of them.", ["state"])
        self.events = count("rememora_events", "Events stored.", ["type"])
        self.pack = spread("rememora_pack_tokens", "Tokens of a context.", buckets=TOKENS)
        self.lag = gauge(
            "rememora_index_lag_items", "Items that wait for their vector.", multiprocess_mode="livemostrecent"
        )
        self.refused = count("rememora_items_refused", "Items that no vector could be made of.")
        self.requests = count("rememora_http_requests", "Answers given.", ["method", "route", "status"])
        self.waits = spread(
            "rememora_http_request_duration_seconds", "How long answers took.", ["route"], buckets=SECONDS
        )
        self.busy = gauge(
            "rememora_http_requests_in_flight", "Requests being worked on.", multiprocess_mode="livesum"
        )

    def text(self) -> bytes:
        """Return all metrics in Prometheus's format."""
        return bytes(self._text(_of_all_processes() if self._shared else self.registry))

    def heard(self, event: CountedEvent) -> None:
        """Count an event that was stored."""
        payload = event.payload
        self.events.labels(event.type).inc()
        if event.type == "memory.save_attempt":
            self.decisions.labels(payload["verdict"], payload["reason"]).inc()
        elif event.type == "memory.updated":
            self.saved.labels(payload["category"], payload["change"]).inc()
            self.corrections.inc(1 if payload.get("replaced") else 0)
        elif event.type == "memory.deleted":
            self.deleted.labels("erased" if payload.get("erased") else "forgotten").inc(payload.get("count", 1))
        elif event.type.startswith("mission."):
            self.missions.labels(event.type.removeprefix("mission.")).inc()


class _State:
    measures: Measures | None = None
    content: bool = False


_state = _State()


def switch_on(*, content: bool = False, shared: bool = False) -> Measures | None:
    """Start to measure, if the Prometheus client is installed; `content` includes queries in spans.

    `shared` adds up the processes that write into the folder named by `PROMETHEUS_MULTIPROC_DIR`.
    """
    _state.content = content
    if _state.measures is None and find_spec("prometheus_client") is not None:
        _state.measures = Measures(shared=shared)
    return _state.measures


def _of_all_processes() -> Any:
    registry = import_module("prometheus_client").CollectorRegistry()
    import_module("prometheus_client.multiprocess").MultiProcessCollector(registry)
    return registry


def measures() -> Measures | None:
    """Return the metrics of this process; None if metrics are off."""
    return _state.measures


def heard(event: CountedEvent) -> None:
    """Count an event, if metrics are on."""
    if _state.measures is not None:
        _state.measures.heard(event)


def spanned(operation: str, *, text: str | None = None) -> Callable[[F], F]:
    """Wrap a verb in a span and a measurement; `text` names the parameter with content."""

    def wear(verb: F) -> F:
        assert inspect.iscoroutinefunction(verb), f"{verb.__name__} is no coroutine"
        signature = inspect.signature(verb)

        @functools.wraps(verb)
        async def worn(*args: Any, **kwargs: Any) -> Any:
            # Nobody measures: the verb costs what it costs without this wrapper.
            if _state.measures is None and "opentelemetry.trace" not in sys.modules:
                return await verb(*args, **kwargs)
            said = None
            if text and _state.content:
                said = str(signature.bind(*args, **kwargs).arguments.get(text, ""))
            return await _observed(operation, verb(*args, **kwargs), _tenant(args), said)

        return cast("F", worn)

    return wear


async def _observed(operation: str, work: Awaitable[Any], tenant: str, content: str | None) -> Any:
    begun = time.perf_counter()
    outcome = "ok"
    with _span(operation, tenant, content) as span:
        try:
            return await work
        except BaseException as error:
            outcome = str(getattr(error, "code", type(error).__name__))
            if span is not None:
                span.set_attribute(ERROR, outcome)
            raise
        finally:
            if _state.measures is not None:
                _state.measures.operations.labels(operation, outcome).inc()
                _state.measures.durations.labels(operation).observe(time.perf_counter() - begun)


@contextlib.contextmanager
def _span(operation: str, tenant: str, content: str | None) -> Iterator[Any]:
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        yield None
        return
    attributes = {OPERATION: operation, STORE: tenant} | ({} if content is None else {QUERY: content})
    tracer = trace.get_tracer("rememora")
    # The exception itself may carry content: only its code is recorded.
    with tracer.start_as_current_span(
        f"{operation} rememora", attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as span:
        yield span


def _tenant(args: tuple[Any, ...]) -> str:
    scope = getattr(args[0], "_scope", None) if args else None
    return str(getattr(scope, "tenant", ""))


class JsonLines(Formatter):
    """Formats one JSON object per line; an exception appears as its type and place, without its message."""

    def format(self, record: LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if request := REQUEST.get():
            line["request"] = request
        line |= getattr(record, "fields", {})
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            line["where"] = places(record.exc_info[2])
        return json.dumps(line, ensure_ascii=False)


class PrettyLines(Formatter):
    """Formats one line for people."""

    def format(self, record: LogRecord) -> str:
        at = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        fields = " ".join(f"{name}={value}" for name, value in getattr(record, "fields", {}).items())
        line = f"{at} {record.levelname.lower():<7} {record.getMessage()} {fields}".rstrip()
        if record.exc_info and record.exc_info[0] is not None:
            line += f" [{record.exc_info[0].__name__} at {' < '.join(places(record.exc_info[2]))}]"
        return line


def log_to(stream: Any, *, form: str, level: str) -> None:
    """Send this package's logs to a stream, as JSON or for people."""
    target = StreamHandler(stream)
    target.setFormatter(JsonLines() if form == "json" else PrettyLines())
    ours = getLogger("rememora")
    ours.handlers[:] = [target]
    ours.setLevel(level.upper())
    ours.propagate = False


def places(trace: Any) -> list[str]:
    """Return where an exception happened, innermost first; no values."""
    frames = traceback.extract_tb(trace)
    return [f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in reversed(frames)][:8]
