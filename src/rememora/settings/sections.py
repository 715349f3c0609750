"""Every setting with its range and its reason, a section per concept; the reference page is made of them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from rememora.settings.section import Section


class Layers(Section, frozen=True, kw_only=True):
    """Which layers of memory take part in a turn."""

    title = "layers"
    summarization: Annotated[bool, Meta(description="Fold long conversations into a summary.")] = True
    vector_store: Annotated[bool, Meta(description="Embed and search by meaning.")] = True
    entity_memory: Annotated[bool, Meta(description="Keep the structured things people mention.")] = True
    patterns: Annotated[
        bool, Meta(description="Learn how a person talks: language, answer length, hours, channel, topics.")
    ] = True
    cross_thread: Annotated[bool, Meta(description="Recall passages of the user's other conversations.")] = True
    past: Annotated[
        bool, Meta(description="Recall what was said in this conversation before its newest messages.")
    ] = True
    tasks: Annotated[bool, Meta(description="Tell how work handed to modules stands, and what came of it.")] = True
    recent: Annotated[bool, Meta(description="Tell the newest messages of the conversation.")] = True
    profile: Annotated[bool, Meta(description="Tell who the person is, and how they want to be answered.")] = True
    memories: Annotated[bool, Meta(description="Tell the memories that the question calls for.")] = True
    questions: Annotated[bool, Meta(description="Tell what the person was asked and has not answered.")] = True
    moment: Annotated[bool, Meta(description="Tell mode, operations, tasks and artifacts of the host.")] = True
    plan: Annotated[bool, Meta(description="Tell the tenant's plan, and how much of its quotas is used.")] = True


class Window(Section, frozen=True, kw_only=True):
    """Short memory: the newest turns of a conversation."""

    title = "window"
    turns: Annotated[int, Meta(ge=1, le=200, description="Turns at the most.")] = 20
    characters: Annotated[int, Meta(ge=100, le=1_000_000, description="Characters at the most.")] = 16_000


class Summary(Section, frozen=True, kw_only=True):
    """Rolling summary of a long conversation."""

    title = "summary"
    threshold: Annotated[int, Meta(ge=5, le=100, description="Uncovered messages beyond which a fold is due.")] = (
        20
    )
    keep_recent: Annotated[int, Meta(ge=3, le=50, description="Newest messages that stay as they are.")] = 10
    max_tokens: Annotated[int, Meta(ge=100, le=2000, description="Tokens a summary may have.")] = 600
    model_seconds: Annotated[
        float, Meta(gt=0, le=600, description="How long a model may take over one piece of a fold.")
    ] = 30.0
    backoff_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Wait after a fold has failed; doubles each time.")
    ] = 5.0
    backoff_limit_seconds: Annotated[
        float, Meta(gt=0, le=86_400, description="Longest wait between two tries of a fold.")
    ] = 900.0


class Episodes(Section, frozen=True, kw_only=True):
    """Medium memory: a stretch of turns, kept as one."""

    title = "episodes"
    threshold: Annotated[int, Meta(ge=2, le=1000, description="Turns in an episode.")] = 10
    max_tokens: Annotated[int, Meta(ge=20, le=1000, description="Tokens an episode's summary may have.")] = 160
    grace_seconds: Annotated[
        float, Meta(ge=0, le=3600, description="How long an episode that a user's turn ends waits for the answer.")
    ] = 60.0
    tell_summary: Annotated[
        bool, Meta(description="Put the summary into `memory.episode.created`; events hold no content otherwise.")
    ] = False


class Recall(Section, frozen=True, kw_only=True):
    """Search by words and by meaning."""

    title = "recall"
    limit: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="Hits of a search unless asked otherwise, and passages of a pack, at the most; "
            "0 for five hits, and as many passages as the pack's budget holds.",
        ),
    ] = 0
    min_similarity: Annotated[
        float,
        Meta(ge=0, le=1, description="Hits, and passages of a pack, less similar than this are left out."),
    ] = 0.0
    floor: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Hits that score less than this share of the best one are left out, and so are those that "
            "share no word with the query and are no nearer to it than unrelated text; 0 leaves none out.",
        ),
    ] = 0.4

    embedder: Annotated[
        Literal["offline", "openai", "sentence-transformers", "none"],
        Meta(
            description="What turns text into vectors: the bundled model (extra `local`), an OpenAI-compatible "
            "endpoint, a model on disk, or nothing."
        ),
    ] = "offline"
    model: Annotated[str, Meta(description="Which model the endpoint serves, or where it lies on disk.")] = ""
    dimension: Annotated[
        int, Meta(ge=1, le=16_384, description="Numbers in a vector of the endpoint's model.")
    ] = 1536
    base_url: Annotated[str, Meta(description="Where the endpoint is; empty for OpenAI's own.")] = ""
    api_key: Annotated[
        str, Meta(description="The endpoint's key; empty for `OPENAI_API_KEY`. Never shown or logged.")
    ] = ""
    threads: Annotated[int, Meta(ge=1, le=64, description="Threads of the bundled model.")] = 1
    rerank_ms: Annotated[
        int, Meta(ge=1, le=60_000, description="How long a reranker, where there is one, may think over the hits.")
    ] = 100
    memory_mb: Annotated[
        int,
        Meta(ge=16, le=1_048_576, description="Megabytes that users asked about lately may take."),
    ] = 256
    vectors: Annotated[
        str,
        Meta(
            pattern="^(memory|engine|duckdb:///.+)$",
            examples=["memory", "engine", "duckdb:///file"],
            description="Where vectors are searched: in memory, and above `ann_rows` in files mapped into it; "
            "always by the engine that keeps them; or in a DuckDB file of one process (extra `duckdb`).",
        ),
    ] = "memory"
    ann_rows: Annotated[
        int,
        Meta(
            ge=1_000, le=100_000_000, description="Items of one user above which an approximate index is searched."
        ),
    ] = 100_000

    @property
    def hits(self) -> int:
        """Hits of a search where the call does not say."""
        return self.limit or 5


class Knowledge(Section, frozen=True, kw_only=True):
    """What is known, and for how long a question about it waits."""

    title = "knowledge"
    proposal_days: Annotated[
        float, Meta(gt=0, le=365, description="Days after which an unanswered question expires.")
    ] = 7.0
    attempts_days: Annotated[
        float, Meta(gt=0, le=36_500, description="Days after which the record of a try at keeping is removed.")
    ] = 90.0
    erasures: Annotated[
        str,
        Meta(
            description="A file that notes every erasure before it is done, kept apart from the store's backups; "
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
            description="How much of a text is searched for orders and secrets; what lies beyond is not read.",
        ),
    ] = 65_536


class Entities(Section, frozen=True, kw_only=True):
    """The structured things people mention."""

    title = "entities"
    types: Annotated[str, Meta(min_length=1, description="The types there are, separated by commas.")] = (
        "campaign,metric,preference,threshold,insight,person,organization,product,place,date"
    )
    max_per_user: Annotated[
        int, Meta(ge=10, le=200, description="Entities kept; the least mentioned and oldest leave first.")
    ] = 50
    model_seconds: Annotated[float, Meta(gt=0, le=600, description="How long a model may read one turn.")] = 30.0
    attempts: Annotated[
        int, Meta(ge=1, le=100, description="Times that a model is asked before the rules read in its place.")
    ] = 8
    backoff_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Wait after a model has failed to read; doubles each time.")
    ] = 5.0
    backoff_limit_seconds: Annotated[float, Meta(gt=0, le=86_400, description="Longest wait for it.")] = 900.0


class Imports(Section, frozen=True, kw_only=True):
    """How much one import of a person's memory may bring."""

    title = "imports"
    memories: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Memories; a document with more is refused.")
    ] = 20_000
    entities: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            description="Entities; a document with more is refused. `entities.max_per_user` of them are kept.",
        ),
    ] = 10_000
    documents: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Documents of frameworks; an import with more is refused.")
    ] = 20_000
    messages: Annotated[
        int, Meta(ge=1, le=10_000_000, description="Messages; a document with more is refused.")
    ] = 200_000
    mentions: Annotated[
        int, Meta(ge=1, le=1_000_000, description="Mentions that one entity may claim; a higher count is clipped.")
    ] = 1_000
    batch: Annotated[
        int, Meta(ge=1, le=10_000, description="Rows written in one transaction; others write between two.")
    ] = 200


