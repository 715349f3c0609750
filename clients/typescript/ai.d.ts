import type { Conversation, Outcome, User } from "./index.js";

/** A middleware for `wrapLanguageModel` of the Vercel AI SDK (`ai` 6 and 7; specification v3, which both take). */
export function memoryMiddleware(
  conversation: Conversation,
  options?: { budget?: number; onError?: (error: unknown) => void },
): {
  specificationVersion: "v3";
  transformParams<Params extends { prompt: any[] }>(given: { params: Params }): Promise<Params>;
};

/** Keep a finished turn once. */
export function keepTurn(
  user: User,
  conversation: Conversation,
  turn: { id?: string; question: string; answer?: string },
): Promise<Outcome>;
