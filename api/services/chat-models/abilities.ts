import type { ModelServerError } from "#engine/models/servers/model-server.ts"

import type { ChatMessage, ReplyForm } from "./chat-model.ts"

/** The features a server has been seen to accept; kept until the process ends. */
export interface Abilities {
  /**
   * How the tokens of a reply are limited. Ollama and LM Studio read `max_tokens` and silently ignore the other name,
   * OpenAI's reasoning models refuse it, and all of OpenAI's models refuse both together.
   */
  readonly limit: "both" | "max_completion_tokens" | "max_tokens"
  /** How the server makes a reply follow a given form. */
  readonly form: "json_schema" | "json_object" | "none"
  readonly streams: boolean
  readonly temperature: boolean
  /** Whether messages with the role `system` are accepted; some models' templates don't support it. */
  readonly system: boolean
}

export const ALL_ABILITIES: Abilities = {
  limit: "both",
  form: "json_schema",
  streams: true,
  temperature: true,
  system: true,
}

export interface Wanted {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly maxTokens: number
  readonly form?: ReplyForm | undefined
  /** Additional fields set by the operator. */
  readonly extra: Readonly<Record<string, unknown>>
}

/** The body of a request, with only the fields that the server accepts. */
export function bodyFor({ model, messages, maxTokens, form, extra }: Wanted, abilities: Abilities): object {
  const { limit, streams, temperature, system } = abilities
  return {
    model,
    messages: system ? messages : inOneMessage(messages),
    stream: streams,
    ...(temperature && { temperature: 0 }),
    ...(limit !== "max_tokens" && { max_completion_tokens: maxTokens }),
    ...(limit !== "max_completion_tokens" && { max_tokens: maxTokens }),
    ...(form && responseFormat(form, abilities)),
    ...extra,
  }
}

function responseFormat({ name, schema }: ReplyForm, { form }: Abilities): object {
  if (form === "none") return {}
  if (form === "json_object") return { response_format: { type: "json_object" } }
  return { response_format: { type: "json_schema", json_schema: { name, strict: true, schema } } }
}

const inOneMessage = (messages: readonly ChatMessage[]): ChatMessage[] => [
  { role: "user", content: messages.map(({ content }) => content).join("\n\n") },
]

const REFUSALS: readonly number[] = [400, 405, 415, 422, 500, 501]

/**
 * The remaining abilities after a refusal: without the one that the server's message names, otherwise without the
 * rarest one. Null when the refusal is about something else.
 */
export function lessAfter(
  refusal: ModelServerError,
  abilities: Abilities,
  hasForm: boolean,
): Abilities | null {
  const { status, said } = refusal
  if (status === null || !REFUSALS.includes(status)) return null
  const lessForm = (): Abilities | null => {
    if (!hasForm || abilities.form === "none") return null
    return { ...abilities, form: abilities.form === "json_schema" ? "json_object" : "none" }
  }
  if (/max_(?:completion_)?tokens/.test(said)) return otherLimit(said, abilities)
  if (/response_format|json_schema|json_object|grammar|guided|structured/i.test(said)) return lessForm()
  if (/temperature/i.test(said) && abilities.temperature) return { ...abilities, temperature: false }
  if (/\bsystem\b|roles? must alternate|developer instruction/i.test(said) && abilities.system)
    return { ...abilities, system: false }
  if (/stream/i.test(said) && abilities.streams) return { ...abilities, streams: false }
  // Unless the message names a cause, this is a failure of the server, not a refusal.
  if (status >= 500 && status !== 501) return null
  const simpler = lessForm()
  if (simpler) return simpler
  return abilities.limit === "both" ? { ...abilities, limit: "max_tokens" } : null
}

function otherLimit(said: string, abilities: Abilities): Abilities | null {
  switch (abilities.limit) {
    case "both": {
      const onlyNew = /max_completion_tokens/.test(said) && !/max_tokens/.test(said)
      return { ...abilities, limit: onlyNew ? "max_tokens" : "max_completion_tokens" }
    }
    case "max_completion_tokens":
      return { ...abilities, limit: "max_tokens" }
    default:
      return null
  }
}

/**
 * The context size in tokens that a refusal names; 0 if the refusal is about the size but names none; `null` if the
 * refusal has another reason. llama.cpp: `exceed_context_size_error`; OpenAI: `context_length_exceeded`; vLLM: "This
 * model's maximum context length is …".
 */
export function contextRefused({ status, said }: ModelServerError): number | null {
  if (status === null || status < 400 || (status > 422 && status !== 500)) return null
  if (
    !/context (?:length|size|window)|context_length|exceed_context|prompt is too long|too many tokens/i.test(
      said,
    )
  )
    return status === 413 ? 0 : null
  const named =
    /(?:context (?:length|size|window)(?: of| is)?(?: only)?|n_ctx"?:)\s*\(?\s*(\d[\d,]*)/i.exec(said)?.[1] ??
    "0"
  return Number(named.replaceAll(",", ""))
}
