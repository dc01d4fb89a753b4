import { parseForeign } from "#base/text/json/foreign-json.ts"

import { type ChatServer, ONE_WORD } from "./chat-server.ts"
import type { ReplyForm } from "./chat-model.ts"

const TRIAL_TOKENS = 32
const FORM: ReplyForm = {
  name: "trial",
  schema: {
    type: "object",
    properties: { ready: { type: "boolean" } },
    required: ["ready"],
    additionalProperties: false,
  },
}

/**
 * Lets a model write a word and fill in a form with one field; the prompts contain only our own text. Waits for a model
 * that is still loading.
 *
 * @param name of the model, as in the settings
 * @returns the working features, in one line
 * @throws ChatModelError if none works; the reason of `signal`
 */
export async function tryModel(model: ChatServer, name: string, signal: AbortSignal): Promise<string> {
  const began = performance.now()
  await model.reply(ONE_WORD, {
    maxTokens: TRIAL_TOKENS,
    signal,
    patience: "report",
  })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const isForm = await fillsIn(model, signal)
  const { thinks, hasStreamed, form } = model.seen
  const context = await model.contextTokens(signal)
  const from = await model.contextFrom(signal)
  const works = [
    hasStreamed ? "streams" : "does not stream",
    isForm
      ? `follows a JSON ${form === "json_schema" ? "schema" : "object"}`
      : "does not follow a JSON schema",
    ...(thinks ? ["thinks before it answers"] : []),
    `reads ${context.toLocaleString("en-US")} tokens (${from})`,
  ]
  return `${name} answered in ${seconds} s: it ${works.slice(0, -1).join(", ")} and ${works.at(-1)}.`
}

/** Whether the server forces the model to follow a form. */
async function fillsIn(model: ChatServer, signal: AbortSignal): Promise<boolean> {
  try {
    const { text } = await model.reply(
      () => [{ role: "user", content: 'Reply with the JSON object {"ready": true} and nothing else.' }],
      { maxTokens: TRIAL_TOKENS, signal, patience: "report", form: FORM },
    )
    const filled = parseForeign(text) as { ready?: unknown } | null
    return model.seen.form !== "none" && typeof filled?.ready === "boolean"
  } catch {
    signal.throwIfAborted()
    return false
  }
}