class Context(Section, frozen=True, kw_only=True):
    """What the model gets at every turn."""

    title = "context"
    budget: Annotated[int, Meta(ge=1, le=1_000_000, description="Tokens of a pack where none are given.")] = 3_000
    deadline_ms: Annotated[
        int, Meta(ge=1, le=60_000, description="How long a layer may take before the pack goes without it.")
    ] = 150
    memories: Annotated[int, Meta(ge=1, le=100, description="Memories in a pack, beside the profile.")] = 20
    entities: Annotated[int, Meta(ge=1, le=200, description="Entities in a pack.")] = 10
    tasks: Annotated[int, Meta(ge=1, le=50, description="Tasks handed to modules in a pack.")] = 8
    related: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="Passages of other conversations in a pack at the most; 0 for as many as its budget "
            "holds, and three where that is under 400 tokens.",
        ),
    ] = 0
    least_worth: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Passages are left out that would be the answer to fewer questions than this share; "
            "tokens are then left unused.",
        ),
    ] = 0.001
    placement: Annotated[
        Literal["instructions", "user", "tool_result"],
        Meta(description="Where recalled text stands: in the instructions' fenced block, or at lower privilege."),
    ] = "instructions"


class Model(Section, frozen=True, kw_only=True):
    """Who answers."""

    title = "model"
    provider: Annotated[
        Literal["builtin", "openai", "anthropic"],
        Meta(description="`builtin` answers from memory without a key; `openai` is any compatible endpoint."),
    ] = "builtin"
    api: Annotated[
        Literal["chat", "responses"], Meta(description="Which of OpenAI's two interfaces the endpoint speaks.")
    ] = "chat"
    base_url: Annotated[str, Meta(description="Where the endpoint is; empty for the vendor's own.")] = ""
    name: Annotated[str, Meta(min_length=1, description="Which model answers.")] = "gpt-4.1-mini"
    api_key: Annotated[str, Meta(description="The endpoint's key. Never shown or logged.")] = ""
    timeout_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Longest wait for an answer, and for each next piece of a stream.")
    ] = 30.0
    retries: Annotated[int, Meta(ge=0, le=10, description="Tries after the first, within the timeout.")] = 2
    max_tokens: Annotated[int, Meta(ge=1, le=1_000_000, description="Tokens an answer may have.")] = 1_024
    instructions: Annotated[str, Meta(description="The host's own instructions, which open every prompt.")] = ""


