// Written by `make docs` from the OpenAPI document; changes belong in the routes of the server.

/** One thing that a question is about: a key with its value, or words that were said. */
export type About = { key?: string | null; value?: unknown; quote?: string | null };

/** Part of the acts: those before a position of the chain. */
export type ActQuery = { before?: number | null; limit?: number };

/** Number of live missions, and their session. */
export type ActiveMissionQuery = { limit?: number; session?: string | null };

/** Agent whose calls are meant; every agent where none is named. */
export type AgentTurn = { sender?: string | null };

/** One try at wording the answer, and the forbidden terms it was found to hold. */
export type AnswerAttempt = { extra?: Record<string, unknown>; text: string; at: string; forbidden?: string[] };

/** A credential as it is stored and shown: never the secret itself. */
export type ApiKey = { tenant: string; id: string; role: "admin" | "auditor" | "module" | "operator" | "service" | "user"; user?: string | null; label?: string; created_at: string; expires_at?: string | null; revoked_at?: string | null; used_at?: string | null; successor?: string | null; modules?: string[] };

/** It may be kept if the person confirms it. */
export type Ask = { verdict: "ask"; reason: string; why: VerdictReason; confidence: number; evidence?: TextSpan | null; facts?: Fact[]; origin?: Origin };

/** A question without words: the form is one of `questions` in the language packs. */
export type Asks = { form: string; about?: About[]; counts?: Record<string, number>; texts?: Record<string, string> };

/** Description of a file that came with a message; never its bytes. */
export type Attachment = { name: string; media_type?: string | null; url?: string | null; size_bytes?: number | null; description?: string | null };

/** One try at keeping something, and what the gate said; never what it was about. */
export type Attempt = { tenant: string; user: string; id: string; at: string; worthy: boolean; verdict: string; reason: string; key?: string | null; category?: string | null; source?: "admin_system" | "explicit_user" | "inferred" | "profile_seed"; memory?: string | null };

/** Number of the newest to return. */
export type AttemptQuery = { limit?: number };

/** One audit entry: actor, memory, time, reason, and the value before and after. */
export type AuditEntry = { tenant: string; position: number; at: string; action: string; actor: string; owner: string; memory: string; key: string; why: string; before: unknown; after: unknown; redacted: boolean };

/** Push to a list, increment a number, or pull from a list. */
export type BoardAction = { act: "increment" | "pull" | "push"; path: string; value?: unknown };

/** New value of the number, or length of the list. */
export type BoardValue = { now: number };

/** Stops calls to an agent that keeps failing; after a pause one probe decides. */
export type Breaker = { state?: "closed" | "half_open" | "open"; outcomes?: boolean[]; opened_at?: string | null; probe?: string | null; trips?: number };

/** Limits on the tokens and API calls of a whole mission. */
export type Budget = { tokens?: number; calls?: number };

/** Budget to be set aside for a call on top of what it has. */
export type BudgetExtension = { reserve: Spend };

/** A call that was admitted: waiting until `started_at` is set, then running until it is settled. */
export type BusMessage = { id: string; number: number; sender: string; to: string; sent_at: string; expires_at: string; reserved?: Spend; priority?: "critical" | "high" | "low" | "normal"; operation?: string | null; payload?: unknown; started_at?: string | null; kind?: "call" | "callback" | "fallback" | "operation"; callback?: string | null };

/** Reason that a message is refused, and the agent that could replace its addressee. */
export type CallRefusal = { reason: "breaker" | "budget" | "closed" | "deadline" | "depth" | "flood" | "loop"; detail: string; agent: string; fallback?: string | null };

/** A finished call whose caller asked to be notified and has not collected it yet. */
export type Callback = { message: string; agent: string; called: string; at: string; ok: boolean | null; operation?: string | null; result?: unknown };

/** The agent that asked to be called back. */
export type CallbackCollector = { agent: string };

/** A head of the chain that was noted down before. */
export type ChainAnchor = { anchor?: string | null };

/** Part of the chain. */
export type ChainQuery = { after?: number; limit?: number };

/** Result of verifying a tenant's audit chain; no fault means that it is intact. */
export type ChainReport = { tenant: string; entries: number; head: string; faults?: Fault[] };

/** Reason for the change. */
export type ChangeReason = { why?: string };

/** A message to the agent; hosts name its text and its thread differently, and may add fields. */
export type ChatMessage = { message?: string | null; text?: string | null; content?: string | null; conversation?: string | null; conversation_id?: string | null; session_id?: string | null; thread_id?: string | null; mission_id?: string | null; channel?: string; modality?: "chat" | "voice"; attachments?: Attachment[]; stream?: boolean; budget?: number | null; situation?: Situation | null; instructions?: string | null; placement?: "instructions" | "tool_result" | "user" | null };

/** One turn, done. */
export type ChatReply = { conversation_id: string; reply: string; asked: Message; answer: Message; used_memories: string[]; deeds: MemoryAction[]; partial: boolean; replayed: boolean; mission_id?: string | null };

/** Result of checking the bus: overdue calls, which it ended, and a stall. */
export type Checkup = { overdue?: BusMessage[]; stall?: Stall | null };

/** The claimed task; empty where none is due. */
export type ClaimedTask = { held: HeldTask | null };

/** Type of the request, and the prompts chosen for it. */
export type Classification = { extra?: Record<string, unknown>; kind?: "complex" | "entry" | "simple" | "trivial"; domain?: string | null; prompts?: string[] };

/** Everything the answer rests on, kept whole until it is out. */
export type Consolidation = { extra?: Record<string, unknown>; supporting?: Record<string, unknown>; calculations?: Record<string, unknown>; comparisons?: Record<string, unknown>; limitations?: string[] };

/** All that the model gets for one interaction, within its budget; the same for chat and voice. */
export type ContextPack = { scope: Scope; query: string; language: string; modality: "chat" | "voice"; items: Item[]; left_out?: LeftOut[]; missing?: MissingLayer[]; mode?: string | null; tokens: number; budget: number; built_at: string };

/** Query of a context. */
export type ContextQuery = { query: string; budget?: number | null; modality?: "chat" | "voice" | null; situation?: Situation | null; mission_id?: string | null };

/** Changes to a conversation; an absent field stays. */
export type ConversationChange = { channel?: string | null; metadata?: Record<string, unknown> | null };

/** One conversation as it is remembered: itself, a page of its messages, its summary, its newest episodes. `next` is the `after` of the following page; without it, these are the last messages. */
export type ConversationMemory = { conversation: ConversationRecord; messages: Message[]; next: string | null; summary: Summary | null; episodes: Episode[]; more_episodes: boolean };

