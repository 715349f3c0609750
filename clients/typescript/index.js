// The client: one fetch for every operation, and a thin layer that names the person and the conversation.
import { operations } from "./operations.js";

/** A refusal or a failure; `code` is stable and safe to match on. */
export class RememoraError extends Error {
  constructor(problem, options) {
    super(problem.detail || problem.title, options);
    this.name = "RememoraError";
    this.code = problem.code;
    this.status = problem.status;
    this.problem = problem;
  }
}

/** A server and a key to it. */
export class Rememora {
  #address;
  #headers;
  #fetch;
  #timeout;

  constructor({ baseUrl = "http://127.0.0.1:8787", key, tenant, reason, fetch: given, timeout = 60_000 } = {}) {
    this.#address = String(baseUrl).replace(/\/+$/, "");
    this.#headers = {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(tenant && { "x-rememora-tenant": encodeURIComponent(tenant) }),
      ...(reason && { "x-rememora-reason": encodeURIComponent(reason) }),
    };
    this.#fetch = given ?? ((...how) => globalThis.fetch(...how));
    this.#timeout = timeout;
  }

  /**
   * All that is remembered of one user; without an id, of the user whose key it is. With an agent it is the memory
   * that this agent keeps of the user.
   */
  user(id, { agent } = {}) {
    return new User(this, id, { agent });
  }

  /** Call any operation of the server by its name. */
  async call(name, { path, query, body, user, agent, idempotencyKey, ifMatch, signal } = {}) {
    const answer = await this.#ask(name, { path, query, body, user, agent, idempotencyKey, ifMatch, signal });
    const text = await answer.text();
    const isJson = (answer.headers.get("content-type") ?? "").includes("json");
    return text === "" ? undefined : isJson ? JSON.parse(text) : text;
  }

  /** Call an operation whose answer comes piece by piece. */
  async *stream(name, how = {}) {
    const answer = await this.#ask(name, { ...how, accept: "text/event-stream", unlimited: true });
    for await (const told of events(answer.body)) {
      if (told.event === "problem") throw new RememoraError(told.data);
      yield told;
    }
  }

  async #ask(name, { path, query, body, user, agent, idempotencyKey, ifMatch, signal, accept, unlimited }) {
    const [method, template] = Object.hasOwn(operations, name) ? operations[name] : unknown(name);
    const address = this.#address + filled(template, path ?? {}) + asked(query ?? {});
    const headers = {
      ...this.#headers,
      accept: accept ?? "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(user !== undefined && { "x-rememora-user": encodeURIComponent(user) }),
      ...(agent !== undefined && { "x-rememora-agent": encodeURIComponent(agent) }),
      ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
      ...(ifMatch && { "if-match": ifMatch }),
    };
    const limits = [signal, unlimited ? undefined : AbortSignal.timeout(this.#timeout)].filter(Boolean);
    const options = { method, headers, signal: limits.length ? AbortSignal.any(limits) : undefined };
    if (body !== undefined) options.body = JSON.stringify(body);
    const answer = await this.#reached(address, options, signal);
    if (!answer.ok) throw new RememoraError(await problemOf(answer));
    return answer;
  }

  async #reached(address, options, signal) {
    try {
      return await this.#fetch(address, options);
    } catch (error) {
      if (signal?.aborted) throw error;
      const timed = error?.name === "TimeoutError";
      const [code, status] = timed ? ["timeout", 504] : ["unavailable", 503];
      const detail = timed ? "the server did not answer in time" : "the server cannot be reached";
      throw new RememoraError({ type: "about:blank", title: detail, status, code, detail }, { cause: error });
    }
  }
}

/** All that is remembered of one user. */
export class User {
  #client;
  #whose;

  constructor(client, id, { agent } = {}) {
    this.#client = client;
    this.#whose = { user: id, agent };
  }

  /** One thread of this user; it comes to be with its first message. */
  conversation(id) {
    return new Conversation(this, id);
  }

  /** Call any operation for this user. */
  call(name, how = {}) {
    return this.#client.call(name, { ...how, ...this.#whose });
  }

  /** Call an operation for this user whose answer comes piece by piece. */
  stream(name, how = {}) {
    return this.#client.stream(name, { ...how, ...this.#whose });
  }

  /** What of this user's memory answers the query, best first. */
  async recall(query, options = {}) {
    return (await this.call("search_memory", { query: { ...options, query } })).items;
  }

  /** Keep a value under a key, if the gate lets it. */
  remember(key, value, options = {}) {
    return this.call("remember", { body: { ...options, key, value } });
  }

  /** Keep what a text tells, as far as the gate lets it. */
  note(text, options = {}) {
    return this.call("note", { body: { ...options, text } });
  }