class Events(Section, frozen=True, kw_only=True):
    """What is told to subscribers, and how hard it is tried."""

    title = "events"
    attempts: Annotated[int, Meta(ge=1, le=100, description="Deliveries tried before a dead letter.")] = 8
    backoff_seconds: Annotated[
        float, Meta(ge=0, le=3600, description="Wait after the first failure; doubles each time.")
    ] = 0.5
    backoff_limit_seconds: Annotated[
        float, Meta(ge=0, le=86_400, description="Longest wait between two tries.")
    ] = 300.0
    batch: Annotated[int, Meta(ge=1, le=10_000, description="Events relayed at a time.")] = 200
    delivery_seconds: Annotated[
        float, Meta(gt=0, le=600, description="How long a subscriber may take over one event.")
    ] = 30.0
    lease_seconds: Annotated[
        float, Meta(ge=1, le=600, description="After how long another process takes over a dead one's relay.")
    ] = 10.0
    webhook_url: Annotated[
        str, Meta(description="Where every event is sent, as one signed POST each; empty for nowhere.")
    ] = ""
    webhook_secret: Annotated[
        str, Meta(description="What webhooks are signed with: `whsec_` and base64, or 16 characters or more.")
    ] = ""
    keep_days: Annotated[
        float,
        Meta(gt=0, le=36_500, description="Days after which an event that every subscriber has taken is removed."),
    ] = 30.0
    stale_days: Annotated[
        float,
        Meta(gt=0, le=36_500, description="Days after which a subscriber that stays away holds up no removal."),
    ] = 90.0
    schema_version: Annotated[
        int,
        Meta(ge=1, le=2, description="Version of the event schema for subscribers that ask for none themselves."),
    ] = 2
    private_addresses: Annotated[
        bool, Meta(description="Let webhooks go to http and to private, loopback and link-local addresses.")
    ] = False


