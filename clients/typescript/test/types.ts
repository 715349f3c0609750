// Not run: `npm run check` compiles it, so that the declarations fit how the client is used.
import { Rememora, RememoraError, type Hit, type Memory } from "../index.js";
import { keepTurn, memoryMiddleware } from "../ai.js";

const rememora = new Rememora({ baseUrl: "http://127.0.0.1:8787", key: "k" });
const ana = rememora.user("ana");
const chat = rememora.user("ana", { agent: "support" }).conversation("c1");

export async function used(): Promise<void> {
  const hits: Hit[] = await ana.recall("city", { limit: 3, kinds: ["memory"] });
  const outcome = await ana.remember("user.city", "Recife", { confidence: 0.9 });
  const memories: Memory[] = outcome.memories ?? [];
  for await (const memory of ana.memories({ status: "active" })) memories.push(memory);
  for await (const piece of chat.stream("hello", { budget: 500 })) piece.reply?.conversation_id.toUpperCase();
  await ana.call("get_memory_history", { path: { memory: memories[0]?.id ?? hits[0]?.id ?? "" } });
  await keepTurn(ana, chat, { question: "q", answer: "a" });
  memoryMiddleware(chat, { budget: 300 });
  // @ts-expect-error there is no such operation
  await ana.call("no_such_operation");
  // @ts-expect-error a role is one of four
  await chat.append("nobody", "text");
  // @ts-expect-error a path has names of its own
  await ana.call("get_memory", { path: { memoria: "x" } });
}

export const isGone = (error: unknown): boolean => error instanceof RememoraError && error.status === 404;
