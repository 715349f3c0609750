"""Every setting with its range and its reason, one section per concept; source of the reference page."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from rememora.settings.section import Section

PLUGIN_NAME = "^[A-Za-z0-9][A-Za-z0-9._-]*$"
"""Names of entry points that a setting accepts; the plugin is loaded when the store is opened."""


class LayerSettings(Section, frozen=True, kw_only=True):
    """Layers of memory that take part in a turn."""

    title = "layers"
    summarization: Annotated[bool, Meta(description="Fold long conversations into a summary.")] = True
    vector_store: Annotated[bool, Meta(description="Embed and search by meaning.")] = True
    entity_memory: Annotated[bool, Meta(description="Count the entities that people mention.")] = True
    patterns: Annotated[
        bool, Meta(description="Learn how a person talks: language, answer length, hours, channel, topics.")
    ] = True
    cross_thread: Annotated[bool, Meta(description="Recall passages of the user's other conversations.")] = True
    past: Annotated[
        bool, Meta(description="Recall what was said in this conversation before its newest messages.")
    ] = True
    tasks: Annotated[bool, Meta(description="Include tasks handed to modules, their state and their results.")] = (
        True
    )
    recent: Annotated[bool, Meta(description="Include the newest messages of the conversation.")] = True
    profile: Annotated[bool, Meta(description="Include the person's profile and preferred style of answer.")] = (
        True
    )
    memories: Annotated[bool, Meta(description="Include the memories that match the question.")] = True
    questions: Annotated[bool, Meta(description="Include open questions to the person.")] = True
    moment: Annotated[bool, Meta(description="Include mode, operations, tasks and artifacts of the host.")] = True
    plan: Annotated[bool, Meta(description="Include the tenant's plan, and the used share of its quotas.")] = True


class WindowSettings(Section, frozen=True, kw_only=True):
    """Short memory: the newest turns of a conversation."""

    title = "window"
    turns: Annotated[int, Meta(ge=1, le=200, description="Maximum number of turns.")] = 20
    characters: Annotated[int, Meta(ge=100, le=1_000_000, description="Maximum number of characters.")] = 16_000


class SummarySettings(Section, frozen=True, kw_only=True):
    """Rolling summary of a long conversation."""

    title = "summary"
    threshold: Annotated[
        int, Meta(ge=5, le=100, description="Number of unsummarised messages that triggers a fold.")
    ] = 20
    keep_recent: Annotated[int, Meta(ge=3, le=50, description="Newest messages that are never folded.")] = 10
    max_tokens: Annotated[int, Meta(ge=100, le=2000, description="Maximum tokens of a summary.")] = 600
    model_seconds: Annotated[
        float, Meta(gt=0, le=600, description="Time limit of the model for one part of a fold.")
    ] = 30.0
    backoff_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Delay after a failed fold; doubles each time.")
    ] = 5.0
    backoff_limit_seconds: Annotated[
        float, Meta(gt=0, le=86_400, description="Maximum delay between two attempts at a fold.")
    ] = 900.0


class EpisodeSettings(Section, frozen=True, kw_only=True):
    """Medium-term memory: a run of turns, kept as one episode."""

    title = "episodes"
    threshold: Annotated[int, Meta(ge=2, le=1000, description="Turns in an episode.")] = 10
    max_tokens: Annotated[int, Meta(ge=20, le=1000, description="Maximum tokens of an episode's summary.")] = 160
    grace_seconds: Annotated[
        float,
        Meta(ge=0, le=3600, description="Time that an episode ending with a user's turn waits for the answer."),
    ] = 60.0
    tell_summary: Annotated[
        bool, Meta(description="Put the summary into `memory.episode.created`; events hold no content otherwise.")
    ] = False


class RecallSettings(Section, frozen=True, kw_only=True):
    """Search by words and by meaning."""

    title = "recall"
    limit: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="Maximum hits of a search that sets no limit, and maximum passages of a pack; "
            "0 means five hits, and as many passages as fit the budget.",
        ),
    ] = 0
    min_similarity: Annotated[
        float,
        Meta(ge=0, le=1, description="Minimum similarity of hits and of passages in a pack."),
    ] = 0.0
    floor: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Leave out hits that score less than this share of the best one, and hits that "
            "share no word with the query and are no closer to it than unrelated text; 0 keeps all.",
        ),
    ] = 0.4

    embedder: Annotated[
        str,
        Meta(
            pattern=PLUGIN_NAME,
            examples=["offline", "openai", "sentence-transformers", "none", "the name of a plugin"],
            description="The embedder: the bundled model (extra `local`), an OpenAI-compatible "
            "endpoint, a model on disk, nothing, or an installed plugin of `rememora.embedders`.",
        ),
    ] = "offline"
    model: Annotated[str, Meta(description="Model of the endpoint, or its path on disk.")] = ""
    dimension: Annotated[int, Meta(ge=1, le=16_384, description="Vector length of the endpoint's model.")] = 1536
    base_url: Annotated[str, Meta(description="URL of the endpoint; empty for OpenAI's own.")] = ""
    api_key: Annotated[
        str, Meta(description="The endpoint's key; at OpenAI, empty for `OPENAI_API_KEY`. Never shown or logged.")
    ] = ""
    threads: Annotated[int, Meta(ge=1, le=64, description="Threads of the bundled model.")] = 1
    rerank_ms: Annotated[
        int, Meta(ge=1, le=60_000, description="Time limit of the reranker, if there is one.")
    ] = 100
    memory_mb: Annotated[
        int,
        Meta(ge=16, le=1_048_576, description="Megabytes for the indexes of recently used users."),
    ] = 256
    vectors: Annotated[
        str,
        Meta(
            pattern="^(memory|engine|duckdb:///.+|(?!duckdb:)[a-z][a-z0-9+.-]*://.*)$",
            examples=["memory", "engine", "duckdb:///file", "plugin://…"],
            description="Where vectors are searched: in memory, or above `ann_rows` in memory-mapped files; "
            "always in the store's engine; in a DuckDB file of one process (extra `duckdb`); or in the "
            "installed plugin of `rememora.vectors` that the scheme of a URL names.",
        ),
    ] = "memory"
    ann_rows: Annotated[
        int,
        Meta(
            ge=1_000,
            le=100_000_000,
            description="Number of items of one user above which an approximate index is used.",
        ),
    ] = 100_000

    @property
    def hits(self) -> int:
        """Default number of hits of a search."""
        return self.limit or 5


class KnowledgeSettings(Section, frozen=True, kw_only=True):
    """Knowledge, and the lifetime of questions about it."""

    title = "knowledge"
    proposal_days: Annotated[
        float, Meta(gt=0, le=365, description="Days after which an unanswered question expires.")
    ] = 7.0
    attempts_days: Annotated[
        float, Meta(gt=0, le=36_500, description="Days after which the record of an attempt is removed.")
    ] = 90.0
    erasures: Annotated[
        str,
        Meta(
            description="A file that records every erasure before it happens, kept separate from backups; "
            "`rememora erase replay` repeats them after a restore. Empty for none."
        ),
    ] = ""
    allow_sensitive: Annotated[
        bool, Meta(description="Keep sensitive content when the person explicitly insists on it.")
    ] = False
    judged_characters: Annotated[
        int,
        Meta(
            ge=2_000,
            le=1_048_576,
            description="Number of characters of a text that are scanned for orders and secrets.",
        ),
    ] = 65_536


class ReadingSettings(Section, frozen=True, kw_only=True):
    """A language model, if one is configured, that reads people's messages in the background."""

    title = "reading"
    model: Annotated[
        bool,
        Meta(
            description="Let the configured model read each message of a person again, after the "
            "answer; has no effect without a model."
        ),
    ] = True
    reader: Annotated[
        str,
        Meta(
            pattern=PLUGIN_NAME,
            examples=["builtin", "the name of a plugin"],
            description="The reader of each message when it is written: the built-in network, or an installed "
            "plugin of `rememora.readers`. One reader serves a process.",
        ),
    ] = "builtin"
    daily_tokens: Annotated[
        int,
        Meta(
            ge=0,
            le=10**12,
            description="Tokens (prompt and answer) that reading may use per tenant and UTC day; "
            "later messages are read by the rules alone. 0 for no limit.",
        ),
    ] = 1_000_000
    message_tokens: Annotated[
        int,
        Meta(
            ge=1_500,
            le=1_000_000,
            description="Tokens (prompt and answer) for one message; a longer message is truncated.",
        ),
    ] = 4_000
    turns: Annotated[int, Meta(ge=0, le=50, description="Earlier turns that the model is given.")] = 6
    known: Annotated[int, Meta(ge=0, le=200, description="Related memories that the model is given.")] = 30
    model_seconds: Annotated[float, Meta(gt=0, le=600, description="Time limit of a model for one message.")] = (
        30.0
    )
    attempts: Annotated[
        int,
        Meta(ge=1, le=100, description="Attempts with a model before the result of the rules is final."),
    ] = 3
    backoff_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Delay after a model failed; doubles each time.")
    ] = 5.0
    backoff_limit_seconds: Annotated[
        float, Meta(gt=0, le=86_400, description="Maximum delay between two attempts.")
    ] = 900.0