/** One thread of a user; hosts also call it session. Of its turns (messages but the system's), `folded` are in the summary and `cut` are in episodes; of its messages, the first `counted` have had their mentions counted, or have none to count. */
export type ConversationRecord = { tenant: string; user: string; id: string; channel: string; messages: number; turns: number; folded?: number; cut?: number; counted?: number; metadata: Record<string, unknown>; created_at: string; updated_at: string; hidden?: "echo" | "erased" | "forgotten" | "order" | "secret" | "suppressed" | "unjudged" | "withheld" | null };

/** A coordinator's plan for this cycle, how far it got, and its share of the budget. */
export type Coordinator = { extra?: Record<string, unknown>; cycle?: number; plan?: OperationPlan; runs?: Record<string, OperationRun>; collected?: Record<string, unknown>; warnings?: (string | MissionWarning)[]; decisions?: Decision[]; completeness?: number; gaps?: Gaps; share?: Spend | null };

/** A coordinator that could take the mission, and why. */
export type CoordinatorCandidate = { extra?: Record<string, unknown>; coordinator: string; score: number; reason: string };

/** The person says that something remembered is wrong; `value` is None when the right one is not given. */
export type Correct = { verdict: "correct"; reason: string; why: VerdictReason; confidence: number; evidence?: TextSpan | null; facts?: Fact[]; origin?: Origin; key?: string | null; value?: string | boolean | number | null };

/** The right value in place of a wrong one. */
export type Correction = { value: unknown; why?: string };

/** Number of dead letters to return. */
export type DeadLetterQuery = { limit?: number };

/** Subscriber of the dead letters; all where none is named. */
export type DeadLetterRetry = { subscriber?: string | null };

/** Something a coordinator settled, and why; in which cycle, and about which operation. */
export type Decision = { extra?: Record<string, unknown>; what: string; reason: string; at: string; cycle?: number | null; operation?: string | null };

/** One memory that rests on another, by their ids, and how. */
export type DependencyLink = { dependent: string; rests_on: string; tie: "doubt" | "part" | "rule" };

/** One turn of a temporary talk, which only the caller holds. */
export type EarlierTurn = { role: "assistant" | "user"; content: string };

/** The calls of one agent to another: when the first and the last were sent, and how many of each kind. */
export type Edge = { first_at: string; last_at: string; kinds?: Record<string, number> };

/** Effect flag: True if it made a difference. */
export type EffectFlag = { done: boolean };

/** A campaign, a person or a product: its latest value, and how often it was mentioned. A `forgotten` entity is kept, so that it can be restored, and shown nowhere. */
export type Entity = { tenant: string; user: string; id: string; key: string; type: string; value: unknown; confidence: number; conversation: string | null; mentions: number; forgotten?: boolean; created_at: string; updated_at: string; hidden?: "echo" | "erased" | "forgotten" | "order" | "secret" | "suppressed" | "unjudged" | "withheld" | null };

/** Filter on entities. */
export type EntityQuery = { limit?: number; type?: string | null };

/** A stretch of turns kept as one; `turns` is the conversation's count when it ended. */
export type Episode = { tenant: string; user: string; conversation: string; id: string; turns: number; first_seq: number; last_seq: number; title: string; summary: string; created_at: string; hidden?: "echo" | "erased" | "forgotten" | "order" | "secret" | "suppressed" | "unjudged" | "withheld" | null };

/** Filter on episodes. */
export type EpisodeQuery = { limit?: number; conversation?: string | null };

/** Target of an erasure: exactly one of a memory, a topic, a conversation, or the whole person. */
export type ErasureRequest = { memory?: string | null; topic?: string | null; conversation?: string | null; person?: boolean; history?: boolean };

/** One fact. `id` never changes between deliveries, so that a consumer can drop what it has seen. */
export type Event = { id: string; type: string; tenant: string; user: string; conversation?: string | null; occurred_at: string; position?: number; version?: number; subject?: string | null; payload: Record<string, unknown> };

/** Filter on events. */
export type EventQuery = { after?: number; limit?: number; types?: string[] | null; schema?: number | null };

/** Observed work of the executors, and the host's own counters. */
export type Executors = { extra?: Record<string, unknown>; tracks?: Track[]; counters?: Record<string, number> };

/** An explanation of a memory, with what it rests on and what rests on it drawn as SVG. */
export type ExplanationAnswer = { memory: Memory; supersedes: Memory | null; timeline: TimelineValue[]; rests_on: Memory[]; dependents: Memory[]; links: DependencyLink[]; history: AuditEntry[]; drawing: string };

/** One thing that could be known: a dotted key, a value and where it was read. */
export type Fact = { key: string; value: string | boolean | number | null; category: string; confidence: number; origin?: Origin; evidence?: TextSpan | null; said?: Utterance | null };

/** A broken position of an audit chain, and the kind of damage. */
export type Fault = { tenant: string; position: number; what: string };

/** The consolidation, the tries, and the answer that went out. */
export type FinalAnswer = { extra?: Record<string, unknown>; consolidation?: Consolidation | null; attempts?: AnswerAttempt[]; validated?: boolean; answer?: string | null; sent_at?: string | null; error?: string | null };

/** The person wants something gone; `target` is `all`, a key, or the words that name it. */
export type Forget = { verdict: "forget"; reason: string; why: VerdictReason; confidence: number; evidence?: TextSpan | null; facts?: Fact[]; origin?: Origin; target: string; key?: string | null };

/** Information still missing: required for the answer, or only useful. */
export type Gaps = { extra?: Record<string, unknown>; critical?: string[]; complementary?: string[] };

/** A message for the gate. */
export type GateText = { text: string; origin?: Origin; insists?: boolean };

/** A task that somebody took: `lease` is what it is kept and ended by, until it counts as abandoned. */
export type HeldTask = { task: Task; lease: string; until: string };

/** One thing recalled. `score`, from 0 to 1, orders the hits of one search; `parts` add up to it and say why. `role` is who said it, where it is a message. `similarity`, from 0 to 1, is the cosine with the query, or where an item has no vector yet the share of the query's words that it holds. Among more than 4,000 items of one user it is exact for the nearest only, and an estimate to about 0.1 for the others; under a `min_similarity` it is exact for all. */
export type Hit = { content: string; score: number; similarity: number; parts: Record<string, number>; kind: "entity" | "episode" | "memory" | "message" | "summary"; id: string; conversation: string | null; created_at: string; metadata: Record<string, unknown>; role?: string };

/** Counts of an import: imported, refused by the gate, and over the limits. `clipped` entities claimed more mentions than an import may, `left_out` ones were more than a user may have. */
export type Imported = { memories?: number; entities?: number; documents?: number; messages?: number; quarantined?: number; refused?: number; clipped?: number; left_out?: number };

