// Against a real server, whose address and key stand in the environment.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { keepTurn, memoryMiddleware } from "../ai.js";
import { Conversation, Rememora, RememoraError, User, events } from "../index.js";
import { operations } from "../operations.js";

const { REMEMORA_URL: baseUrl, REMEMORA_KEY: key } = process.env;
assert.ok(baseUrl && key, "REMEMORA_URL and REMEMORA_KEY name a server and a key");
const rememora = new Rememora({ baseUrl: `${baseUrl}/`, key });
const somebody = () => rememora.user(`ana ção ${randomUUID()}`);

async function all(items) {
  const found = [];
  for await (const each of items) found.push(each);
  return found;
}

test("what is remembered is recalled, corrected, forgotten and restored", async () => {
  const ana = somebody();
  const { memories: [kept] } = await ana.remember("user.city", "Recife");
  assert.equal((await ana.recall("Recife", { limit: 3, kinds: ["memory", "message"] }))[0].id, kept.id);
  assert.equal((await ana.correct("user.city", "Olinda", "moved")).memories[0].value, "Olinda");
  const now = await ana.memory("user.city");
  assert.equal((await ana.explain(now.id)).memory.id, now.id);
  await ana.forget(now.id);
  assert.deepEqual((await all(ana.memories())).map((each) => each.key), []);
  await ana.restore(now.id);
  assert.equal((await ana.memory("user.city")).value, "Olinda");
});

test("a list comes page by page", async () => {
  const ana = somebody();
  for (const name of ["um", "dois", "tres"]) await ana.remember(`people.${name}.role`, `contador ${name}`);
  assert.equal((await all(ana.memories({ limit: 1 }))).length, 3);
});

test("users are apart", async () => {
  const [ana, bia] = [somebody(), somebody()];
  await ana.remember("user.city", "Recife");
  await assert.rejects(bia.memory("user.city"), { name: "RememoraError", status: 404, code: "not_found" });
});

test("an agent has a memory of its own of a user", async () => {
  const id = `ana ${randomUUID()}`;
  await rememora.user(id, { agent: "suporte técnico" }).remember("user.city", "Recife");
  await assert.rejects(rememora.user(id).memory("user.city"), { status: 404 });
  assert.equal((await rememora.user(id, { agent: "suporte técnico" }).memory("user.city")).value, "Recife");
});

test("a conversation keeps its order and is told to a model", async () => {
  const ana = somebody();
  const chat = ana.conversation("c/1 ?");
  await chat.append("user", "Moro em Recife.", { id: "m1" });
  await chat.append("user", "Moro em Recife.", { id: "m1" });
  await chat.appendMany([{ role: "assistant", content: "Anotado." }, { role: "user", content: "Obrigada" }]);
  assert.deepEqual((await chat.window({ limit: 2 })).map((each) => each.content), ["Anotado.", "Obrigada"]);
  assert.equal((await chat.messages()).items.length, 3);
  assert.ok((await chat.context("onde moro?", { budget: 500 })).items.length > 0);
  assert.match((await chat.render("onde moro?", { form: "markdown" })).rendered, /Recife/);
  assert.equal((await chat.delete()).messages, 3);
});

test("a turn is answered whole and piece by piece", async () => {
  const chat = somebody().conversation("c1");
  const first = await chat.reply("Meu nome é Ana.", { idempotencyKey: "once" });
  const again = await chat.reply("Meu nome é Ana.", { idempotencyKey: "once" });
  assert.equal(again.asked.id, first.asked.id);
  const pieces = await all(chat.stream("Qual é o meu nome?"));
  const { reply } = pieces.at(-1);
  assert.equal(pieces.map((each) => each.text).join(""), reply.reply);
  assert.match(reply.reply, /Ana/);
});

test("a reader who leaves a stream ends it", async () => {
  for await (const { text } of somebody().conversation("c1").stream("Olá, tudo bem?")) {
    assert.equal(typeof text, "string");
    break;
  }
});

