// Written by `make docs` from the OpenAPI document; changes belong in the routes of the server.

/** One subject of a question: a key with its value, or quoted words. */
export type About = { key?: string | null; value?: unknown; quote?: string | null };

/** Page of changes: those before a position of the chain. */
export type ActQuery = { before?: number | null; limit?: number };

/** Number of live missions, and their session. */
export type ActiveMissionQuery = { limit?: number; session?: string | null };

/** Agent whose calls are meant; by default every agent. */
export type AgentTurn = { sender?: string | null };

/** One attempt at wording the answer, and the forbidden terms found in it. */
export type AnswerAttempt = { extra?: Record<string, unknown>; text: string; at: string; forbidden?: string[] };

/** A credential as it is stored and shown: never the secret itself. */
export type ApiKey = { tenant: string; id: string; role: "admin" | "auditor" | "module" | "operator" | "service" | "user"; user?: string | null; label?: string; created_at: string; expires_at?: string | null; revoked_at?: string | null; used_at?: string | null; successor?: string | null; modules?: string[] };

/** It may be saved if the person confirms it. */
export type Ask = { verdict: "ask"; reason: string; why: VerdictReason; confidence: number; evidence?: TextSpan | null; facts?: Fact[]; origin?: Origin; words?: ExplainedDecision[] };

/** A question without text: its template is one of `questions` in the language packs. */
export type Asks = { form: string; about?: About[]; counts?: Record<string, number>; texts?: Record<string, string> };

/** Description of a file that came with a message; never its bytes. */
export type Attachment = { name: string; media_type?: string | null; url?: string | null; size_bytes?: number | null; description?: string | null };

/** One attempt to keep something, and the verdict of the gate, without the content. */
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

/** Additional budget to reserve for a call. */
export type BudgetExtension = { reserve: Spend };

/** A call that was admitted: waiting until `started_at` is set, then running until it is settled. */
export type BusMessage = { id: string; number: number; sender: string; to: string; sent_at: string; expires_at: string; reserved?: Spend; priority?: "critical" | "high" | "low" | "normal"; operation?: string | null; payload?: unknown; started_at?: string | null; kind?: "call" | "callback" | "fallback" | "operation"; callback?: string | null };

/** Reason for refusing a message, and the agent that could replace its addressee. */
export type CallRefusal = { reason: "breaker" | "budget" | "closed" | "deadline" | "depth" | "flood" | "loop"; detail: string; agent: string; fallback?: string | null };

/** A finished call whose caller asked to be notified and has not collected it yet. */
export type Callback = { message: string; agent: string; called: string; at: string; ok: boolean | null; operation?: string | null; result?: unknown };

/** The agent that asked to be notified. */
export type CallbackCollector = { agent: string };

/** A head of the chain that was recorded earlier. */
export type ChainAnchor = { anchor?: string | null };

/** Part of the chain. */
export type ChainQuery = { after?: number; limit?: number };

/** Result of verifying a tenant's audit chain; no fault means that it is intact. */
export type ChainReport = { tenant: string; entries: number; head: string; faults?: Fault[] };

/** Reason for the change. */
export type ChangeReason = { why?: string };

/** A message to the agent; hosts name its text and its conversation differently, and may add fields. */
export type ChatMessage = { message?: string | null; text?: string | null; content?: string | null; conversation?: string | null; conversation_id?: string | null; session_id?: string | null; thread_id?: string | null; mission_id?: string | null; channel?: string; modality?: "chat" | "voice"; attachments?: Attachment[]; stream?: boolean; budget?: number | null; situation?: Situation | null; instructions?: string | null; placement?: "instructions" | "tool_result" | "user" | null };

/** One finished turn. */
export type ChatReply = { conversation_id: string; reply: string; asked: Message; answer: Message; used_memories: string[]; deeds: MemoryAction[]; partial: boolean; replayed: boolean; mission_id?: string | null };

/** Result of checking the bus: overdue calls, which it ended, and a stall. */
export type Checkup = { overdue?: BusMessage[]; stall?: Stall | null };

/** The claimed task; empty if none is due. */
export type ClaimedTask = { held: HeldTask | null };

/** Type of the request, and the prompts chosen for it. */
export type Classification = { extra?: Record<string, unknown>; kind?: "complex" | "entry" | "simple" | "trivial"; domain?: string | null; prompts?: string[] };

/** Everything the answer is based on, kept until the answer is sent. */
export type Consolidation = { extra?: Record<string, unknown>; supporting?: Record<string, unknown>; calculations?: Record<string, unknown>; comparisons?: Record<string, unknown>; limitations?: string[] };

/** Everything that the model is given for one turn, within its budget; the same for chat and voice. */
export type ContextPack = { scope: Scope; query: string; language: string; modality: "chat" | "voice"; items: Item[]; left_out?: LeftOut[]; missing?: MissingLayer[]; mode?: string | null; tokens: number; budget: number; built_at: string };

/** Query of a context. */
export type ContextQuery = { query: string; budget?: number | null; modality?: "chat" | "voice" | null; situation?: Situation | null; mission_id?: string | null };

/** Changes to a conversation; an absent field stays. */
export type ConversationChange = { channel?: string | null; metadata?: Record<string, unknown> | null };

/** One remembered conversation: its record, a page of its messages, its summary, and its newest episodes. `next` is the `after` of the following page; it is absent on the last page. */
export type ConversationMemory = { conversation: ConversationRecord; messages: Message[]; next: string | null; summary: Summary | null; episodes: Episode[]; more_episodes: boolean };

/** One conversation of a user; hosts also call it a session. Of its turns (messages except the system's), `folded` are in the summary and `cut` are in episodes. The mentions of its first `counted` messages have been counted. */
export type ConversationRecord = { tenant: string; user: string; id: string; channel: string; messages: number; turns: number; folded?: number; cut?: number; counted?: number; metadata: Record<string, unknown>; created_at: string; updated_at: string; hidden?: "echo" | "erased" | "forgotten" | "order" | "secret" | "suppressed" | "unjudged" | "withheld" | null };

/** A coordinator's plan for this cycle, its progress, and its share of the budget. */
export type Coordinator = { extra?: Record<string, unknown>; cycle?: number; plan?: OperationPlan; runs?: Record<string, OperationRun>; collected?: Record<string, unknown>; warnings?: (string | MissionWarning)[]; decisions?: Decision[]; completeness?: number; gaps?: Gaps; share?: Spend | null };

/** A coordinator that could take the mission, and why. */
export type CoordinatorCandidate = { extra?: Record<string, unknown>; coordinator: string; score: number; reason: string };