/** The query as it was asked, and the first reading of it. */
export type Intake = { extra?: Record<string, unknown>; query: string; classification?: Classification | null; candidates?: CoordinatorCandidate[] };

/** A new key with its secret, which is shown this once and stored nowhere. */
export type IssuedKey = { key: ApiKey; secret: string };

/** A passing credential for one person's own page. */
export type IssuedLink = { token: string; user: string; expires_at: string; read_only?: boolean };

/** One item of the context, with its origin and the reason it was included. */
export type Item = { section: "artifacts" | "done" | "entities" | "memories" | "mission" | "mode" | "operations" | "past" | "profile" | "questions" | "recent" | "related" | "summary" | "tasks" | "tenant"; text: string; kind: string; id?: string | null; key?: string | null; origin?: string; trust?: "operator" | "recalled"; reason?: string; score?: number; parts?: Record<string, number>; worth?: number; source?: string | null; stands_for?: string[]; category?: string | null; role?: "assistant" | "system" | "tool" | "user" | null; conversation?: string | null; at?: string | null; past?: string; note?: string; tokens?: number; cut?: boolean };

/** A whole list. */
export type ItemList_ApiKey_ = { items: ApiKey[] };

/** A whole list. */
export type ItemList_Attempt_ = { items: Attempt[] };

/** A whole list. */
export type ItemList_AuditEntry_ = { items: AuditEntry[] };

/** A whole list. */
export type ItemList_Callback_ = { items: Callback[] };

/** A whole list. */
export type ItemList_Entity_ = { items: Entity[] };

/** A whole list. */
export type ItemList_Episode_ = { items: Episode[] };

/** A whole list. */
export type ItemList_Event_ = { items: Event[] };

/** A whole list. */
export type ItemList_Hit_ = { items: Hit[] };

/** A whole list. */
export type ItemList_Message_ = { items: Message[] };

/** A whole list. */
export type ItemList_Mission_ = { items: Mission[] };

/** A whole list. */
export type ItemList_Parked_ = { items: Parked[] };

/** A whole list. */
export type ItemList_Proposal_ = { items: Proposal[] };

/** A whole list. */
export type ItemList_Quarantined_ = { items: Quarantined[] };

/** A whole list. */
export type ItemList_TimelineValue_ = { items: TimelineValue[] };

/** A whole list. */
export type ItemList_str_ = { items: string[] };

/** The lease, and for how long it is to go on. */
export type LeaseRenewal = { lease: string; seconds?: number | null };

/** A field of the profile that was left as it is, and why. */
export type LeftField = { field: string; key: string; reason: "needs_write_shared" | "not_clear" | "set_by_admin_system"; why: VerdictReason };

/** Something that was found and is not in the pack. It is over the `budget`, over its section's `cap`, `older` than a message that did not fit, too little `worth` for its tokens, or `repeated`: what it says, or the message it comes from, is in the pack already. */
export type LeftOut = { section: "artifacts" | "done" | "entities" | "memories" | "mission" | "mode" | "operations" | "past" | "profile" | "questions" | "recent" | "related" | "summary" | "tasks" | "tenant"; kind: string; id?: string | null; tokens: number; why: "budget" | "cap" | "older" | "repeated" | "worth" };

/** The process answers. */
export type Live = { status?: "ok" };

/** One durable fact. Its value never changes: another value is another memory that supersedes it. */
export type Memory = { tenant: string; user: string; id: string; scope: "personal" | "tenant_shared"; category: string; key: string; value: unknown; confidence: number; status: "active" | "deleted" | "deprecated"; source: "admin_system" | "explicit_user" | "inferred" | "profile_seed"; source_ref?: string | null; conversation?: string | null; origin?: Origin; suppressed?: boolean; supersedes?: string | null; evidence?: string | null; subject?: string | null; attribute?: string | null; valid_from?: string | null; valid_to?: string | null; follows?: string | null; because?: string | null; doubted_at?: string | null; doubted_by?: string | null; created_at: string; updated_at: string };

/** An action on the person's memory that the message asked for. */
export type MemoryAction = { kind: string; text: string; memories?: string[]; question?: string | null; receipts?: Receipt[] };

/** Filter on memories; active ones unless another status is asked for. */
export type MemoryQuery = { limit?: number; after?: string | null; category?: string | null; scope?: "personal" | "tenant_shared" | null; source?: "admin_system" | "explicit_user" | "inferred" | "profile_seed" | null; status?: "active" | "deleted" | "deprecated"; prefix?: string | null; conversation?: string | null; suppressed?: boolean | null; as_of?: string | null };

/** Search query: `query`, or `q` as some hosts say. */
export type MemorySearch = { query?: string | null; q?: string | null; limit?: number; kinds?: ("entity" | "episode" | "memory" | "message" | "summary")[] | null; min_similarity?: number | null; conversation?: string | null; exclude_conversation?: string | null; category?: string | null; since?: string | null; until?: string | null };

/** Target, by id, key, topic, category or words; `all` for everything. */
export type MemoryTarget = { target: string; why?: string };

/** One message by one side; `seq` is its place in the conversation, from 1. */
export type Message = { tenant: string; user: string; conversation: string; seq: number; id: string; role: "assistant" | "system" | "tool" | "user"; content: string; modality: "chat" | "voice"; attachments: Attachment[]; metadata: Record<string, unknown>; created_at: string; hidden?: "echo" | "erased" | "forgotten" | "order" | "secret" | "suppressed" | "unjudged" | "withheld" | null; shown?: string | null };

/** The call graph with counts, the messages not yet settled, and what guards them. */
export type MessageBus = { graph?: Record<string, Record<string, number>>; edges?: Record<string, Record<string, Edge>>; messages?: Record<string, BusMessage>; callbacks?: Callback[]; totals?: Totals; breakers?: Record<string, Breaker>; fallbacks?: Record<string, string>; window?: string[]; spent_by?: Record<string, Spend>; progress_at?: string | null };

/** A layer that gave nothing: switched off, too late, or failed. */
export type MissingLayer = { layer: string; why: "failed" | "late" | "off" };

/** Working memory of a team of agents: its owner, its state, and a section per layer. */
export type Mission = { id: string; tenant: string; user: string; created_at: string; expires_at: string; intake: Intake; orchestrator: Orchestrator; session?: string | null; status?: "active" | "completed" | "failed" | "timeout"; closed_at?: string | null; revision?: number; bus?: MessageBus; coordinators?: Record<string, Coordinator>; executors?: Executors; final?: FinalAnswer };