  /** One memory by its id or key. */
  memory(memory) {
    return this.call("get_memory", { path: { memory } });
  }

  /** Every memory, page by page. */
  async *memories(options = {}) {
    let after;
    do {
      const page = await this.call("list_memories", { query: { ...options, ...(after && { after }) } });
      yield* page.items;
      after = page.next;
    } while (after);
  }

  /** Put the right value in place of a wrong one. */
  correct(memory, value, why) {
    return this.call("correct_memory", { path: { memory }, body: { value, ...(why && { why }) } });
  }

  /** Forget one memory; it can be restored. */
  forget(memory) {
    return this.call("forget_memory", { path: { memory } });
  }

  /** Let a forgotten memory be known again. */
  restore(memory) {
    return this.call("restore_memory", { path: { memory }, body: {} });
  }

  /** Why a memory is known. */
  explain(memory) {
    return this.call("explain_memory", { path: { memory } });
  }

  /** The base profile, written without being asked for. */
  seed(profile, ref) {
    return this.call("seed_profile", { body: { profile, ...(ref && { ref }) } });
  }

  /** What is known of the profile. */
  profile() {
    return this.call("get_profile");
  }

  /** All that is held about this user. */
  export() {
    return this.call("export_person");
  }

  /** Remove for good a memory, a topic, a conversation or the whole person. */
  erase(what) {
    return this.call("erase", { body: what });
  }
}

/** One thread of a user. */
export class Conversation {
  #user;
  #path;

  constructor(user, id) {
    this.#user = user;
    this.#path = { conversation: id };
    this.id = id;
  }

  /** Append a message; with an `id` a repeat changes nothing. */
  append(role, content, options = {}) {
    return this.#user.call("append_message", { path: this.#path, body: { ...options, role, content } });
  }

  /** Append several messages at once; returns their ids. */
  async appendMany(messages) {
    return (await this.#user.call("append_messages", { path: this.#path, body: { messages } })).items;
  }

  /** Messages, newest page first. */
  messages(query = {}) {
    return this.#user.call("list_messages", { path: this.#path, query });
  }

  /** The last turns, in order. */
  async window(query = {}) {
    return (await this.#user.call("get_window", { path: this.#path, query })).items;
  }

  /** What a model should get for a query, each item with its origin and reason. */
  context(query, options = {}) {
    return this.#user.call("get_context", { path: this.#path, body: { ...options, query } });
  }

  /** The same in the form that a model's interface takes. */
  render(query, options = {}) {
    return this.#user.call("render_context", { path: this.#path, body: { ...options, query } });
  }

  /** One turn: stored, answered from memory, and the answer stored too. */
  reply(message, { idempotencyKey, signal, ...options } = {}) {
    const body = { ...options, message, conversation_id: this.id };
    return this.#user.call("chat", { body, idempotencyKey, signal });
  }

  /** The same, piece by piece: texts, and last the whole turn. */
  async *stream(message, { idempotencyKey, signal, ...options } = {}) {
    const body = { ...options, message, conversation_id: this.id, stream: true };
    for await (const { event, data } of this.#user.stream("chat", { body, idempotencyKey, signal })) {
      yield event === "reply" ? { text: "", reply: data } : { text: data.text };
    }
  }

  /** Remove the conversation with all that hangs on it; returns counts. */
  delete() {
    return this.#user.call("delete_conversation", { path: this.#path });
  }
}

/** Read server-sent events from a stream of bytes, however it is cut. */
export async function* events(stream) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of stream) {
    rest += decoder.decode(piece, { stream: true });
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) {
      const told = eventOf(block);
      if (told) yield told;
    }
  }
}

function eventOf(block) {
  const told = { event: "message", data: "" };
  for (const line of block.split(/\r?\n/)) {
    const [, field, value] = line.match(/^(event|id|data): ?(.*)$/s) ?? [];
    if (field === "data") told.data += told.data ? `\n${value}` : value;
    else if (field) told[field] = value;
  }
  return told.data ? { ...told, data: JSON.parse(told.data) } : undefined;
}

function filled(template, path) {
  return template.replace(/\{(\w+)\}/g, (_, name) => {
    if (path[name] === undefined || path[name] === "") throw new TypeError(`the path needs ${name}`);
    return encodeURIComponent(path[name]);
  });
}

function asked(query) {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each !== undefined && each !== null) words.append(name, String(each));
  }
  return words.size ? `?${words}` : "";
}

async function problemOf(answer) {
  const text = await answer.text();
  try {
    return JSON.parse(text);
  } catch {
    const title = answer.statusText || "the server refused";
    return { type: "about:blank", title, status: answer.status, code: "error", detail: text.slice(0, 500) };
  }
}

function unknown(name) {
  throw new TypeError(`there is no operation ${name}`);
}