class EntitySettings(Section, frozen=True, kw_only=True):
    """The structured things people mention."""

    title = "entities"
    types: Annotated[str, Meta(min_length=1, description="Entity types, separated by commas.")] = (
        "campaign,metric,preference,threshold,insight,person,organization,product,place,date"
    )
    max_per_user: Annotated[
        int,
        Meta(
            ge=10,
            le=200,
            description="Maximum entities per user; the least mentioned and oldest are evicted first.",
        ),
    ] = 50
    model_seconds: Annotated[float, Meta(gt=0, le=600, description="Time limit of a model for one turn.")] = 30.0
    attempts: Annotated[
        int, Meta(ge=1, le=100, description="Attempts with a model before the rules are used instead.")
    ] = 8
    backoff_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Delay after a model failed; doubles each time.")
    ] = 5.0
    backoff_limit_seconds: Annotated[
        float, Meta(gt=0, le=86_400, description="Maximum delay between two attempts.")
    ] = 900.0


class ImportSettings(Section, frozen=True, kw_only=True):
    """Limits on one import of a person's memory."""

    title = "imports"
    memories: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Maximum memories; a document with more is refused.")
    ] = 20_000
    entities: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            description="Maximum entities; a document with more is refused. `entities.max_per_user` are kept.",
        ),
    ] = 10_000
    documents: Annotated[
        int,
        Meta(ge=1, le=1_000_000, description="Maximum documents; an import with more is refused."),
    ] = 20_000
    messages: Annotated[
        int, Meta(ge=1, le=10_000_000, description="Maximum messages; a document with more is refused.")
    ] = 200_000
    mentions: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Mentions that one entity may claim; a higher count is clipped.")
    ] = 1_000
    batch: Annotated[
        int, Meta(ge=1, le=10_000, description="Rows per transaction; other writers run in between.")
    ] = 200