/** End of a mission. */
export type MissionEnd = { status?: "completed" | "failed" | "timeout" };

/** Values to put at paths, all of them or none. */
export type MissionUpdate = { changes: Record<string, unknown> };

/** A warning with its type and its impact on the answer; a plain text is a warning too. */
export type MissionWarning = { extra?: Record<string, unknown>; text: string; type?: string | null; impact?: "high" | "low" | "medium" | "none" | null; at?: string | null };

/** A call that one agent wants to make to another, and what it may use at most. */
export type NewCall = { sender: string; to: string; reserve?: Spend; priority?: "critical" | "high" | "low" | "normal"; kind?: "call" | "callback" | "fallback" | "operation"; callback?: string | null; operation?: string | null; payload?: unknown; timeout_s?: number | null; start?: boolean };

/** A message to append. */
export type NewConversationMessage = { role: "assistant" | "system" | "tool" | "user"; content: string; id?: string | null; created_at?: string | null; modality?: "chat" | "voice"; channel?: string; attachments?: Attachment[]; metadata?: Record<string, unknown> };

/** Messages to append, in order. */
export type NewConversationMessages = { messages: NewConversationMessage[] };

/** An episode in the host's own words; without them it is summarised from the turns. */
export type NewEpisode = { title?: string | null; summary?: string | null };

/** The first reading of the query: its classification, and the coordinators that could take it. */
export type NewIntake = { classification?: Classification | null; candidates?: CoordinatorCandidate[]; extra?: Record<string, unknown> };

/** A key to issue: a user's key names its user, a module's key its modules, and no other key either. */
export type NewKey = { role: "admin" | "auditor" | "module" | "operator" | "service" | "user"; user?: string | null; modules?: string[]; label?: string; days?: number | null };

/** A link to issue; a read-only one shows, and changes nothing. */
export type NewLink = { user: string; read_only?: boolean; minutes?: number | null };

/** Something to be kept, if the gate lets it. */
export type NewMemory = { key: string; value: unknown; category?: string | null; scope?: "personal" | "tenant_shared" | null; confidence?: number; source_ref?: string | null; conversation?: string | null; insists?: boolean };

/** One time that something was mentioned. */
export type NewMention = { type: string; key: string; value: unknown; confidence?: number; conversation?: string | null };

/** A request that a team is to work on. */
export type NewMission = { query: string; session?: string | null; terms?: Terms | null; intake?: NewIntake | null; fallbacks?: Record<string, string> };

/** Work for a module; under a `key` it is done once, however often it is asked for. */
export type NewTask = { module: string; kind: string; payload: Record<string, unknown>; correlation?: string | null; key?: string | null; conversation?: string | null };

/** An account to open. */
export type NewTenant = { id: string; name?: string | null; plan?: string | Plan };

/** Number of the newest to return. */
export type NewestMessages = { limit?: number };

/** The call whose turn it was, started; with a refusal it may not run any more. Neither where none waits. */
export type NextCall = { call?: BusMessage | null; refusal?: CallRefusal | null };

/** One thing an executor is asked to do, once the operations in `after` are done. */
export type Operation = { extra?: Record<string, unknown>; id: string; executor: string; payload?: unknown; after?: string[]; priority?: "critical" | "high" | "low" | "normal"; estimate?: Spend; timeout_s?: number; critical?: boolean };

/** Operations in the order they were planned; a plan that could never finish is refused. */
export type OperationPlan = { extra?: Record<string, unknown>; operations?: Operation[] };

/** State of one operation, with its full result. */
export type OperationRun = { extra?: Record<string, unknown>; state?: "done" | "failed" | "pending" | "running"; result?: unknown; source?: string | null; fallback?: string | null; tokens?: number; error?: string | null; reliability?: number | null; started_at?: string | null; ended_at?: string | null };

/** The objective, who leads it, and the limits it is held to. */
export type Orchestrator = { extra?: Record<string, unknown>; deadline: string; objective?: string | null; coordinator?: string | null; override?: Override | null; complexity?: "comparative" | "deep" | "investment_analysis" | null; timeout_s?: number; budget?: Budget; spent?: Spend };

/** Source of a text; it travels with every candidate. */
export type Origin = "assistant" | "document" | "operator" | "tool" | "user_said";

/** Outcome of a draft or a message: the gate's verdict, and the changes that followed. */
export type Outcome = { verdict?: Save | Ask | Refuse | Quarantine | Forget | Correct | null; memories?: Memory[]; replaced?: Memory[]; proposals?: Proposal[]; quarantined?: Quarantined[] };

/** The best candidate was passed over, for a reason. */
export type Override = { extra?: Record<string, unknown>; instead_of: string; reason: string };

/** A part of a longer list; `next` opens the following part, None ends it. */
export type Page_ConversationRecord_ = { items: ConversationRecord[]; next?: string | null };

/** A part of a longer list; `next` opens the following part, None ends it. */
export type Page_Memory_ = { items: Memory[]; next?: string | null };

/** A part of a longer list; `next` opens the following part, None ends it. */
export type Page_Message_ = { items: Message[]; next?: string | null };

/** A part of a longer list; `next` opens the following part, None ends it. */
export type Page_Task_ = { items: Task[]; next?: string | null };

/** A part of a longer list; `next` opens the following part, None ends it. */
export type Page_TenantAccount_ = { items: TenantAccount[]; next?: string | null };

/** Part of a long list. */
export type Paging = { limit?: number; after?: string | null };

/** An event that a subscriber has not taken yet, and why. */
export type Parked = { subscriber: string; event: Event; attempts: number; retry_at: string; dead?: boolean; error?: string | null };

/** Quotas of a tenant; a meter without a quota is counted and not limited. */
export type Plan = { name?: string; messages?: Quota | null; memories?: Quota | null; documents?: Quota | null; searches?: Quota | null; tokens?: Quota | null };

/** An error: `code` is stable and safe to match on, `detail` is for people. */
export type Problem = { type: string; title: string; status: number; code: string; detail?: string; field?: string | null; verdict?: string | null; reason?: string | null; quota?: string | null; limit?: number | null; resets_at?: string | null; command?: string | null; confirmation?: string | null; expires_at?: string | null; request_id?: string | null };

/** The base profile, under its own names or those of an onboarding form. */
export type ProfileSeed = { profile: Record<string, unknown>; ref?: "onboarding" | "profile" };

/** A question to the person that waits for an answer until it expires. */
export type Proposal = { tenant: string; user: string; id: string; kind: "confirm" | "correct" | "erase" | "forget" | "save" | "suppress"; asks: Asks; questions: Record<string, string>; key?: string | null; value?: unknown; candidates?: string[]; wish?: Record<string, unknown> | null; reason: string; status?: "confirmed" | "corrected" | "expired" | "open" | "refused"; created_at: string; expires_at: string };