/** The person says that a memory is wrong; `value` is None if the correct one is not given. */
export type Correct = { verdict: "correct"; reason: string; why: VerdictReason; confidence: number; evidence?: TextSpan | null; facts?: Fact[]; origin?: Origin; words?: ExplainedDecision[]; key?: string | null; value?: string | boolean | number | null };

/** The correct value that replaces a wrong one. */
export type Correction = { value: unknown; why?: string };

/** Number of dead letters to return. */
export type DeadLetterQuery = { limit?: number };

/** Subscriber of the dead letters; by default all. */
export type DeadLetterRetry = { subscriber?: string | null };

/** A decision of a coordinator and its reason, with the cycle and the operation it is about. */
export type Decision = { extra?: Record<string, unknown>; what: string; reason: string; at: string; cycle?: number | null; operation?: string | null };

/** One dependency between two memories, by their ids. */
export type DependencyLink = { dependent: string; rests_on: string; tie: "doubt" | "part" | "rule" };

/** One turn of a temporary chat, which only the caller keeps. */
export type EarlierTurn = { role: "assistant" | "user"; content: string };

/** The calls from one agent to another: when the first and the last were sent, and how many of each kind. */
export type Edge = { first_at: string; last_at: string; kinds?: Record<string, number> };

/** Effect of the request: `changed` if it made a difference. */
export type EffectFlag = { done: boolean };

/** A campaign, a person or a product: its latest value, and how often it was mentioned. A `forgotten` entity is kept so that it can be restored, and never shown. */
export type Entity = { tenant: string; user: string; id: string; key: string; type: string; value: unknown; confidence: number; conversation: string | null; mentions: number; forgotten?: boolean; created_at: string; updated_at: string; hidden?: "echo" | "erased" | "forgotten" | "order" | "secret" | "suppressed" | "unjudged" | "withheld" | null };

/** Filter on entities. */
export type EntityQuery = { limit?: number; type?: string | null };

/** A run of turns kept as one; `turns` is the conversation's turn count at its end. */
export type Episode = { tenant: string; user: string; conversation: string; id: string; turns: number; first_seq: number; last_seq: number; title: string; summary: string; created_at: string; hidden?: "echo" | "erased" | "forgotten" | "order" | "secret" | "suppressed" | "unjudged" | "withheld" | null };

/** Filter on episodes. */
export type EpisodeQuery = { limit?: number; conversation?: string | null };

/** Target of an erasure: exactly one of a memory, a topic, a conversation, or the whole person. */
export type ErasureRequest = { memory?: string | null; topic?: string | null; conversation?: string | null; person?: boolean; history?: boolean };

/** One event. `id` is the same in every delivery, so that a consumer can drop duplicates. */
export type Event = { id: string; type: string; tenant: string; user: string; conversation?: string | null; occurred_at: string; position?: number; version?: number; subject?: string | null; payload: Record<string, unknown> };

/** Filter on events. */
export type EventQuery = { after?: number; limit?: number; types?: string[] | null; schema?: number | null };

/** Observed work of the executors, and the host's own counters. */
export type Executors = { extra?: Record<string, unknown>; tracks?: Track[]; counters?: Record<string, number> };

/** One decision about a text or a part of it, and the words that spoke for it, the weightiest first. */
export type ExplainedDecision = { by: "comparison" | "reader" | "rule"; decision: string; chance: number; span: TextSpan; words?: WordWeight[]; said?: Utterance | null; values?: string[]; memory?: string | null; known?: string };

/** An explanation of a memory, with its dependencies drawn as SVG. */
export type ExplanationAnswer = { memory: Memory; supersedes: Memory | null; timeline: TimelineValue[]; rests_on: Memory[]; dependents: Memory[]; links: DependencyLink[]; history: AuditEntry[]; drawing: string };

/** One possible fact: a dotted key, a value and the text it was read from. */
export type Fact = { key: string; value: string | boolean | number | null; category: string; confidence: number; origin?: Origin; evidence?: TextSpan | null; said?: Utterance | null };

/** A broken position of an audit chain, and the kind of damage. */
export type Fault = { tenant: string; position: number; what: string };

/** The consolidation, the attempts, and the final answer. */
export type FinalAnswer = { extra?: Record<string, unknown>; consolidation?: Consolidation | null; attempts?: AnswerAttempt[]; validated?: boolean; answer?: string | null; sent_at?: string | null; error?: string | null };

/** The person wants something removed; `target` is `all`, a key, or a description. */
export type Forget = { verdict: "forget"; reason: string; why: VerdictReason; confidence: number; evidence?: TextSpan | null; facts?: Fact[]; origin?: Origin; words?: ExplainedDecision[]; target: string; key?: string | null };

/** Information still missing: required for the answer, or only useful. */
export type Gaps = { extra?: Record<string, unknown>; critical?: string[]; complementary?: string[] };

/** A message for the gate. */
export type GateText = { text: string; origin?: Origin; insists?: boolean };

/** A claimed task: `lease` is needed to renew and to end it. */
export type HeldTask = { task: Task; lease: string; until: string };

/** One search result. `score`, from 0 to 1, orders the hits of one search; `parts` add up to it and explain it. `role` is the speaker, if it is a message. `similarity`, from 0 to 1, is the cosine with the query; an item without a vector gets the share of the query's words that it contains. For users with more than 4,000 items it is exact only for the nearest, and accurate to about 0.1 for the others; with `min_similarity` it is exact for all. */
export type Hit = { content: string; score: number; similarity: number; parts: Record<string, number>; kind: "entity" | "episode" | "memory" | "message" | "summary"; id: string; conversation: string | null; created_at: string; metadata: Record<string, unknown>; role?: string };

/** Counts of an import: imported, refused by the gate, and over the limits. `clipped` entities claimed more mentions than allowed, `left_out` ones were more than a user may have. */
export type Imported = { memories?: number; entities?: number; documents?: number; messages?: number; quarantined?: number; refused?: number; clipped?: number; left_out?: number };

/** The query as it was asked, and the first reading of it. */
export type Intake = { extra?: Record<string, unknown>; query: string; classification?: Classification | null; candidates?: CoordinatorCandidate[] };

/** A new key with its secret, which is shown once and not stored. */
export type IssuedKey = { key: ApiKey; secret: string };

/** A temporary credential for one person's own page. */
export type IssuedLink = { token: string; user: string; expires_at: string; read_only?: boolean };