class ContextSettings(Section, frozen=True, kw_only=True):
    """Context of the model at every turn."""

    title = "context"
    budget: Annotated[int, Meta(ge=1, le=1_000_000, description="Default token budget of a pack.")] = 3_000
    deadline_ms: Annotated[
        int, Meta(ge=1, le=60_000, description="Time limit of a layer; a pack is built without a late one.")
    ] = 150
    loading_ms: Annotated[
        int,
        Meta(ge=0, le=600_000, description="Maximum wait of a person's first turn in a process for their index."),
    ] = 3_000
    memories: Annotated[int, Meta(ge=1, le=100, description="Memories in a pack, in addition to the profile.")] = (
        20
    )
    entities: Annotated[int, Meta(ge=1, le=200, description="Entities in a pack.")] = 10
    tasks: Annotated[int, Meta(ge=1, le=50, description="Tasks handed to modules in a pack.")] = 8
    related: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="Maximum passages of other conversations in a pack; 0 means as many as its budget "
            "holds, or three if that is under 400 tokens.",
        ),
    ] = 0
    least_worth: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Minimum probability that a passage answers the question; others are left out, "
            "even if tokens remain unused.",
        ),
    ] = 0.001
    layers: Annotated[
        str,
        Meta(
            description="Additional context layers from installed plugins (`rememora.layers`), by "
            "name, separated by commas; empty for none."
        ),
    ] = ""
    placement: Annotated[
        Literal["instructions", "user", "tool_result"],
        Meta(description="Recalled text goes into the instructions (fenced), a user message or a tool result."),
    ] = "instructions"


