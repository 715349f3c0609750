import type * as schema from "./schema.js";
import type { Operations } from "./schema.js";

export type * from "./schema.js";

/** What one call of an operation takes. */
export type Given<Name extends keyof Operations> = {
  path?: Operations[Name]["path"];
  query?: Operations[Name]["query"];
  body?: Operations[Name]["body"];
  idempotencyKey?: string;
  ifMatch?: string;
  signal?: AbortSignal;
};

/** One server-sent event, its data decoded. */
export interface Told {
  event: string;
  id?: string;
  data: any;
}

export interface Options {
  /** Where the server is; `http://127.0.0.1:8787` without it. */
  baseUrl?: string | URL;
  /** A key of the server, or a person's link token. */
  key?: string;
  /** The tenant, where the key is an operator's. */
  tenant?: string;
  /** Why a person's memory is looked through, where the key is an administrator's. */
  reason?: string;
  fetch?: typeof globalThis.fetch;
  /** Milliseconds until an answer that does not stream is given up. */
  timeout?: number;
}

/** A refusal or a failure; `code` is stable and safe to match on. */
export class RememoraError extends Error {
  constructor(problem: schema.Problem, options?: ErrorOptions);
  readonly code: string;
  readonly status: number;
  readonly problem: schema.Problem;
}

/** A server and a key to it. */
export class Rememora {
  constructor(options?: Options);
  user(id?: string, options?: { agent?: string }): User;
  call<Name extends keyof Operations>(
    name: Name,
    given?: Given<Name> & { user?: string; agent?: string },
  ): Promise<Operations[Name]["answer"]>;
  stream<Name extends keyof Operations>(
    name: Name,
    given?: Given<Name> & { user?: string; agent?: string },
  ): AsyncGenerator<Told>;
}

/** All that is remembered of one user. */
export class User {
  constructor(client: Rememora, id?: string, options?: { agent?: string });
  conversation(id: string): Conversation;
  call<Name extends keyof Operations>(name: Name, given?: Given<Name>): Promise<Operations[Name]["answer"]>;
  stream<Name extends keyof Operations>(name: Name, given?: Given<Name>): AsyncGenerator<Told>;
  recall(query: string, options?: Omit<Operations["search_memory"]["query"], "query">): Promise<schema.Hit[]>;
  remember(key: string, value: unknown, options?: Omit<schema.NewMemory, "key" | "value">): Promise<schema.Outcome>;
  note(text: string, options?: Omit<schema.GateText, "text">): Promise<schema.Outcome>;
  memory(memory: string): Promise<schema.Memory>;
  memories(options?: Omit<Operations["list_memories"]["query"], "after">): AsyncGenerator<schema.Memory>;
  correct(memory: string, value: unknown, why?: string): Promise<schema.Outcome>;
  forget(memory: string): Promise<schema.Outcome>;
  restore(memory: string): Promise<schema.Outcome>;
  explain(memory: string): Promise<schema.ExplanationAnswer>;
  seed(profile: Record<string, unknown>, ref?: "onboarding" | "profile"): Promise<schema.Seeded>;
  profile(): Promise<Operations["get_profile"]["answer"]>;
  export(): Promise<Record<string, unknown>>;
  erase(what: schema.ErasureRequest): Promise<schema.Receipt>;
}

/** What a turn may say beside its text. */
export type TurnOptions = Omit<
  schema.ChatMessage,
  "message" | "text" | "content" | "conversation" | "conversation_id" | "session_id" | "thread_id" | "stream"
> & { idempotencyKey?: string; signal?: AbortSignal };

/** One thread of a user. */
export class Conversation {
  constructor(user: User, id: string);
  readonly id: string;
  append(
    role: schema.NewConversationMessage["role"],
    content: string,
    options?: Omit<schema.NewConversationMessage, "role" | "content">,
  ): Promise<schema.Message>;
  appendMany(messages: schema.NewConversationMessages["messages"]): Promise<string[]>;
  messages(query?: Operations["list_messages"]["query"]): Promise<Operations["list_messages"]["answer"]>;
  window(query?: Operations["get_window"]["query"]): Promise<schema.Message[]>;
  context(query: string, options?: Omit<schema.ContextQuery, "query">): Promise<schema.ContextPack>;
  render(query: string, options?: Omit<schema.RenderQuery, "query">): Promise<schema.RenderedContext>;
  reply(message: string, options?: TurnOptions): Promise<schema.ChatReply>;
  stream(message: string, options?: TurnOptions): AsyncGenerator<{ text: string; reply?: schema.ChatReply }>;
  delete(): Promise<schema.Removed>;
}

/** Read server-sent events from a stream of bytes. */
export function events(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Told>;