/** One item of the context, with its origin and the reason it was included. */
export type Item = { section: "artifacts" | "done" | "entities" | "memories" | "mission" | "mode" | "operations" | "past" | "profile" | "questions" | "recent" | "related" | "summary" | "tasks" | "tenant"; text: string; kind: string; id?: string | null; key?: string | null; origin?: string; trust?: "operator" | "recalled"; reason?: string; score?: number; parts?: Record<string, number>; worth?: number; source?: string | null; stands_for?: string[]; category?: string | null; role?: "assistant" | "system" | "tool" | "user" | null; conversation?: string | null; at?: string | null; past?: string; note?: string; tokens?: number; cut?: boolean };

/** A complete list. */
export type ItemList_ApiKey_ = { items: ApiKey[] };

/** A complete list. */
export type ItemList_Attempt_ = { items: Attempt[] };

/** A complete list. */
export type ItemList_AuditEntry_ = { items: AuditEntry[] };

/** A complete list. */
export type ItemList_Callback_ = { items: Callback[] };

/** A complete list. */
export type ItemList_Entity_ = { items: Entity[] };

/** A complete list. */
export type ItemList_Episode_ = { items: Episode[] };

/** A complete list. */
export type ItemList_Event_ = { items: Event[] };

/** A complete list. */
export type ItemList_Hit_ = { items: Hit[] };

/** A complete list. */
export type ItemList_Message_ = { items: Message[] };

/** A complete list. */
export type ItemList_Mission_ = { items: Mission[] };

/** A complete list. */
export type ItemList_Parked_ = { items: Parked[] };

/** A complete list. */
export type ItemList_Proposal_ = { items: Proposal[] };

/** A complete list. */
export type ItemList_Quarantined_ = { items: Quarantined[] };

/** A complete list. */
export type ItemList_TimelineValue_ = { items: TimelineValue[] };

/** A complete list. */
export type ItemList_str_ = { items: string[] };

/** Choice of an explained verdict. */
export type JudgeQuery = { explain?: boolean };

/** The lease, and its new length. */
export type LeaseRenewal = { lease: string; seconds?: number | null };

/** A field of the profile that stayed unchanged, and the reason. */
export type LeftField = { field: string; key: string; reason: "needs_write_shared" | "not_clear" | "set_by_admin_system"; why: VerdictReason };

/** An item that was found and is not in the pack. It is over the `budget`, over its section's `cap`, `older` than a message that did not fit, not `worth` its tokens, or `repeated`: its text, or the message it comes from, is already in the pack. */
export type LeftOut = { section: "artifacts" | "done" | "entities" | "memories" | "mission" | "mode" | "operations" | "past" | "profile" | "questions" | "recent" | "related" | "summary" | "tasks" | "tenant"; kind: string; id?: string | null; tokens: number; why: "budget" | "cap" | "older" | "repeated" | "worth" };

/** State of the process. */
export type Live = { status?: "ok" };

/** Part of a value that the reader takes for something, and how sure that is. */
export type MarkedSpan = { start: number; end: number; sure: number };

/** One durable fact. Its value never changes: a new value is a new memory that supersedes it. */
export type Memory = { tenant: string; user: string; id: string; scope: "personal" | "tenant_shared"; category: string; key: string; value: unknown; confidence: number; status: "active" | "deleted" | "deprecated"; source: "admin_system" | "explicit_user" | "inferred" | "profile_seed"; source_ref?: string | null; conversation?: string | null; origin?: Origin; suppressed?: boolean; supersedes?: string | null; evidence?: string | null; subject?: string | null; attribute?: string | null; attribute_span?: ValueSpan | null; attribute_value?: string | null; valid_from?: string | null; valid_to?: string | null; follows?: string | null; because?: string | null; doubted_at?: string | null; doubted_by?: string | null; created_at: string; updated_at: string };

/** An action on the person's memory that the message asked for. */
export type MemoryAction = { kind: string; text: string; memories?: string[]; question?: string | null; receipts?: Receipt[] };

/** Filter on memories; by default active ones. */
export type MemoryQuery = { limit?: number; after?: string | null; category?: string | null; scope?: "personal" | "tenant_shared" | null; source?: "admin_system" | "explicit_user" | "inferred" | "profile_seed" | null; status?: "active" | "deleted" | "deprecated"; prefix?: string | null; conversation?: string | null; suppressed?: boolean | null; subject?: string | null; attribute?: string | null; as_of?: string | null };

/** Search query: `query`, or `q` for hosts that call it so. */
export type MemorySearch = { query?: string | null; q?: string | null; limit?: number; kinds?: ("entity" | "episode" | "memory" | "message" | "summary")[] | null; min_similarity?: number | null; conversation?: string | null; exclude_conversation?: string | null; category?: string | null; since?: string | null; until?: string | null };

/** Target, by id, key, topic, category or words; `all` for everything. */
export type MemoryTarget = { target: string; why?: string };

/** One message by one side; `seq` is its position in the conversation, from 1. */
export type Message = { tenant: string; user: string; conversation: string; seq: number; id: string; role: "assistant" | "system" | "tool" | "user"; content: string; modality: "chat" | "voice"; attachments: Attachment[]; metadata: Record<string, unknown>; created_at: string; hidden?: "echo" | "erased" | "forgotten" | "order" | "secret" | "suppressed" | "unjudged" | "withheld" | null; shown?: string | null };

/** The call graph with counts, the unsettled messages, and the breakers. */
export type MessageBus = { graph?: Record<string, Record<string, number>>; edges?: Record<string, Record<string, Edge>>; messages?: Record<string, BusMessage>; callbacks?: Callback[]; totals?: Totals; breakers?: Record<string, Breaker>; fallbacks?: Record<string, string>; window?: string[]; spent_by?: Record<string, Spend>; progress_at?: string | null };

/** A layer that returned nothing: switched off, too late, or failed. */
export type MissingLayer = { layer: string; why: "failed" | "late" | "off" };

/** Working memory of a team of agents: its owner, its state, and a section per layer. */
export type Mission = { id: string; tenant: string; user: string; created_at: string; expires_at: string; intake: Intake; orchestrator: Orchestrator; session?: string | null; status?: "active" | "completed" | "failed" | "timeout"; closed_at?: string | null; revision?: number; bus?: MessageBus; coordinators?: Record<string, Coordinator>; executors?: Executors; final?: FinalAnswer };

/** End of a mission. */
export type MissionEnd = { status?: "completed" | "failed" | "timeout" };

/** Values to set at paths, all or none. */
export type MissionUpdate = { changes: Record<string, unknown> };