class Tasks(Section, frozen=True, kw_only=True):
    """Work handed to modules, and how hard it is tried."""

    title = "tasks"
    attempts: Annotated[int, Meta(ge=1, le=100, description="Tries before a task has failed.")] = 5
    backoff_seconds: Annotated[
        float, Meta(ge=0, le=3600, description="Wait after the first failure; doubles each time.")
    ] = 1.0
    backoff_limit_seconds: Annotated[
        float, Meta(ge=0, le=86_400, description="Longest wait between two tries.")
    ] = 300.0
    lease_seconds: Annotated[
        float, Meta(ge=0.1, le=3600, description="After how long another worker takes over a dead one's task.")
    ] = 15.0
    work_seconds: Annotated[float, Meta(gt=0, le=86_400, description="How long one try may take.")] = 600.0
    at_once: Annotated[int, Meta(ge=1, le=64, description="Tasks of one module that a process works on.")] = 4


class Missions(Section, frozen=True, kw_only=True):
    """Working memory of a team of agents."""

    title = "missions"
    url: Annotated[
        str,
        Meta(description="Where missions are held; empty for the store's own engine. Never shown or logged."),
    ] = ""
    collection: Annotated[
        str,
        Meta(
            min_length=1,
            description="The collection in MongoDB; hosts of the first systems know `agent_working_memory`.",
        ),
    ] = "missions"
    delete_delay_seconds: Annotated[
        float, Meta(ge=0, le=3600, description="How long a mission outlives its answer, for debugging.")
    ] = 0.0
    active_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="After how long the sweep times an active mission out.")
    ] = 300.0
    closed_seconds: Annotated[
        float, Meta(ge=0, le=3600, description="How long a timed-out or failed mission stays.")
    ] = 60.0
    ttl_seconds: Annotated[
        float, Meta(gt=0, le=7200, description="After how long a mission is gone, whatever happens.")
    ] = 600.0
    depth: Annotated[int, Meta(ge=1, le=100, description="Calls in the longest chain of agents.")] = 10
    window_seconds: Annotated[float, Meta(gt=0, le=600, description="The sliding window of messages.")] = 10.0
    window_messages: Annotated[int, Meta(ge=1, le=10_000, description="Messages in a window at the most.")] = 60
    message_seconds: Annotated[
        float, Meta(gt=0, le=300, description="How long a message may take, unless it says so itself.")
    ] = 30.0
    stall_seconds: Annotated[
        float, Meta(gt=0, le=600, description="After how long without any movement a mission has stalled.")
    ] = 30.0
    breaker_row: Annotated[
        int, Meta(ge=1, le=10, description="Failures in a row after which an agent is left alone.")
    ] = 5
    breaker_share: Annotated[
        float, Meta(gt=0, le=1, description="Share of failures in the last ten calls that does the same.")
    ] = 0.6
    cooldown_seconds: Annotated[
        float, Meta(ge=0, le=300, description="How long an agent is left alone before it is tried again.")
    ] = 15.0
    debug: Annotated[bool, Meta(description="Debug views exist: for development only.")] = False


class Access(Section, frozen=True, kw_only=True):
    """Keys, links and answers that may be asked for again."""

    title = "access"
    overlap_hours: Annotated[
        float, Meta(ge=0, le=720, description="How long a rotated key goes on working beside its successor.")
    ] = 24.0
    link_minutes: Annotated[
        float, Meta(gt=0, le=1440, description="How long a link to one person's page works.")
    ] = 30.0
    answer_hours: Annotated[
        float, Meta(gt=0, le=720, description="How long the answer under an Idempotency-Key is kept.")
    ] = 24.0
    idle_minutes: Annotated[
        float, Meta(gt=0, le=1440, description="How long somebody who signed in may do nothing.")
    ] = 30.0
    session_hours: Annotated[
        float, Meta(gt=0, le=720, description="How long somebody stays signed in at most.")
    ] = 12.0
    invitation_hours: Annotated[
        float, Meta(gt=0, le=720, description="How long an invitation to open an account works.")
    ] = 72.0
    glass_minutes: Annotated[
        float, Meta(gt=0, le=240, description="How long support sees personal data after breaking the glass.")
    ] = 15.0
    tries_account: Annotated[
        int, Meta(ge=1, le=1000, description="Wrong passwords for one account within 15 minutes.")
    ] = 10
    tries_address: Annotated[
        int, Meta(ge=1, le=100_000, description="Wrong passwords from one address within 15 minutes.")
    ] = 50