/** The person's answer to a question, in their own words. */
export type ProposalAnswer = { reply: string };

/** It tries to give the agent orders: kept apart for review, never known, never injected. */
export type Quarantine = { verdict: "quarantine"; reason: string; why: VerdictReason; confidence: number; evidence?: TextSpan | null; facts?: Fact[]; origin?: Origin };

/** Let a held text go; under a key it becomes a memory. */
export type QuarantineApproval = { key?: string | null; value?: unknown };

/** Filter on quarantined texts. */
export type QuarantineQuery = { status?: "approved" | "held" | "rejected"; limit?: number; after?: string };

/** Reject a quarantined text permanently. */
export type QuarantineRejection = { why?: string };

/** Result for a quarantined text. */
export type QuarantineResult = { memory: Memory | null };

/** Text that tried to give orders: kept apart for review, never known, never recalled, never injected. */
export type Quarantined = { tenant: string; user: string; id: string; text: string; reason: string; wish?: Record<string, unknown> | null; origin?: Origin; source_ref?: string | null; conversation?: string | null; status?: "approved" | "held" | "rejected"; created_at: string; reviewed_at?: string | null; reviewed_by?: string | null };

/** A limit on one meter within a window of the UTC calendar. */
export type Quota = { limit: number; per?: "day" | "hour" | "minute" | "month" };

/** The store answers; `index_lag` items wait for their vector. */
export type Ready = { status?: "ok"; index_lag: number };

/** Proof of an erasure, in numbers. The fingerprints are keyed by the store: alone they reveal nothing. `remains` names places on a server where bytes may stay for a while, readable by its operator alone, and files that could not be cleaned yet. */
export type Receipt = { id: string; tenant: string; kind: string; at: string; counts: Record<string, number>; audit_position: number; fingerprints: string[]; elsewhere: number; public_key: string; remains?: string[]; signature?: string };

/** A receipt to check, and text that is suspected to be left. */
export type ReceiptCheck = { receipt: Receipt; suspects?: string[] };

/** Result of verifying a receipt. */
export type ReceiptReport = { genuine: boolean; clean: boolean; residues?: Residue[]; named?: number; elsewhere?: number };

/** It is not kept; `sensitive` when that is because of what it would reveal. */
export type Refuse = { verdict: "reject"; reason: string; why: VerdictReason; confidence: number; evidence?: TextSpan | null; facts?: Fact[]; origin?: Origin; sensitive?: boolean };

/** Counts of what a deletion removed, by kind. */
export type Removed = { conversations?: number; messages?: number; summaries?: number; episodes?: number; embeddings?: number; cached?: number };

/** Query of a context, and the form for the model. */
export type RenderQuery = { query: string; budget?: number | null; modality?: "chat" | "voice" | null; situation?: Situation | null; mission_id?: string | null; form?: "anthropic" | "chat" | "json" | "langchain" | "markdown" | "responses"; placement?: "instructions" | "tool_result" | "user" };

/** The context as a model gets it. */
export type RenderedContext = { form: "anthropic" | "chat" | "json" | "langchain" | "markdown" | "responses"; rendered: unknown; tokens: number };

/** Result and actual usage of a call; `ok` is None when it was cancelled. */
export type Report = { ok?: boolean | null; spent?: Spend; timed_out?: boolean; result?: unknown };

/** Places where erased content was still found. */
export type Residue = { file: string; offset: number };

/** The result that is to outlive its mission, and the key it is to be known under. */
export type ResultPromotion = { path: string; key: string };

/** Number of events to retry. */
export type RetryCount = { retried: number };

/** It may be kept; `explicit` when the person asked for it. `unsure` lists further facts to ask about. */
export type Save = { verdict: "save"; reason: string; why: VerdictReason; confidence: number; evidence?: TextSpan | null; facts?: Fact[]; origin?: Origin; explicit?: boolean; unsure?: Fact[] };

/** Version of the schema. */
export type SchemaQuery = { version?: number };

/** One user of one tenant, and the conversation where there is one. Where an agent keeps a memory of its own of the user, `user` names both: `ana#agent:support`. */
export type Scope = { tenant: string; user: string; conversation?: string | null };

/** Result of a profile: an outcome for each field that was written or judged, and the fields left alone. */
export type Seeded = { items?: Outcome[]; left?: LeftField[] };

/** The host's view of the moment: its mode, and its operations, tasks, artifacts and plan. */
export type Situation = { mode?: string | null; plan?: string | null; quotas?: Record<string, unknown>; operations?: Record<string, unknown>; tasks?: unknown[]; artifacts?: unknown[] };

/** Tokens and API calls: used, set aside, or asked for. */
export type Spend = { tokens?: number; calls?: number };

/** Nothing has moved for too long, and nothing is running that still could. */
export type Stall = { idle_s: number; waiting: number };

/** Start of a stream, which `Last-Event-ID` overrides, and its end. */
export type StreamQuery = { after?: number; types?: string[] | null; schema?: number | null; limit?: number | null; quiet_seconds?: number | null };

/** The folded part of a conversation: `covered` messages, the last of them at place `last_seq`. */
export type Summary = { tenant: string; user: string; conversation: string; text: string; tokens: number; covered: number; last_seq: number; created_at: string; updated_at: string; hidden?: "echo" | "erased" | "forgotten" | "order" | "secret" | "suppressed" | "unjudged" | "withheld" | null };

/** The right value of something named by id, key, topic, category or words. */
export type TargetedCorrection = { value: unknown; why?: string; target: string };

/** One piece of work for a module; `id` is what a worker deduplicates its effects by. */
export type Task = { id: string; tenant: string; user: string; conversation?: string | null; module: string; kind: string; payload: Record<string, unknown>; correlation: string; key?: string | null; status?: "cancelled" | "completed" | "failed" | "running" | "waiting"; attempts?: number; due_at?: string | null; result?: unknown; summary?: string | null; error?: string | null; created_at: string; updated_at: string; hidden?: "echo" | "erased" | "forgotten" | "order" | "secret" | "suppressed" | "unjudged" | "withheld" | null };

/** For which module work is taken, and for how long. */
export type TaskClaim = { module: string; seconds?: number | null };

/** Result of the work: a one-line summary that events may carry, and a result that stays with the task. */
export type TaskCompletion = { lease: string; summary?: string; result?: unknown };

/** Reason that the work was not done, as a code; `retry` lets it be tried again later. */
export type TaskFailure = { lease: string; error: string; retry?: boolean };