/** A warning with its type and its effect on the answer; plain text is a warning too. */
export type MissionWarning = { extra?: Record<string, unknown>; text: string; type?: string | null; impact?: "high" | "low" | "medium" | "none" | null; at?: string | null };

/** A call from one agent to another, and the most it may use. */
export type NewCall = { sender: string; to: string; reserve?: Spend; priority?: "critical" | "high" | "low" | "normal"; kind?: "call" | "callback" | "fallback" | "operation"; callback?: string | null; operation?: string | null; payload?: unknown; timeout_s?: number | null; start?: boolean };

/** A message to append. */
export type NewConversationMessage = { role: "assistant" | "system" | "tool" | "user"; content: string; id?: string | null; created_at?: string | null; modality?: "chat" | "voice"; channel?: string; attachments?: Attachment[]; metadata?: Record<string, unknown> };

/** Messages to append, in order. */
export type NewConversationMessages = { messages: NewConversationMessage[] };

/** An episode in the host's own words; without them it is summarised from the turns. */
export type NewEpisode = { title?: string | null; summary?: string | null };

/** The first reading of the query: its classification, and the candidate coordinators. */
export type NewIntake = { classification?: Classification | null; candidates?: CoordinatorCandidate[]; extra?: Record<string, unknown> };

/** A key to issue: a user's key names its user, a module's key its modules; no other key names either. */
export type NewKey = { role: "admin" | "auditor" | "module" | "operator" | "service" | "user"; user?: string | null; modules?: string[]; label?: string; days?: number | null };

/** A link to issue; a read-only link cannot change anything. */
export type NewLink = { user: string; read_only?: boolean; minutes?: number | null };

/** A fact to save, if the gate allows it. */
export type NewMemory = { key: string; value: unknown; category?: string | null; scope?: "personal" | "tenant_shared" | null; confidence?: number; source_ref?: string | null; conversation?: string | null; insists?: boolean; subject?: string | null; attribute?: string | null };

/** One time that something was mentioned. */
export type NewMention = { type: string; key: string; value: unknown; confidence?: number; conversation?: string | null };

/** A request for a team of agents. */
export type NewMission = { query: string; session?: string | null; terms?: Terms | null; intake?: NewIntake | null; fallbacks?: Record<string, string> };

/** Work for a module; with a `key` it is done once, however often it is requested. */
export type NewTask = { module: string; kind: string; payload: Record<string, unknown>; correlation?: string | null; key?: string | null; conversation?: string | null };

/** An account to create. */
export type NewTenant = { id: string; name?: string | null; plan?: string | Plan };

/** Number of the newest to return. */
export type NewestMessages = { limit?: number };

/** The next call, started; with a refusal it may not run any more. Both are absent if none waits. */
export type NextCall = { call?: BusMessage | null; refusal?: CallRefusal | null };

/** One operation for an executor, to be done after the operations in `after`. */
export type Operation = { extra?: Record<string, unknown>; id: string; executor: string; payload?: unknown; after?: string[]; priority?: "critical" | "high" | "low" | "normal"; estimate?: Spend; timeout_s?: number; critical?: boolean };

/** Operations in the planned order; a plan with a cycle is refused. */
export type OperationPlan = { extra?: Record<string, unknown>; operations?: Operation[] };

/** State of one operation, with its full result. */
export type OperationRun = { extra?: Record<string, unknown>; state?: "done" | "failed" | "pending" | "running"; result?: unknown; source?: string | null; fallback?: string | null; tokens?: number; error?: string | null; reliability?: number | null; started_at?: string | null; ended_at?: string | null };

/** The objective, its coordinator, and its limits. */
export type Orchestrator = { extra?: Record<string, unknown>; deadline: string; objective?: string | null; coordinator?: string | null; override?: Override | null; complexity?: "comparative" | "deep" | "investment_analysis" | null; timeout_s?: number; budget?: Budget; spent?: Spend };

/** Source of a text; it travels with every candidate. */
export type Origin = "assistant" | "document" | "operator" | "tool" | "user_said";

/** Outcome of a draft or a message: the gate's verdict, and the changes that followed. */
export type Outcome = { verdict?: Save | Ask | Refuse | Quarantine | Forget | Correct | null; memories?: Memory[]; replaced?: Memory[]; proposals?: Proposal[]; quarantined?: Quarantined[] };

/** The best candidate was not chosen, for a reason. */
export type Override = { extra?: Record<string, unknown>; instead_of: string; reason: string };

/** One page of a longer list; `next` is the cursor of the following page, None on the last one. */
export type Page_ConversationRecord_ = { items: ConversationRecord[]; next?: string | null };

/** One page of a longer list; `next` is the cursor of the following page, None on the last one. */
export type Page_Memory_ = { items: Memory[]; next?: string | null };

/** One page of a longer list; `next` is the cursor of the following page, None on the last one. */
export type Page_Message_ = { items: Message[]; next?: string | null };

/** One page of a longer list; `next` is the cursor of the following page, None on the last one. */
export type Page_Task_ = { items: Task[]; next?: string | null };

/** One page of a longer list; `next` is the cursor of the following page, None on the last one. */
export type Page_TenantAccount_ = { items: TenantAccount[]; next?: string | null };

/** One page of a longer list. */
export type Paging = { limit?: number; after?: string | null };

/** An event that a subscriber has not taken yet, and the reason. */
export type Parked = { subscriber: string; event: Event; attempts: number; retry_at: string; dead?: boolean; error?: string | null };

/** Quotas of a tenant; a meter without a quota is counted but not limited. */
export type Plan = { name?: string; messages?: Quota | null; memories?: Quota | null; documents?: Quota | null; searches?: Quota | null; tokens?: Quota | null };

/** An error: `code` is stable and safe to match on, `detail` is for people. */
export type Problem = { type: string; title: string; status: number; code: string; detail?: string; field?: string | null; verdict?: string | null; reason?: string | null; quota?: string | null; limit?: number | null; resets_at?: string | null; command?: string | null; confirmation?: string | null; expires_at?: string | null; request_id?: string | null };

/** The base profile, with our field names or those of an onboarding form. */
export type ProfileSeed = { profile: Record<string, unknown>; ref?: "onboarding" | "profile" };

/** A question to the person that waits for an answer until it expires. */
export type Proposal = { tenant: string; user: string; id: string; kind: "confirm" | "correct" | "erase" | "forget" | "save" | "suppress"; asks: Asks; questions: Record<string, string>; key?: string | null; value?: unknown; candidates?: string[]; wish?: Record<string, unknown> | null; reason: string; status?: "confirmed" | "corrected" | "expired" | "open" | "refused"; created_at: string; expires_at: string };

