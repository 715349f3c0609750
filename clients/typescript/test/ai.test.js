// With the Vercel AI SDK itself, both versions that are supported, against a real server; `make typescript` runs it.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";

import { keepTurn, memoryMiddleware } from "../ai.js";
import { Rememora } from "../index.js";

const { REMEMORA_URL: baseUrl, REMEMORA_KEY: key } = process.env;
const rememora = new Rememora({ baseUrl, key });
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const finishReason = { unified: "stop", raw: undefined };

for (const sdk of ["ai", "ai-6"]) {
  const { generateText, streamText, wrapLanguageModel, simulateReadableStream, stepCountIs, tool, jsonSchema } =
    await import(sdk);
  const { MockLanguageModelV3 } = await import(`${sdk}/test`);

  function scripted(...answers) {
    const said = answers.map((content) => ({ content, finishReason: content.some((part) => part.type === "tool-call")
      ? { unified: "tool-calls", raw: undefined } : finishReason, usage, warnings: [] }));
    const chunks = [
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "Not" },
      { type: "text-delta", id: "1", delta: "ed." },
      { type: "text-end", id: "1" },
      { type: "finish", finishReason, usage },
    ];
    return new MockLanguageModelV3({
      doGenerate: async () => said.shift(),
      doStream: async () => ({ stream: simulateReadableStream({ chunks }) }),
    });
  }
  const answer = [{ type: "text", text: "Noted." }];
  const told = (call) => call.prompt.map(({ role, content }) => [role, JSON.stringify(content)]);

  test(`${sdk}: what one thread tells reaches the model in another, before the question and as data`, async () => {
    const ana = rememora.user(`ai ${randomUUID()}`);
    await keepTurn(ana, ana.conversation("c1"), { question: "I prefer aisle seats.", answer: "Noted." });
    const model = scripted(answer);
    const wrapped = wrapLanguageModel({ model, middleware: memoryMiddleware(ana.conversation("c2")) });
    const { text } = await generateText({ model: wrapped, system: "Be brief.", prompt: "Which seats do I prefer?" });
    const [system, memory, question] = told(model.doGenerateCalls[0]);

    assert.equal(text, "Noted.");
    assert.deepEqual(["system", "user", "user"], [system[0], memory[0], question[0]]);
    assert.match(memory[1], /aisle/);
    assert.doesNotMatch(system[1], /aisle/);
    assert.match(question[1], /Which seats/);
  });

  test(`${sdk}: a stream is passed on, and its turn is kept once, when it is finished`, async () => {
    const ana = rememora.user(`ai ${randomUUID()}`);
    const chat = ana.conversation("c1");
    const question = "Remember that I prefer tea.";
    const kept = [];
    const result = streamText({
      model: wrapLanguageModel({ model: scripted(), middleware: memoryMiddleware(chat) }),
      prompt: question,
      onFinish: ({ text }) => { kept.push(keepTurn(ana, chat, { id: "t1", question, answer: text })); },
    });
    const pieces = [];
    for await (const piece of result.textStream) pieces.push(piece);
    await Promise.all(kept);
    await keepTurn(ana, chat, { id: "t1", question, answer: "Noted." });

    assert.deepEqual(["Not", "ed."], pieces);
    assert.deepEqual([question, "Noted."], (await chat.messages()).items.map((each) => each.content));
    assert.match(JSON.stringify(await ana.recall("tea", { kinds: ["memory"] })), /tea/);
  });

  test(`${sdk}: each step of a turn with tools is told, and the turn is kept once`, async () => {
    const ana = rememora.user(`ai ${randomUUID()}`);
    const chat = ana.conversation("c1");
    await ana.remember("user.city", "Recife");
    const call = { type: "tool-call", toolCallId: "1", toolName: "weather", input: "{}" };
    const model = scripted([call], answer);
    let finished = 0;
    const result = await generateText({
      model: wrapLanguageModel({ model, middleware: memoryMiddleware(chat) }),
      prompt: "Weather in my city?",
      tools: { weather: tool({ inputSchema: jsonSchema({ type: "object" }), execute: async () => "sunny" }) },
      stopWhen: stepCountIs(3),
      onFinish: () => { finished += 1; },
    });

    assert.deepEqual([2, "Noted.", 1], [result.steps.length, result.text, finished]);
    for (const each of model.doGenerateCalls) assert.match(JSON.stringify(each.prompt), /Recife/);
  });

  test(`${sdk}: without memory the call goes on`, async () => {
    const away = new Rememora({ baseUrl: "http://127.0.0.1:1", key: "k" }).user("ana").conversation("c1");
    const heard = [];
    const model = scripted(answer);
    const middleware = memoryMiddleware(away, { onError: (error) => heard.push(error.code) });
    const { text } = await generateText({ model: wrapLanguageModel({ model, middleware }), prompt: "Hello" });

    assert.deepEqual(["Noted.", ["unavailable"]], [text, heard]);
    assert.equal(model.doGenerateCalls[0].prompt.length, 1);
  });
}