test("the gate refuses with a reason, and input with its field", async () => {
  const ana = somebody();
  await assert.rejects(ana.remember("user.note", "ok"), { code: "memory_refused", status: 422 });
  await assert.rejects(ana.remember("Not A Key", "x"), { code: "invalid_input", status: 422 });
  await assert.rejects(ana.call("get_memory"), TypeError);
  await assert.rejects(ana.call("toString"), TypeError);
});

test("a wrong key, a server that is away and an abort are told apart", async () => {
  await assert.rejects(new Rememora({ baseUrl, key: "wrong" }).user("ana").profile(), { code: "key_rejected", status: 401 });
  await assert.rejects(new Rememora({ baseUrl: "http://127.0.0.1:9", key }).user("ana").profile(), { code: "unavailable" });
  const signal = AbortSignal.abort();
  await assert.rejects(somebody().call("get_profile", { signal }), { name: "AbortError" });
});

test("a profile is seeded, and a person exported and erased", async () => {
  const ana = somebody();
  await ana.seed({ name: "Ana", language: "pt" });
  assert.ok(JSON.stringify(await ana.profile()).includes("Ana"));
  assert.equal((await ana.export()).format, "rememora.export");
  assert.equal((await ana.erase({ person: true })).kind, "person");
  assert.deepEqual(await all(ana.memories()), []);
});

test("answers that are no JSON come as text, and every operation is there", async () => {
  const described = await (await fetch(`${baseUrl}/api/v1/openapi.json`)).json();
  const there = Object.values(described.paths).flatMap((each) => Object.values(each)).map((each) => each.operationId);
  assert.deepEqual([...new Set(there.filter(Boolean))].filter((name) => !(name in operations)), []);
  assert.equal((await rememora.call("get_live")).status, "ok");
  const operator = new Rememora({ baseUrl, key: process.env.REMEMORA_OPERATOR_KEY });
  assert.match(await operator.call("get_metrics"), /# HELP/);
});

test("events are read however the bytes are cut", async () => {
  const bytes = new TextEncoder().encode(': beat\n\nevent: piece\ndata: {"text":"ação"}\n\nid: 7\nevent: reply\ndata: {}\n\n');
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const cut = (async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
    })();
    assert.deepEqual(await all(events(cut)), [
      { event: "piece", data: { text: "ação" } },
      { event: "reply", id: "7", data: {} },
    ]);
  }
});

test("the middleware of the AI SDK tells what is remembered before the last message", async () => {
  const ana = somebody();
  const chat = ana.conversation("c1");
  await keepTurn(ana, chat, { id: "t1", question: "Prefiro assento no corredor.", answer: "Anotado." });
  await keepTurn(ana, chat, { id: "t1", question: "Prefiro assento no corredor.", answer: "Anotado." });
  assert.equal((await chat.messages()).items.length, 2);
  const question = { role: "user", content: [{ type: "text", text: "Qual assento eu prefiro?" }] };
  const params = { prompt: [{ role: "system", content: "Be kind." }, question], temperature: 0 };
  const { prompt, temperature } = await memoryMiddleware(chat, { budget: 400 }).transformParams({ params });
  assert.deepEqual([prompt.length, prompt[0], prompt[2], temperature], [3, params.prompt[0], question, 0]);
  assert.match(prompt[1].content[0].text, /corredor/);
  const told = [];
  const away = new Rememora({ baseUrl: "http://127.0.0.1:9", key }).user("ana").conversation("c1");
  const without = await memoryMiddleware(away, { onError: (error) => told.push(error.code) }).transformParams({ params });
  assert.deepEqual([without, told], [params, ["unavailable"]]);
});

test("the declarations name every method", async () => {
  const declared = await readFile(new URL("../index.d.ts", import.meta.url), "utf8");
  for (const kind of [Rememora, User, Conversation]) {
    const [, body] = declared.match(new RegExp(`export class ${kind.name} \\{(.*?)\\n\\}`, "s"));
    const named = [...body.matchAll(/^  (?!constructor|readonly)(\w+)[<(]/gm)].map((found) => found[1]).sort();
    const there = Object.getOwnPropertyNames(kind.prototype).filter((name) => name !== "constructor").sort();
    assert.deepEqual(named, there, kind.name);
  }
  assert.ok(new RememoraError({ title: "t", code: "c", status: 1 }) instanceof Error);
});