/** The lease that a task is held by. */
export type TaskLease = { lease: string };

/** Filter on tasks. */
export type TaskQuery = { limit?: number; after?: string | null; status?: "cancelled" | "completed" | "failed" | "running" | "waiting" | null; module?: string | null };

/** A question whose talk leaves nothing. */
export type TemporaryChat = { message: string; said?: EarlierTurn[]; budget?: number | null };

/** A company that is served. */
export type TenantAccount = { id: string; name: string; status?: "active" | "suspended"; plan?: Plan; created_at: string; updated_at: string };

/** Changes to an account; an absent field stays. */
export type TenantChange = { name?: string | null; plan?: string | Plan | null; status?: "active" | "suspended" | null; end_links?: boolean };

/** Confirmation: the tenant's id once more, and the reason. */
export type TenantErasureQuery = { confirm: string; why?: string };

/** The time and the budget given to a mission. */
export type Terms = { timeout_s?: number; budget?: Budget };

/** Part of the judged text that a verdict or a fact rests on. */
export type TextSpan = { start: number; end: number; text: string };

/** One value of a statement: when it was said, from when to when it held, and the rule that made it so. */
export type TimelineValue = { memory: string; value: unknown; said_at: string; since: string; until?: string | null; because?: string | null; doubted_at?: string | null };

/** Running totals of everything that passed, or did not. */
export type Totals = { sent?: number; done?: number; failed?: number; timed_out?: number; withdrawn?: number; overruns?: number; refused?: Record<string, number> };

/** One call of an executor, for the record; its result is with the operation. */
export type Track = { extra?: Record<string, unknown>; executor: string; coordinator: string; operation: string; ok: boolean; ended_at: string; started_at?: string | null; duration_s?: number | null; request_id?: string | null; fallback_for?: string | null; spent?: Spend };

/** A reply that is not stored, and neither is its question, with the memories it could rest on. */
export type UnstoredReply = { text: string; used_memories?: string[]; pack: ContextPack };

/** Usage of one meter by a tenant in the current window. */
export type Usage = { meter: "documents" | "memories" | "messages" | "searches" | "tokens"; used: number; limit: number | null; per: "day" | "hour" | "minute" | "month"; since: string; resets_at: string };

/** The plan in force, and what was used of it. */
export type UsageReport = { plan: Plan; usage: Usage[] };

/** The reader's view of a fact: its act (state, change, correct), attribute and subject. */
export type Utterance = { act?: string; attribute?: string; subject?: string };

/** The reason for a verdict in both languages. */
export type VerdictReason = { pt: string; en: string };

