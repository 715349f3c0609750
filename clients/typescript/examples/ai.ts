// The Vercel AI SDK with memory, without a model: `node examples/ai.ts` with REMEMORA_URL and REMEMORA_KEY set.
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";

import { keepTurn, memoryMiddleware } from "../ai.js";
import { Rememora } from "../index.js";

declare const process: { env: Record<string, string | undefined> };

// Stands in the place of your model: it answers with the last thing it was told before the question.
const yourModel = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => ({
    content: [{ type: "text", text: JSON.stringify(prompt.at(-2)?.content ?? "nothing is known") }],
    finishReason: { unified: "stop", raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: 1, reasoning: undefined },
    },
    warnings: [],
  }),
});

const rememora = new Rememora({ baseUrl: process.env.REMEMORA_URL, key: process.env.REMEMORA_KEY });
const ana = rememora.user("ana");

for (const [thread, question] of [
  ["monday", "I prefer aisle seats."],
  ["friday", "Which seats do I prefer?"],
] as const) {
  const chat = ana.conversation(thread);
  const model = wrapLanguageModel({ model: yourModel, middleware: memoryMiddleware(chat, { budget: 800 }) });
  const { text } = await generateText({ model, prompt: question });
  await keepTurn(ana, chat, { question, answer: text });
  console.log(`${question} -> ${text}`);
}