class ModelSettings(Section, frozen=True, kw_only=True):
    """The model that answers."""

    title = "model"
    provider: Annotated[
        Literal["builtin", "openai", "anthropic"],
        Meta(description="`builtin` answers from memory without a key; `openai` is any compatible endpoint."),
    ] = "builtin"
    api: Annotated[
        Literal["chat", "responses"], Meta(description="Which of OpenAI's two APIs the endpoint offers.")
    ] = "chat"
    base_url: Annotated[str, Meta(description="URL of the endpoint; empty for the vendor's own.")] = ""
    name: Annotated[str, Meta(min_length=1, description="Name of the model.")] = "gpt-4.1-mini"
    api_key: Annotated[str, Meta(description="The endpoint's key. Never shown or logged.")] = ""
    timeout_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Time limit for an answer, and for each chunk of a stream.")
    ] = 30.0
    retries: Annotated[int, Meta(ge=0, le=10, description="Retries of a failed call, within the timeout.")] = 2
    max_tokens: Annotated[int, Meta(ge=1, le=1_000_000, description="Maximum tokens of an answer.")] = 1_024
    instructions: Annotated[str, Meta(description="The host's own instructions, which open every prompt.")] = ""


class EventSettings(Section, frozen=True, kw_only=True):
    """Events for subscribers, and how often a delivery is retried."""

    title = "events"
    attempts: Annotated[
        int, Meta(ge=1, le=100, description="Delivery attempts before an event becomes a dead letter.")
    ] = 8
    backoff_seconds: Annotated[
        float, Meta(ge=0, le=3600, description="Delay after the first failure; doubles each time.")
    ] = 0.5
    backoff_limit_seconds: Annotated[
        float, Meta(ge=0, le=86_400, description="Maximum delay between two attempts.")
    ] = 300.0
    batch: Annotated[int, Meta(ge=1, le=10_000, description="Events delivered per batch.")] = 200
    delivery_seconds: Annotated[float, Meta(gt=0, le=600, description="Time limit of a subscriber per event.")] = (
        30.0
    )
    lease_seconds: Annotated[
        float, Meta(ge=1, le=600, description="Seconds after which another process takes over a dead one's relay.")
    ] = 10.0
    webhook_url: Annotated[str, Meta(description="URL that every event is posted to, signed; empty for none.")] = (
        ""
    )
    webhook_secret: Annotated[
        str, Meta(description="Secret that signs webhooks: `whsec_` and base64, or 16 characters or more.")
    ] = ""
    keep_days: Annotated[
        float,
        Meta(gt=0, le=36_500, description="Days after which an event that every subscriber has taken is removed."),
    ] = 30.0
    stale_days: Annotated[
        float,
        Meta(gt=0, le=36_500, description="Days after which an inactive subscriber no longer delays removal."),
    ] = 90.0
    schema_version: Annotated[
        int,
        Meta(ge=1, le=2, description="Version of the event schema for subscribers that request none."),
    ] = 2
    private_addresses: Annotated[
        bool, Meta(description="Allow webhooks to http and to private, loopback and link-local addresses.")
    ] = False