/** The person's answer to a question, in their own words. */
export type ProposalAnswer = { reply: string };

/** It tries to give the agent orders: quarantined for review, never recalled, never given to a model. */
export type Quarantine = { verdict: "quarantine"; reason: string; why: VerdictReason; confidence: number; evidence?: TextSpan | null; facts?: Fact[]; origin?: Origin; words?: ExplainedDecision[] };

/** Release a quarantined text; with a key it becomes a memory. */
export type QuarantineApproval = { key?: string | null; value?: unknown };

/** Filter on quarantined texts. */
export type QuarantineQuery = { status?: "approved" | "held" | "rejected"; limit?: number; after?: string };

/** Reject a quarantined text permanently. */
export type QuarantineRejection = { why?: string };

/** Result for a quarantined text. */
export type QuarantineResult = { memory: Memory | null };

/** Text that tried to give orders: quarantined for review, never recalled and never given to a model. */
export type Quarantined = { tenant: string; user: string; id: string; text: string; reason: string; wish?: Record<string, unknown> | null; origin?: Origin; source_ref?: string | null; conversation?: string | null; status?: "approved" | "held" | "rejected"; created_at: string; reviewed_at?: string | null; reviewed_by?: string | null };

/** A limit on one meter within a window of the UTC calendar. */
export type Quota = { limit: number; per?: "day" | "hour" | "minute" | "month" };

/** State of the store; `index_lag` items wait for their vector. */
export type Ready = { status?: "ok"; index_lag: number };

/** Proof of an erasure, in numbers. The fingerprints are keyed by the store: alone they reveal nothing. `remains` names places on a server where bytes may stay for a while, readable only by its operator, and files that could not be cleaned yet. */
export type Receipt = { id: string; tenant: string; kind: string; at: string; counts: Record<string, number>; audit_position: number; fingerprints: string[]; elsewhere: number; public_key: string; remains?: string[]; signature?: string };

/** A receipt to verify, and more text to search for. */
export type ReceiptCheck = { receipt: Receipt; suspects?: string[] };

/** Result of verifying a receipt. */
export type ReceiptReport = { genuine: boolean; clean: boolean; residues?: Residue[]; named?: number; elsewhere?: number };

/** It is not saved; `sensitive` if the reason is what it would reveal. `facts` stand beside that, and are. */
export type Refuse = { verdict: "reject"; reason: string; why: VerdictReason; confidence: number; evidence?: TextSpan | null; facts?: Fact[]; origin?: Origin; words?: ExplainedDecision[]; sensitive?: boolean };

/** Counts of deleted items, by kind. */
export type Removed = { conversations?: number; messages?: number; summaries?: number; episodes?: number; embeddings?: number; cached?: number };

/** Query of a context, and the form for the model. */
export type RenderQuery = { query: string; budget?: number | null; modality?: "chat" | "voice" | null; situation?: Situation | null; mission_id?: string | null; form?: "anthropic" | "chat" | "json" | "langchain" | "markdown" | "responses"; placement?: "instructions" | "tool_result" | "user" };

/** The context in the form of a model. */
export type RenderedContext = { form: "anthropic" | "chat" | "json" | "langchain" | "markdown" | "responses"; rendered: unknown; tokens: number };

/** Result and actual usage of a call; `ok` is None when it was cancelled. */
export type Report = { ok?: boolean | null; spent?: Spend; timed_out?: boolean; result?: unknown };

/** Places where erased content was still found. */
export type Residue = { file: string; offset: number };

/** The result to keep as a memory, and its key. */
export type ResultPromotion = { path: string; key: string };

/** Number of events to retry. */
export type RetryCount = { retried: number };

/** It may be saved; `explicit` if the person asked for it. `unsure` lists more facts to ask about. */
export type Save = { verdict: "save"; reason: string; why: VerdictReason; confidence: number; evidence?: TextSpan | null; facts?: Fact[]; origin?: Origin; words?: ExplainedDecision[]; explicit?: boolean; unsure?: Fact[] };

/** Version of the schema. */
export type SchemaQuery = { version?: number };

/** One user of one tenant, and a conversation if there is one. For the memory that an agent keeps about the user, `user` names both: `ana#agent:support`. */
export type Scope = { tenant: string; user: string; conversation?: string | null };

/** Result of a profile: an outcome for each written or judged field, and the unchanged fields. */
export type Seeded = { items?: Outcome[]; left?: LeftField[] };

/** The host's view of the moment: its mode, and its operations, tasks, artifacts and plan. */
export type Situation = { mode?: string | null; plan?: string | null; quotas?: Record<string, unknown>; operations?: Record<string, unknown>; tasks?: unknown[]; artifacts?: unknown[] };

/** Tokens and API calls: used, reserved, or requested. */
export type Spend = { tokens?: number; calls?: number };

/** A mission without progress for too long, and without a running call. */
export type Stall = { idle_s: number; waiting: number };

/** Start of a stream, which `Last-Event-ID` overrides, and its end. */
export type StreamQuery = { after?: number; types?: string[] | null; schema?: number | null; limit?: number | null; quiet_seconds?: number | null };

/** The folded part of a conversation: `covered` messages up to position `last_seq`. */
export type Summary = { tenant: string; user: string; conversation: string; text: string; tokens: number; covered: number; last_seq: number; created_at: string; updated_at: string; hidden?: "echo" | "erased" | "forgotten" | "order" | "secret" | "suppressed" | "unjudged" | "withheld" | null };

/** The correct value of a memory, which is given by id, key, topic, category or words. */
export type TargetedCorrection = { value: unknown; why?: string; target: string };

/** One task of a module; a worker deduplicates its effects by `id`. */
export type Task = { id: string; tenant: string; user: string; conversation?: string | null; module: string; kind: string; payload: Record<string, unknown>; correlation: string; key?: string | null; status?: "cancelled" | "completed" | "failed" | "running" | "waiting"; attempts?: number; due_at?: string | null; result?: unknown; summary?: string | null; error?: string | null; created_at: string; updated_at: string; hidden?: "echo" | "erased" | "forgotten" | "order" | "secret" | "suppressed" | "unjudged" | "withheld" | null };

/** Module whose tasks are claimed, and the length of the lease. */
export type TaskClaim = { module: string; seconds?: number | null };

/** Result of the work: a one-line summary for events, and a result that stays with the task. */
export type TaskCompletion = { lease: string; summary?: string; result?: unknown };