/** Every operation of the server: what it takes, and what it answers. */
export interface Operations {
  /** One turn: stored, answered from memory, and the answer stored too; streamed when asked for. */
  chat: { path: undefined; query: undefined; body: ChatMessage; answer: ChatReply };
  /** One answer from what is remembered; neither question nor answer is stored anywhere. */
  chat_temporary: { path: undefined; query: undefined; body: TemporaryChat; answer: UnstoredReply };
  /** Build the context for a query, within a budget of tokens, each item with its origin and reason. */
  get_context: { path: { conversation: string }; query: undefined; body: ContextQuery; answer: ContextPack };
  /** The same, in the form of OpenAI Responses or Chat, Anthropic, LangChain, or as plain text. */
  render_context: { path: { conversation: string }; query: undefined; body: RenderQuery; answer: RenderedContext };
  /** The user's conversations, newest first. */
  list_conversations: { path: undefined; query: { limit?: number; after?: string }; body: undefined; answer: Page_ConversationRecord_ };
  /** Return the record of a conversation. */
  get_conversation: { path: { conversation: string }; query: undefined; body: undefined; answer: ConversationRecord };
  /** Create a conversation, or change its channel or metadata. */
  put_conversation: { path: { conversation: string }; query: undefined; body: ConversationChange; answer: ConversationRecord };
  /** Remove a conversation and all that hangs on it; says how much that was. */
  delete_conversation: { path: { conversation: string }; query: undefined; body: undefined; answer: Removed };
  /** The whole conversation from its beginning. */
  list_messages: { path: { conversation: string }; query: { limit?: number; after?: string }; body: undefined; answer: Page_Message_ };
  /** Add one message at the end. */
  append_message: { path: { conversation: string }; query: undefined; body: NewConversationMessage; answer: Message };
  /** Add many messages at the end, in order, as imports do; answers with their ids. */
  append_messages: { path: { conversation: string }; query: undefined; body: NewConversationMessages; answer: ItemList_str_ };
  /** Short memory: the newest turns that fit the window, in chronological order. */
  get_window: { path: { conversation: string }; query: { limit?: number }; body: undefined; answer: ItemList_Message_ };
  /** The rolling summary, once the conversation is long enough to have one. */
  get_summary: { path: { conversation: string }; query: undefined; body: undefined; answer: Summary };
  /** The conversation's episodes, newest first. */
  list_conversation_episodes: { path: { conversation: string }; query: { limit?: number }; body: undefined; answer: ItemList_Episode_ };
  /** Keep the turns since the last episode as one, now. */
  append_episode: { path: { conversation: string }; query: undefined; body: NewEpisode; answer: Episode };
  /** Search the user's memory, best hit first, each with its reasons. */
  search_memory: { path: undefined; query: { query?: string; q?: string; limit?: number; kinds?: ("entity" | "episode" | "memory" | "message" | "summary")[]; min_similarity?: number; conversation?: string; exclude_conversation?: string; category?: string; since?: string; until?: string }; body: undefined; answer: ItemList_Hit_ };
  /** A conversation as it is remembered: messages from its beginning, page by page; episodes newest first. */
  get_conversation_memory: { path: { conversation: string }; query: { limit?: number; after?: string }; body: undefined; answer: ConversationMemory };
  /** Forget a conversation: its messages, summary, episodes and vectors; says how much that was. */
  delete_conversation_memory: { path: { conversation: string }; query: undefined; body: undefined; answer: Removed };
  /** List memories by key; or those active at a moment (`as_of`). */
  list_memories: { path: undefined; query: { limit?: number; after?: string; category?: string; scope?: "personal" | "tenant_shared"; source?: "admin_system" | "explicit_user" | "inferred" | "profile_seed"; status?: "active" | "deleted" | "deprecated"; prefix?: string; conversation?: string; suppressed?: boolean; as_of?: string }; body: undefined; answer: Page_Memory_ };
  /** Keep a fact, if the gate lets it: 201 kept, 202 the person is asked first, 422 refused with the reason. */
  remember: { path: undefined; query: undefined; body: NewMemory; answer: Outcome };
  /** Put the right value in place of a wrong one; when it is not clear which is meant, a question comes back. */
  correct: { path: undefined; query: undefined; body: TargetedCorrection; answer: Outcome };
  /** Delete softly what is meant; it can be restored. */
  forget: { path: undefined; query: undefined; body: MemoryTarget; answer: Outcome };
  /** Keep what is meant, and never mention it. */
  suppress: { path: undefined; query: undefined; body: MemoryTarget; answer: Outcome };
  /** One memory by its id, or the active one under a key; its `ETag` is for `If-Match`. */
  get_memory: { path: { memory: string }; query: undefined; body: undefined; answer: Memory };
  /** Replace this memory's value with the right one; with `If-Match`, only if it has not changed. */
  correct_memory: { path: { memory: string }; query: undefined; body: Correction; answer: Outcome };
  /** Forget this memory so that it can be restored; with `If-Match`, only if it has not changed. */
  forget_memory: { path: { memory: string }; query: undefined; body: undefined; answer: Outcome };
  /** Keep this memory, and never mention it; with `If-Match`, only if it has not changed. */
  suppress_memory: { path: { memory: string }; query: undefined; body: ChangeReason; answer: Outcome };
  /** Let a forgotten, replaced or suppressed memory be known and mentioned again; `If-Match` as elsewhere. */
  restore_memory: { path: { memory: string }; query: undefined; body: ChangeReason; answer: Memory };
  /** All that happened to one memory, oldest first. */
  get_memory_history: { path: { memory: string }; query: undefined; body: undefined; answer: ItemList_AuditEntry_ };
  /** List the messages that a memory was learned from and the answers that stated it, oldest first. */
  get_memory_sources: { path: { memory: string }; query: undefined; body: undefined; answer: ItemList_Message_ };
  /** Explain a memory: the values it has had, what it rests on, what rests on it, its history, and a drawing. */
  explain_memory: { path: { memory: string }; query: undefined; body: undefined; answer: ExplanationAnswer };
  /** Every value that a memory has had, with when it was said and held, oldest first. */
  get_memory_timeline: { path: { memory: string }; query: undefined; body: undefined; answer: ItemList_TimelineValue_ };
  /** Say that a memory in doubt still holds. */
  confirm_memory: { path: { memory: string }; query: undefined; body: undefined; answer: Memory };
  /** The rules that every door goes by, as data. */
  get_policy: { path: undefined; query: undefined; body: undefined; answer: Record<string, unknown> };
  /** Judge a message with the gate; nothing is written. */
  judge: { path: undefined; query: undefined; body: GateText; answer: Save | Ask | Refuse | Quarantine | Forget | Correct };
  /** Judge a message and do what it asks: keep, ask, forget, correct, or hold it apart. */
  note: { path: undefined; query: undefined; body: GateText; answer: Outcome };
  /** Tries at keeping something of the user, newest first, with what the gate said of each. */
  list_attempts: { path: undefined; query: { limit?: number }; body: undefined; answer: ItemList_Attempt_ };
  /** The questions that wait for the user's answer. */
  list_proposals: { path: undefined; query: undefined; body: undefined; answer: ItemList_Proposal_ };
  /** Answer a question: yes, no, the right value, or which one. */
  answer_proposal: { path: { proposal: string }; query: undefined; body: ProposalAnswer; answer: Outcome };
  /** Text of the tenant's users that tried to give orders, oldest first. */
  list_quarantine: { path: undefined; query: { status?: "approved" | "held" | "rejected"; limit?: number; after?: string }; body: undefined; answer: ItemList_Quarantined_ };
  /** Let a held text go; under a key it becomes a memory. */
  approve_quarantined: { path: { held: string }; query: undefined; body: QuarantineApproval; answer: QuarantineResult };
  /** Reject a quarantined text permanently. */
  reject_quarantined: { path: { held: string }; query: undefined; body: QuarantineRejection; answer: undefined };
  /** Return the profile of the person and their company, by key. */
  get_profile: { path: undefined; query: undefined; body: undefined; answer: Record<string, unknown> };
  /** Write the base profile; twice changes nothing. `left` names the fields that the caller may not change. */
  seed_profile: { path: undefined; query: undefined; body: ProfileSeed; answer: Seeded };
  /** List changes to the user's memory, newest first. */
  list_acts: { path: undefined; query: { before?: number; limit?: number }; body: undefined; answer: ItemList_AuditEntry_ };
  /** All that is held about the user, as JSON. */
  export_person: { path: undefined; query: undefined; body: undefined; answer: Record<string, unknown> };
  /** Take an export in; what is here already is left as it is. */
  import_person: { path: undefined; query: undefined; body: Record<string, unknown>; answer: Imported };
  /** Erase permanently; the receipt gives counts, and no content. */
  erase: { path: undefined; query: undefined; body: ErasureRequest; answer: Receipt };
  /** Verify a receipt, and search the store's files for the erased content. */
  verify_receipt: { path: undefined; query: undefined; body: ReceiptCheck; answer: ReceiptReport };
  /** List the entities the user mentions most, then most recently. */
  list_entities: { path: undefined; query: { limit?: number; type?: string }; body: undefined; answer: ItemList_Entity_ };
  /** Count a mention of something structured: a campaign, a person, a product. */
  mention_entity: { path: undefined; query: undefined; body: NewMention; answer: Entity };
  /** Let the mentions that were forgotten with everything else be known again, with their counts. */
  restore_entities: { path: undefined; query: undefined; body: undefined; answer: ItemList_Entity_ };
  /** Let one mentioned thing be known no longer, by its key or id; it can be restored. */
  forget_entity: { path: { entity: string }; query: undefined; body: undefined; answer: Entity };
  /** Let one forgotten thing be known again, with its count. */
  restore_entity: { path: { entity: string }; query: undefined; body: undefined; answer: Entity };
  /** The user's episodes, of one conversation or of all, newest first. */
  list_episodes: { path: undefined; query: { limit?: number; conversation?: string }; body: undefined; answer: ItemList_Episode_ };
  /** The user's active missions, newest first. */
  list_missions: { path: undefined; query: { limit?: number; session?: string }; body: undefined; answer: ItemList_Mission_ };
  /** Open a mission, under terms of time and budget, with the agents that replace others. */
  create_mission: { path: undefined; query: undefined; body: NewMission; answer: Mission };
  /** The mission as it is now. */
  get_mission: { path: { mission: string }; query: undefined; body: undefined; answer: Mission };
  /** Put values at paths; a value that breaks the schema changes nothing. */
  update_mission: { path: { mission: string }; query: undefined; body: MissionUpdate; answer: Mission };
  /** Remove a mission and everything in it. */
  delete_mission: { path: { mission: string }; query: undefined; body: undefined; answer: EffectFlag };
  /** Push, increment or pull, atomically. */
  act_on_mission: { path: { mission: string }; query: undefined; body: BoardAction; answer: BoardValue };
  /** Admit a call, or refuse one that would loop, go too deep, pass the budget or the deadline. */
  send_call: { path: { mission: string }; query: undefined; body: NewCall; answer: BusMessage };
  /** Start the next waiting call: critical before high before normal before low, in order inside. */
  take_call: { path: { mission: string }; query: undefined; body: AgentTurn; answer: NextCall };
  /** Set more aside for a call under way, if the budget still has it. */
  extend_call: { path: { mission: string; call: string }; query: undefined; body: BudgetExtension; answer: BusMessage };
  /** Take the finished calls that an agent asked to be notified of; each is handed out once. */
  take_callbacks: { path: { mission: string }; query: undefined; body: CallbackCollector; answer: ItemList_Callback_ };
  /** End the calls whose time is over, and say whether the mission has stalled. */
  check_mission: { path: { mission: string }; query: undefined; body: undefined; answer: Checkup };
  /** End a call with what it really used. */
  settle_call: { path: { mission: string; call: string }; query: undefined; body: Report; answer: EffectFlag };
  /** Let one result outlive its mission, if the gate lets it; answered like `POST /memories`. */
  promote_result: { path: { mission: string }; query: undefined; body: ResultPromotion; answer: Outcome };
  /** End a mission. */
  close_mission: { path: { mission: string }; query: undefined; body: MissionEnd; answer: EffectFlag };
  /** List the user's tasks, newest first. */
  list_tasks: { path: undefined; query: { limit?: number; after?: string; status?: "cancelled" | "completed" | "failed" | "running" | "waiting"; module?: string }; body: undefined; answer: Page_Task_ };
  /** Hand work to a module. */
  create_task: { path: undefined; query: undefined; body: NewTask; answer: Task };
  /** List the tasks of all the tenant's users, newest first, without their content. */
  list_all_tasks: { path: undefined; query: { limit?: number; after?: string; status?: "cancelled" | "completed" | "failed" | "running" | "waiting"; module?: string }; body: undefined; answer: Page_Task_ };
  /** Take the work that has waited longest for a module; until the lease ends nobody else gets it. */
  claim_task: { path: undefined; query: undefined; body: TaskClaim; answer: ClaimedTask };
  /** Return one task. */
  get_task: { path: { task: string }; query: undefined; body: undefined; answer: Task };
  /** Take work back; what has ended already stays as it ended. */
  cancel_task: { path: { task: string }; query: undefined; body: undefined; answer: Task };
  /** Keep a task that is being worked on for longer. */
  renew_task: { path: { task: string }; query: undefined; body: LeaseRenewal; answer: HeldTask };
  /** A module did its work. */
  complete_task: { path: { task: string }; query: undefined; body: TaskCompletion; answer: Task };
  /** A module did not do its work. */
  fail_task: { path: { task: string }; query: undefined; body: TaskFailure; answer: Task };
  /** Give a task back untried. */
  release_task: { path: { task: string }; query: undefined; body: TaskLease; answer: Task };
  /** The tenant's chain of changes, oldest first; an auditor sees that, not what, was changed. */
  list_audit: { path: undefined; query: { after?: number; limit?: number }; body: undefined; answer: ItemList_AuditEntry_ };
  /** Verify the chain: nothing edited, removed, reordered or cut off. */
  verify_audit: { path: undefined; query: { anchor?: string }; body: undefined; answer: ChainReport };
  /** The tenant's events after a position, oldest first. */
  list_events: { path: undefined; query: { after?: number; limit?: number; types?: string[]; schema?: number }; body: undefined; answer: ItemList_Event_ };
  /** The tenant's events as they happen, as server-sent events; the id of each is its position. */
  tail_events: { path: undefined; query: { after?: number; types?: string[]; schema?: number; limit?: number; quiet_seconds?: number }; body: undefined; answer: undefined };
  /** Events that a subscriber never took, newest first. */
  list_dead_letters: { path: undefined; query: { limit?: number }; body: undefined; answer: ItemList_Parked_ };
  /** Redeliver dead letters of one subscriber or of all, after the events delivered since. */
  retry_dead_letters: { path: undefined; query: undefined; body: DeadLetterRetry; answer: RetryCount };
  /** The JSON Schema that every event of a version follows. */
  get_events_schema: { path: undefined; query: { version?: number }; body: undefined; answer: Record<string, unknown> };
  /** The tenant's keys, newest first; never a secret. */
  list_keys: { path: undefined; query: undefined; body: undefined; answer: ItemList_ApiKey_ };
  /** A new key; its secret is in this answer and nowhere else. */
  issue_key: { path: undefined; query: undefined; body: NewKey; answer: IssuedKey };
  /** A successor of a key; the old one goes on for a while. */
  rotate_key: { path: { key: string }; query: undefined; body: undefined; answer: IssuedKey };
  /** End a key at once. */
  revoke_key: { path: { key: string }; query: undefined; body: undefined; answer: ApiKey };
  /** A passing credential for one person's own page. */
  issue_link: { path: undefined; query: undefined; body: NewLink; answer: IssuedLink };
  /** Return the tenant's usage of each meter in its current window, and the limits. */
  get_usage: { path: undefined; query: undefined; body: undefined; answer: UsageReport };
  /** Every account, by id. */
  list_tenants: { path: undefined; query: { limit?: number; after?: string }; body: undefined; answer: Page_TenantAccount_ };
  /** Open an account. */
  create_tenant: { path: undefined; query: undefined; body: NewTenant; answer: TenantAccount };
  /** One tenant's account. */
  get_tenant: { path: { tenant: string }; query: undefined; body: undefined; answer: TenantAccount };
  /** Another name, plan or standing. */
  change_tenant: { path: { tenant: string }; query: undefined; body: TenantChange; answer: TenantAccount };
  /** Erase a tenant permanently, every row of it; `confirm` repeats its id. The receipt gives the counts. */
  erase_tenant: { path: { tenant: string }; query: { confirm: string; why?: string }; body: undefined; answer: Receipt };
  /** Return whether the process answers. */
  get_live: { path: undefined; query: undefined; body: undefined; answer: Live };
  /** Metrics of all worker processes, as Prometheus reads them; no tenant and no content in them. */
  get_metrics: { path: undefined; query: undefined; body: undefined; answer: string };
  /** Return whether the store answers. */
  get_ready: { path: undefined; query: undefined; body: undefined; answer: Ready };
}