class TaskSettings(Section, frozen=True, kw_only=True):
    """Work handed to modules, and how often it is retried."""

    title = "tasks"
    attempts: Annotated[int, Meta(ge=1, le=100, description="Attempts before a task fails.")] = 5
    backoff_seconds: Annotated[
        float, Meta(ge=0, le=3600, description="Delay after the first failure; doubles each time.")
    ] = 1.0
    backoff_limit_seconds: Annotated[
        float, Meta(ge=0, le=86_400, description="Maximum delay between two attempts.")
    ] = 300.0
    lease_seconds: Annotated[
        float,
        Meta(ge=0.1, le=3600, description="Seconds after which another worker takes over a dead one's task."),
    ] = 15.0
    work_seconds: Annotated[float, Meta(gt=0, le=86_400, description="Time limit of one attempt.")] = 600.0
    at_once: Annotated[int, Meta(ge=1, le=64, description="Concurrent tasks of one module per process.")] = 4


class MissionSettings(Section, frozen=True, kw_only=True):
    """Working memory of a team of agents."""

    title = "missions"
    url: Annotated[
        str,
        Meta(description="URL of the mission store; empty for the store's own engine. Never shown or logged."),
    ] = ""
    collection: Annotated[
        str,
        Meta(min_length=1, description="Collection in MongoDB; some hosts call it `agent_working_memory`."),
    ] = "missions"
    delete_delay_seconds: Annotated[
        float, Meta(ge=0, le=3600, description="Time that a mission is kept after its answer, for debugging.")
    ] = 0.0
    active_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Time after which the sweep ends an active mission.")
    ] = 300.0
    closed_seconds: Annotated[
        float, Meta(ge=0, le=3600, description="Time that a timed-out or failed mission is kept.")
    ] = 60.0
    ttl_seconds: Annotated[
        float, Meta(gt=0, le=7200, description="Seconds after which a mission is removed in any case.")
    ] = 600.0
    depth: Annotated[int, Meta(ge=1, le=100, description="Maximum length of a chain of agents' calls.")] = 10
    window_seconds: Annotated[
        float, Meta(gt=0, le=600, description="Length of the sliding window of messages.")
    ] = 10.0
    window_messages: Annotated[
        int, Meta(ge=1, le=10_000, description="Maximum number of messages in a window.")
    ] = 60
    message_seconds: Annotated[float, Meta(gt=0, le=300, description="Default time limit of a message.")] = 30.0
    stall_seconds: Annotated[
        float, Meta(gt=0, le=600, description="Seconds without progress after which a mission has stalled.")
    ] = 30.0
    breaker_row: Annotated[
        int, Meta(ge=1, le=10, description="Failures in a row after which an agent's breaker opens.")
    ] = 5
    breaker_share: Annotated[
        float, Meta(gt=0, le=1, description="Share of failures among the last ten calls that also opens it.")
    ] = 0.6
    cooldown_seconds: Annotated[
        float, Meta(ge=0, le=300, description="Time that a breaker stays open before a probe.")
    ] = 15.0
    debug: Annotated[bool, Meta(description="Enable debug views, for development only.")] = False


class AccessSettings(Section, frozen=True, kw_only=True):
    """Keys, links, sessions, and stored answers of idempotent requests."""

    title = "access"
    overlap_hours: Annotated[
        float, Meta(ge=0, le=720, description="Time for which a rotated key remains valid.")
    ] = 24.0
    link_minutes: Annotated[float, Meta(gt=0, le=1440, description="Lifetime of a link to one person's page.")] = (
        30.0
    )
    answer_hours: Annotated[
        float, Meta(gt=0, le=720, description="Time for which the answer to an Idempotency-Key is kept.")
    ] = 24.0
    idle_minutes: Annotated[float, Meta(gt=0, le=1440, description="Idle time after which a session ends.")] = 30.0
    session_hours: Annotated[float, Meta(gt=0, le=720, description="Maximum length of a session.")] = 12.0
    invitation_hours: Annotated[
        float, Meta(gt=0, le=720, description="Lifetime of an invitation to open an account.")
    ] = 72.0
    glass_minutes: Annotated[
        float,
        Meta(gt=0, le=240, description="Time that support sees personal data after breaking the glass."),
    ] = 15.0
    tries_account: Annotated[
        int, Meta(ge=1, le=1000, description="Wrong passwords allowed for one account within 15 minutes.")
    ] = 10
    tries_address: Annotated[
        int, Meta(ge=1, le=100_000, description="Wrong passwords allowed from one address within 15 minutes.")
    ] = 50