/** Error code of failed work; `retry` lets it be tried again later. */
export type TaskFailure = { lease: string; error: string; retry?: boolean };

/** The lease of a claimed task. */
export type TaskLease = { lease: string };

/** Filter on tasks. */
export type TaskQuery = { limit?: number; after?: string | null; status?: "cancelled" | "completed" | "failed" | "running" | "waiting" | null; module?: string | null };

/** A question of a temporary chat. */
export type TemporaryChat = { message: string; said?: EarlierTurn[]; budget?: number | null };

/** A company that is served. */
export type TenantAccount = { id: string; name: string; status?: "active" | "suspended"; plan?: Plan; created_at: string; updated_at: string };

/** Changes to an account; an absent field stays. */
export type TenantChange = { name?: string | null; plan?: string | Plan | null; status?: "active" | "suspended" | null; end_links?: boolean };

/** Confirmation: the tenant's id once more, and the reason. */
export type TenantErasureQuery = { confirm: string; why?: string };

/** The time limit and the budget of a mission. */
export type Terms = { timeout_s?: number; budget?: Budget };

/** Part of the judged text that a verdict or a fact is based on. */
export type TextSpan = { start: number; end: number; text: string };

/** A subject, by default the person, and one of its attributes, which is needed. */
export type TimelineQuery = { subject?: string; attribute?: string | null };

/** One value of a statement: when it was said, when it held, and the rule that set it. */
export type TimelineValue = { memory: string; value: unknown; attribute_value?: string | null; said_at: string; since: string; until?: string | null; because?: string | null; doubted_at?: string | null };

/** Running totals of accepted and refused calls. */
export type Totals = { sent?: number; done?: number; failed?: number; timed_out?: number; withdrawn?: number; overruns?: number; refused?: Record<string, number> };

/** One call of an executor, for the record; its result is stored with the operation. */
export type Track = { extra?: Record<string, unknown>; executor: string; coordinator: string; operation: string; ok: boolean; ended_at: string; started_at?: string | null; duration_s?: number | null; request_id?: string | null; fallback_for?: string | null; spent?: Spend };

/** A reply that is not stored, like its question, with the memories that it could use. */
export type UnstoredReply = { text: string; used_memories?: string[]; pack: ContextPack };

/** Usage of one meter by a tenant in the current window. */
export type Usage = { meter: "documents" | "memories" | "messages" | "searches" | "tokens"; used: number; limit: number | null; per: "day" | "hour" | "minute" | "month"; since: string; resets_at: string };

/** The current plan, and its usage. */
export type UsageReport = { plan: Plan; usage: Usage[] };

/** The reader's view of a fact: its act (state, change, correct), attribute and subject. */
export type Utterance = { act?: string; attribute?: string; subject?: string; marked?: MarkedSpan[] };

/** Part of a value: the place of its first character, and the place behind its last one. */
export type ValueSpan = { start: number; end: number };

/** The reason for a verdict in Portuguese and English, and in each other language that has a pack. */
export type VerdictReason = { pt: string; en: string; others?: Record<string, string> };

/** A word of the judged text, and how much of the chance of a decision is lost without it. The weight is negative where the word speaks against the decision. */
export type WordWeight = { start: number; end: number; text: string; weight: number };

