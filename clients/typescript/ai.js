// For the Vercel AI SDK: a middleware that tells a model what is remembered, and a keeper of finished turns.

/**
 * A middleware for `wrapLanguageModel`: what bears on the person's last message stands before it, fenced as data.
 * Where memory cannot be reached the call goes on without it, and `onError` is told.
 */
export function memoryMiddleware(conversation, { budget, onError = () => {} } = {}) {
  return {
    specificationVersion: "v3",
    async transformParams({ params }) {
      const place = params.prompt.findLastIndex((message) => message.role === "user");
      const query = place < 0 ? "" : textOf(params.prompt[place].content);
      if (!query) return params;
      try {
        const { rendered } = await conversation.render(query, { form: "markdown", ...(budget && { budget }) });
        if (!rendered) return params;
        const told = { role: "user", content: [{ type: "text", text: rendered }] };
        return { ...params, prompt: params.prompt.toSpliced(place, 0, told) };
      } catch (error) {
        onError(error);
        return params;
      }
    },
  };
}

/**
 * Keep a finished turn once: question and answer in the conversation, and of the question what the gate lets in.
 * Call it in `onFinish` of `streamText`, or after `generateText`; `id` makes a repeat change nothing.
 */
export async function keepTurn(user, conversation, { id, question, answer }) {
  const outcome = await user.note(question);
  await conversation.appendMany([
    { role: "user", content: question, ...(id && { id }) },
    ...(answer ? [{ role: "assistant", content: answer, ...(id && { id: `${id}.answer` }) }] : []),
  ]);
  return outcome;
}

function textOf(content) {
  if (typeof content === "string") return content;
  return content.filter((part) => part.type === "text").map((part) => part.text).join("\n");
}