class Telemetry(Section, frozen=True, kw_only=True):
    """What can be seen from outside; never what anybody said, unless `content` is on."""

    title = "telemetry"
    log_form: Annotated[Literal["pretty", "json"], Meta(description="Logs for people or for machines.")] = "pretty"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="The least that is logged.")
    ] = "info"
    metrics: Annotated[bool, Meta(description="Measure, and serve `/api/v1/metrics`.")] = True
    content: Annotated[bool, Meta(description="Let queries into spans; they may be personal.")] = False


class Server(Section, frozen=True, kw_only=True):
    """The REST server."""

    title = "server"
    host: Annotated[
        str, Meta(min_length=1, description="Where it listens; the loopback unless said otherwise.")
    ] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535, description="Which port; 0 takes a free one.")] = 8787
    public_url: Annotated[
        str,
        Meta(
            description="Where people reach the server, as in `https://memory.example.com`; links begin with it. "
            "Without it they begin with `host` and `port`."
        ),
    ] = ""
    processes: Annotated[int, Meta(ge=1, le=64, description="Worker processes on one store.")] = 1
    demo: Annotated[
        bool,
        Meta(
            description="Whether the front page offers a demonstration: a made-up company that any visitor may "
            "open, talk to and remove."
        ),
    ] = False
    body_bytes: Annotated[int, Meta(ge=1024, le=1 << 30, description="Largest body of a request.")] = (
        4 * 1024 * 1024
    )
    request_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="How long one request may take, streams apart.")
    ] = 30.0
    stream_seconds: Annotated[
        float,
        Meta(
            gt=0,
            le=86_400,
            description="How long a stream of events goes on; its client then comes back.",
        ),
    ] = 3600.0
    in_flight: Annotated[
        int, Meta(ge=1, le=100_000, description="Requests worked on at once; more are told to come back.")
    ] = 512
    in_flight_tenant: Annotated[
        int, Meta(ge=1, le=100_000, description="How many of them may be one tenant's.")
    ] = 256
    in_flight_key: Annotated[
        int, Meta(ge=1, le=100_000, description="How many of them one key or link may hold.")
    ] = 200
    streams: Annotated[
        int, Meta(ge=1, le=100_000, description="Streams open at once, counted apart from other requests.")
    ] = 512
    streams_tenant: Annotated[int, Meta(ge=1, le=100_000, description="How many of them may be one tenant's.")] = (
        256
    )
    streams_key: Annotated[
        int, Meta(ge=1, le=100_000, description="How many of them one key or link may hold.")
    ] = 200
    header_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="How long the headers of a request may take to arrive.")
    ] = 10.0
    body_start_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="How long the first byte of a body may take to arrive.")
    ] = 5.0
    body_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="How long a whole body may take to arrive.")
    ] = 20.0
    shutdown_seconds: Annotated[
        float, Meta(ge=0, le=3600, description="How long requests in flight may take to end at shutdown.")
    ] = 20.0


class Proxy(Section, frozen=True, kw_only=True):
    """The OpenAI-compatible proxy of the server, at `/v1`."""

    title = "proxy"
    upstream: Annotated[
        str,
        Meta(
            description="Where requests go on to, as in `https://api.openai.com/v1`; empty, there is no proxy.",
        ),
    ] = ""
    api_key: Annotated[
        str,
        Meta(
            description="The upstream's key; without it each request brings its own in `X-Upstream-Key`. "
            "Never shown, logged or stored."
        ),
    ] = ""
    budget: Annotated[int, Meta(ge=50, le=1_000_000, description="Tokens of memory in a request.")] = 1500
    timeout_seconds: Annotated[float, Meta(gt=0, le=3600, description="How long the upstream may be silent.")] = (
        60.0
    )


class Worker(Section, frozen=True, kw_only=True):
    """The background loops."""

    title = "worker"
    poll_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Longest sleep before looking for another process's work.")
    ] = 1.0


class Terminal(Section, frozen=True, kw_only=True):
    """Defaults of the command line for what a command does not name."""

    title = "terminal"
    tenant: Annotated[
        str, Meta(description="Which company, without `--tenant`; empty: the only one of the store.")
    ] = ""
    user: Annotated[
        str, Meta(description="Whose memory, without `--user`; empty: the only one of the company.")
    ] = ""