/** Every operation of the server: what it takes, and what it answers. */
export interface Operations {
  /** Run one turn: store the message, answer it from memory, and store the answer; streamed on request. */
  chat: { path: undefined; query: undefined; body: ChatMessage; answer: ChatReply };
  /** Answer once from memory; neither question nor answer is stored. */
  chat_temporary: { path: undefined; query: undefined; body: TemporaryChat; answer: UnstoredReply };
  /** Build the context for a query, within a budget of tokens, each item with its origin and reason. */
  get_context: { path: { conversation: string }; query: undefined; body: ContextQuery; answer: ContextPack };
  /** Build the same context in the form of OpenAI Responses or Chat, Anthropic, LangChain, or plain text. */
  render_context: { path: { conversation: string }; query: undefined; body: RenderQuery; answer: RenderedContext };
  /** List the user's conversations, newest first. */
  list_conversations: { path: undefined; query: { limit?: number; after?: string }; body: undefined; answer: Page_ConversationRecord_ };
  /** Return the record of a conversation. */
  get_conversation: { path: { conversation: string }; query: undefined; body: undefined; answer: ConversationRecord };
  /** Create a conversation, or change its channel or metadata. */
  put_conversation: { path: { conversation: string }; query: undefined; body: ConversationChange; answer: ConversationRecord };
  /** Delete a conversation and everything that belongs to it; returns the counts. */
  delete_conversation: { path: { conversation: string }; query: undefined; body: undefined; answer: Removed };
  /** Return the whole conversation from its beginning, page by page. */
  list_messages: { path: { conversation: string }; query: { limit?: number; after?: string }; body: undefined; answer: Page_Message_ };
  /** Append one message. */
  append_message: { path: { conversation: string }; query: undefined; body: NewConversationMessage; answer: Message };
  /** Append many messages in order, as imports do; returns their ids. */
  append_messages: { path: { conversation: string }; query: undefined; body: NewConversationMessages; answer: ItemList_str_ };
  /** Return the newest turns that fit the window, in chronological order. */
  get_window: { path: { conversation: string }; query: { limit?: number }; body: undefined; answer: ItemList_Message_ };
  /** Return the rolling summary, once the conversation is long enough to have one. */
  get_summary: { path: { conversation: string }; query: undefined; body: undefined; answer: Summary };
  /** List the conversation's episodes, newest first. */
  list_conversation_episodes: { path: { conversation: string }; query: { limit?: number }; body: undefined; answer: ItemList_Episode_ };
  /** End an episode now, with the turns since the last one. */
  append_episode: { path: { conversation: string }; query: undefined; body: NewEpisode; answer: Episode };
  /** Search the user's memory, best hit first, each with its reasons. */
  search_memory: { path: undefined; query: { query?: string; q?: string; limit?: number; kinds?: ("entity" | "episode" | "memory" | "message" | "summary")[]; min_similarity?: number; conversation?: string; exclude_conversation?: string; category?: string; since?: string; until?: string }; body: undefined; answer: ItemList_Hit_ };
  /** Return a remembered conversation: messages from its beginning, page by page; episodes newest first. */
  get_conversation_memory: { path: { conversation: string }; query: { limit?: number; after?: string }; body: undefined; answer: ConversationMemory };
  /** Delete a conversation: its messages, summary, episodes and vectors; returns the counts. */
  delete_conversation_memory: { path: { conversation: string }; query: undefined; body: undefined; answer: Removed };
  /** List memories by key; or those active at a moment (`as_of`). */
  list_memories: { path: undefined; query: { limit?: number; after?: string; category?: string; scope?: "personal" | "tenant_shared"; source?: "admin_system" | "explicit_user" | "inferred" | "profile_seed"; status?: "active" | "deleted" | "deprecated"; prefix?: string; conversation?: string; suppressed?: boolean; subject?: string; attribute?: string; as_of?: string }; body: undefined; answer: Page_Memory_ };
  /** Save a fact if the gate allows it: 201 saved, 202 the person is asked first, 422 refused with the reason. */
  remember: { path: undefined; query: undefined; body: NewMemory; answer: Outcome };
  /** Replace a wrong value with the correct one; returns a question if it is unclear which memory is meant. */
  correct: { path: undefined; query: undefined; body: TargetedCorrection; answer: Outcome };
  /** Forget the target so that it can be restored. */
  forget: { path: undefined; query: undefined; body: MemoryTarget; answer: Outcome };
  /** Keep the target, but never mention it. */
  suppress: { path: undefined; query: undefined; body: MemoryTarget; answer: Outcome };
  /** Return one memory by its id, or the active one under a key; its `ETag` is for `If-Match`. */
  get_memory: { path: { memory: string }; query: undefined; body: undefined; answer: Memory };
  /** Replace this memory's value with the correct one; with `If-Match`, only if it has not changed. */
  correct_memory: { path: { memory: string }; query: undefined; body: Correction; answer: Outcome };
  /** Forget this memory so that it can be restored; with `If-Match`, only if it has not changed. */
  forget_memory: { path: { memory: string }; query: undefined; body: undefined; answer: Outcome };
  /** Keep this memory, but never mention it; with `If-Match`, only if it has not changed. */
  suppress_memory: { path: { memory: string }; query: undefined; body: ChangeReason; answer: Outcome };
  /** Restore a forgotten, replaced or suppressed memory; with `If-Match`, only if it has not changed. */
  restore_memory: { path: { memory: string }; query: undefined; body: ChangeReason; answer: Memory };
  /** List everything that happened to one memory, oldest first. */
  get_memory_history: { path: { memory: string }; query: undefined; body: undefined; answer: ItemList_AuditEntry_ };
  /** List the messages that a memory was learned from and the answers that stated it, oldest first. */
  get_memory_sources: { path: { memory: string }; query: undefined; body: undefined; answer: ItemList_Message_ };
  /** Explain a memory: its values, what it is based on, its dependents, its history, and a drawing. */
  explain_memory: { path: { memory: string }; query: undefined; body: undefined; answer: ExplanationAnswer };
  /** List every value that a memory has had, with its dates, oldest first. */
  get_memory_timeline: { path: { memory: string }; query: undefined; body: undefined; answer: ItemList_TimelineValue_ };
  /** List every value that an attribute of a subject has had, with its dates, oldest first. */
  get_timeline: { path: undefined; query: { subject?: string; attribute?: string }; body: undefined; answer: ItemList_TimelineValue_ };
  /** Confirm that a memory in doubt still holds. */
  confirm_memory: { path: { memory: string }; query: undefined; body: undefined; answer: Memory };
  /** Return the policy of the gate, as data. */
  get_policy: { path: undefined; query: undefined; body: undefined; answer: Record<string, unknown> };
  /** Judge a message with the gate; nothing is written. */
  judge: { path: undefined; query: { explain?: boolean }; body: GateText; answer: Save | Ask | Refuse | Quarantine | Forget | Correct };
  /** Judge a message and do what it asks: save, ask, forget, correct or quarantine. */
  note: { path: undefined; query: undefined; body: GateText; answer: Outcome };
  /** List the user's attempts to save something, newest first, each with its verdict. */
  list_attempts: { path: undefined; query: { limit?: number }; body: undefined; answer: ItemList_Attempt_ };
  /** List the questions that wait for the user's answer. */
  list_proposals: { path: undefined; query: undefined; body: undefined; answer: ItemList_Proposal_ };
  /** Answer a question: yes, no, the correct value, or a choice. */
  answer_proposal: { path: { proposal: string }; query: undefined; body: ProposalAnswer; answer: Outcome };
  /** List quarantined texts of the tenant's users, oldest first. */
  list_quarantine: { path: undefined; query: { status?: "approved" | "held" | "rejected"; limit?: number; after?: string }; body: undefined; answer: ItemList_Quarantined_ };
  /** Release a quarantined text; with a key it becomes a memory. */
  approve_quarantined: { path: { held: string }; query: undefined; body: QuarantineApproval; answer: QuarantineResult };
  /** Reject a quarantined text permanently. */
  reject_quarantined: { path: { held: string }; query: undefined; body: QuarantineRejection; answer: undefined };
  /** Return the profile of the person and their company, by key. */
  get_profile: { path: undefined; query: undefined; body: undefined; answer: Record<string, unknown> };
  /** Write the base profile; repeating it changes nothing. `left` names fields that the caller may not change. */
  seed_profile: { path: undefined; query: undefined; body: ProfileSeed; answer: Seeded };
  /** List changes to the user's memory, newest first. */
  list_acts: { path: undefined; query: { before?: number; limit?: number }; body: undefined; answer: ItemList_AuditEntry_ };
  /** Export everything that is stored about the user, as JSON. */
  export_person: { path: undefined; query: undefined; body: undefined; answer: Record<string, unknown> };
  /** Import an export; existing items stay as they are. */
  import_person: { path: undefined; query: undefined; body: Record<string, unknown>; answer: Imported };
  /** Erase permanently; the receipt has counts, and no content. */
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
  /** List the user's active missions, newest first. */
  list_missions: { path: undefined; query: { limit?: number; session?: string }; body: undefined; answer: ItemList_Mission_ };
  /** Open a mission with a time limit, a budget, and fallbacks for agents. */
  create_mission: { path: undefined; query: undefined; body: NewMission; answer: Mission };
  /** Return the current mission. */
  get_mission: { path: { mission: string }; query: undefined; body: undefined; answer: Mission };
  /** Set values at paths; a value that breaks the schema changes nothing. */
  update_mission: { path: { mission: string }; query: undefined; body: MissionUpdate; answer: Mission };
  /** Remove a mission and everything in it. */
  delete_mission: { path: { mission: string }; query: undefined; body: undefined; answer: EffectFlag };
  /** Push, increment or pull, atomically. */
  act_on_mission: { path: { mission: string }; query: undefined; body: BoardAction; answer: BoardValue };
  /** Admit a call, or refuse one that would loop, go too deep, or exceed the budget or the deadline. */
  send_call: { path: { mission: string }; query: undefined; body: NewCall; answer: BusMessage };
  /** Start the next waiting call: critical before high before normal before low, in order within each. */
  take_call: { path: { mission: string }; query: undefined; body: AgentTurn; answer: NextCall };
  /** Reserve more budget for a running call, if there is any left. */
  extend_call: { path: { mission: string; call: string }; query: undefined; body: BudgetExtension; answer: BusMessage };
  /** Collect the finished calls that an agent asked to be notified of; each is returned once. */
  take_callbacks: { path: { mission: string }; query: undefined; body: CallbackCollector; answer: ItemList_Callback_ };
  /** End overdue calls, and report whether the mission has stalled. */
  check_mission: { path: { mission: string }; query: undefined; body: undefined; answer: Checkup };
  /** End a call with its actual usage. */
  settle_call: { path: { mission: string; call: string }; query: undefined; body: Report; answer: EffectFlag };
  /** Keep one result as a memory, if the gate allows it; answered like `POST /memories`. */
  promote_result: { path: { mission: string }; query: undefined; body: ResultPromotion; answer: Outcome };
  /** End a mission. */
  close_mission: { path: { mission: string }; query: undefined; body: MissionEnd; answer: EffectFlag };
  /** List the user's tasks, newest first. */
  list_tasks: { path: undefined; query: { limit?: number; after?: string; status?: "cancelled" | "completed" | "failed" | "running" | "waiting"; module?: string }; body: undefined; answer: Page_Task_ };
  /** Hand work to a module. */
  create_task: { path: undefined; query: undefined; body: NewTask; answer: Task };
  /** List the tasks of all the tenant's users, newest first, without their content. */
  list_all_tasks: { path: undefined; query: { limit?: number; after?: string; status?: "cancelled" | "completed" | "failed" | "running" | "waiting"; module?: string }; body: undefined; answer: Page_Task_ };
  /** Claim the task that has waited longest for a module; nobody else gets it until the lease ends. */
  claim_task: { path: undefined; query: undefined; body: TaskClaim; answer: ClaimedTask };
  /** Return one task. */
  get_task: { path: { task: string }; query: undefined; body: undefined; answer: Task };
  /** Cancel a task; a finished one stays as it is. */
  cancel_task: { path: { task: string }; query: undefined; body: undefined; answer: Task };
  /** Extend the lease of a task. */
  renew_task: { path: { task: string }; query: undefined; body: LeaseRenewal; answer: HeldTask };
  /** Complete a task. */
  complete_task: { path: { task: string }; query: undefined; body: TaskCompletion; answer: Task };
  /** Report that a task failed. */
  fail_task: { path: { task: string }; query: undefined; body: TaskFailure; answer: Task };
  /** Release a task without counting an attempt. */
  release_task: { path: { task: string }; query: undefined; body: TaskLease; answer: Task };
  /** List the tenant's audit chain, oldest first; an auditor sees that something changed, not what. */
  list_audit: { path: undefined; query: { after?: number; limit?: number }; body: undefined; answer: ItemList_AuditEntry_ };
  /** Verify the chain: nothing edited, removed, reordered or truncated. */
  verify_audit: { path: undefined; query: { anchor?: string }; body: undefined; answer: ChainReport };
  /** List the tenant's events after a position, oldest first. */
  list_events: { path: undefined; query: { after?: number; limit?: number; types?: string[]; schema?: number }; body: undefined; answer: ItemList_Event_ };
  /** Stream the tenant's events as they happen, as server-sent events; the id of each is its position. */
  tail_events: { path: undefined; query: { after?: number; types?: string[]; schema?: number; limit?: number; quiet_seconds?: number }; body: undefined; answer: undefined };
  /** List the tenant's dead letters, newest first. */
  list_dead_letters: { path: undefined; query: { limit?: number }; body: undefined; answer: ItemList_Parked_ };
  /** Redeliver dead letters of one subscriber or of all, after the events delivered since. */
  retry_dead_letters: { path: undefined; query: undefined; body: DeadLetterRetry; answer: RetryCount };
  /** Return the JSON Schema that every event of a version follows. */
  get_events_schema: { path: undefined; query: { version?: number }; body: undefined; answer: Record<string, unknown> };
  /** List the tenant's keys, newest first, without their secrets. */
  list_keys: { path: undefined; query: undefined; body: undefined; answer: ItemList_ApiKey_ };
  /** Issue a key; its secret is only in this answer. */
  issue_key: { path: undefined; query: undefined; body: NewKey; answer: IssuedKey };
  /** Issue the successor of a key; the old key remains valid for a while. */
  rotate_key: { path: { key: string }; query: undefined; body: undefined; answer: IssuedKey };
  /** Revoke a key at once. */
  revoke_key: { path: { key: string }; query: undefined; body: undefined; answer: ApiKey };
  /** Issue a temporary credential for one person's own page. */
  issue_link: { path: undefined; query: undefined; body: NewLink; answer: IssuedLink };
  /** Return the tenant's usage of each meter in its current window, and the limits. */
  get_usage: { path: undefined; query: undefined; body: undefined; answer: UsageReport };
  /** List all accounts, by id. */
  list_tenants: { path: undefined; query: { limit?: number; after?: string }; body: undefined; answer: Page_TenantAccount_ };
  /** Create an account. */
  create_tenant: { path: undefined; query: undefined; body: NewTenant; answer: TenantAccount };
  /** Return one tenant's account. */
  get_tenant: { path: { tenant: string }; query: undefined; body: undefined; answer: TenantAccount };
  /** Change a tenant's name, plan or status. */
  change_tenant: { path: { tenant: string }; query: undefined; body: TenantChange; answer: TenantAccount };
  /** Erase a tenant permanently; `confirm` repeats its id. The receipt has the counts. */
  erase_tenant: { path: { tenant: string }; query: { confirm: string; why?: string }; body: undefined; answer: Receipt };
  /** Return whether the process answers. */
  get_live: { path: undefined; query: undefined; body: undefined; answer: Live };
  /** Return metrics of all worker processes in Prometheus's format, without tenants or content. */
  get_metrics: { path: undefined; query: undefined; body: undefined; answer: string };
  /** Return whether the store answers. */
  get_ready: { path: undefined; query: undefined; body: undefined; answer: Ready };
}