class ServerSettings(Section, frozen=True, kw_only=True):
    """The REST server."""

    title = "server"
    host: Annotated[str, Meta(min_length=1, description="Address to listen on; loopback by default.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, Meta(ge=0, le=65_535, description="Port to listen on; 0 takes a free one.")] = 8787
    public_url: Annotated[
        str,
        Meta(
            description="Public URL of the server, as in `https://memory.example.com`; links begin with it. "
            "Without it they begin with `host` and `port`."
        ),
    ] = ""
    processes: Annotated[int, Meta(ge=1, le=64, description="Worker processes on one store.")] = 1
    demo: Annotated[
        bool,
        Meta(
            description="Offer a demo on the front page: a fictional company that any visitor may "
            "open, talk to and remove."
        ),
    ] = False
    body_bytes: Annotated[int, Meta(ge=1024, le=1 << 30, description="Largest body of a request.")] = (
        4 * 1024 * 1024
    )
    request_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Time limit of one request, except for streams.")
    ] = 30.0
    stream_seconds: Annotated[
        float,
        Meta(
            gt=0,
            le=86_400,
            description="Maximum length of a stream of events; its client then reconnects.",
        ),
    ] = 3600.0
    in_flight: Annotated[
        int,
        Meta(
            ge=1,
            le=100_000,
            description="Maximum requests in progress; others are told to retry later.",
        ),
    ] = 512
    in_flight_tenant: Annotated[int, Meta(ge=1, le=100_000, description="Maximum of these for one tenant.")] = 256
    in_flight_key: Annotated[int, Meta(ge=1, le=100_000, description="Maximum of these for one key or link.")] = (
        200
    )
    streams: Annotated[
        int, Meta(ge=1, le=100_000, description="Maximum open streams, counted separately from other requests.")
    ] = 512
    streams_tenant: Annotated[int, Meta(ge=1, le=100_000, description="Maximum of these for one tenant.")] = 256
    streams_key: Annotated[int, Meta(ge=1, le=100_000, description="Maximum of these for one key or link.")] = 200
    header_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Time limit for the headers of a request to arrive.")
    ] = 10.0
    body_start_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Time limit for the first byte of a body to arrive.")
    ] = 5.0
    body_seconds: Annotated[float, Meta(gt=0, le=3600, description="Time limit for a whole body to arrive.")] = (
        20.0
    )
    shutdown_seconds: Annotated[
        float, Meta(ge=0, le=3600, description="Time limit for requests in progress at shutdown.")
    ] = 20.0


class ProxySettings(Section, frozen=True, kw_only=True):
    """The OpenAI-compatible proxy of the server, at `/v1`."""

    title = "proxy"
    upstream: Annotated[
        str, Meta(description="Upstream URL, as in `https://api.openai.com/v1`; if empty, the proxy is off.")
    ] = ""
    api_key: Annotated[
        str,
        Meta(
            description="Key of the upstream; if empty, each request sends its own in `X-Upstream-Key`. "
            "Never shown, logged or stored."
        ),
    ] = ""
    budget: Annotated[int, Meta(ge=50, le=1_000_000, description="Token budget of memory in a request.")] = 1500
    timeout_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Time limit for the upstream's next data.")
    ] = 600.0
    body_bytes: Annotated[
        int, Meta(ge=1024, le=1 << 30, description="Largest body of a request to it, with images.")
    ] = 32 * 1024 * 1024
