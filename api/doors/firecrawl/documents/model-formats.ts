import { Ajv, type ValidateFunction } from "ajv"

import { foreignOrNothing } from "#base/text/json/foreign-json.ts"

import {
  type ChatMessage,
  type ChatModel,
  ChatModelError,
  type ReplyOptions,
} from "../../../services/chat-models/chat-model.ts"
import { dataMarks } from "../../../services/chat-models/data-marks.ts"
import { tokensOf } from "../../../services/chat-models/tokens.ts"
import { ApiError } from "../../../errors.ts"
import type { JsonFormat } from "./formats.ts"

/** Maximum number of a page's characters that a model sees, whatever its context size. */
const SHOWN_CHARS = 100_000
/** Maximum number of characters per token, according to the rule used to count tokens. */
const CHARS_PER_TOKEN = 3
const JSON_TOKENS = 4000
const SUMMARY_TOKENS = 500

interface Shown {
  readonly title: string
  readonly markdown: string
}

/**
 * Data that a model extracts from a page, checked against the given schema.
 * @throws ApiError 502 when the model returns nothing that fits
 */
export async function jsonOf(
  page: Shown,
  { prompt, schema }: JsonFormat,
  model: ChatModel,
  signal: AbortSignal,
): Promise<unknown> {
  const wanted = [
    ...(schema === null ? [] : [`JSON Schema of the answer:\n${JSON.stringify(schema)}`]),
    ...(prompt === null ? [] : [`What is wanted:\n${prompt}`]),
  ].join("\n\n")
  const system = (rule: string) =>
    `You take values from a web page and answer with one JSON value and nothing else. ${rule} Take only what the page says; leave out or set to null what it does not say.`
  const isForm = schema?.["type"] === "object"
  const text = await asked(
    model,
    { system, wanted, page },
    {
      maxTokens: JSON_TOKENS,
      signal,
      ...(isForm && { form: { name: "values", schema } }),
    },
  )
  const value = parsed(text)
  if (value === undefined) throw unfit("The model didn't return JSON.")
  if (schema === null) return value
  const validate = validatorOf(schema)
  if (!validate(value)) {
    const [first] = validate.errors ?? []
    throw unfit(
      `The model's answer doesn't match the schema: ${first?.instancePath ?? ""} ${first?.message ?? ""}`,
    )
  }
  return value
}

/** A summary that a model writes from the page alone. @throws ApiError 502 when it doesn't write one */
export async function summaryOf(page: Shown, model: ChatModel, signal: AbortSignal): Promise<string> {
  const system = (rule: string) =>
    `You summarise a web page in at most five sentences, in its own language. ${rule} Say only what the page says.`
  const text = (
    await asked(model, { system, wanted: "", page }, { maxTokens: SUMMARY_TOKENS, signal })
  ).trim()
  if (text === "") throw unfit("The model didn't return a summary.")
  return text
}

/** @throws ApiError 400 for an invalid schema */
export function validatorOf(schema: Readonly<Record<string, unknown>>): ValidateFunction {
  try {
    const { $schema: _, ...rest } = schema
    const ajv = new Ajv({ strict: false, validateFormats: false, logger: false })
    // Patterns are only passed on to the model: checking a caller's pattern could keep this process busy forever.
    for (const keyword of ["pattern", "patternProperties"]) ajv.removeKeyword(keyword)
    return ajv.compile(rest)
  } catch (error) {
    throw new ApiError(
      400,
      `Invalid formats.schema. Must be a JSON Schema: ${(error as Error).message.slice(0, 200)}`,
    )
  }
}

interface Asked {
  /** Returns the system prompt, which must include the given rule about the markers around the page. */
  readonly system: (rule: string) => string
  readonly wanted: string
  readonly page: Shown
}

/** The prompt, with as much of the page as there is room for. */
function promptOf(
  { system, wanted, page: { title, markdown } }: Asked,
  room: number,
): readonly ChatMessage[] {
  const marks = dataMarks()
  const rules = system(marks.rule)
  const frame = (text: string) => `${wanted}\n\n${marks.around(`${title}\n\n${text}`)}`.trim()
  const left = Math.max(0, room - tokensOf(rules) - tokensOf(frame("")))
  let text = markdown.slice(0, Math.min(SHOWN_CHARS, left * CHARS_PER_TOKEN))
  // In some scripts, a token has fewer characters.
  while (text !== "" && tokensOf(text) > left) text = text.slice(0, Math.floor(text.length * 0.8))
  return [
    { role: "system", content: rules },
    { role: "user", content: frame(text) },
  ]
}

async function asked(model: ChatModel, what: Asked, options: ReplyOptions): Promise<string> {
  try {
    const { text, isCut } = await model.reply((room) => promptOf(what, room), options)
    if (isCut) throw unfit("The model's answer was too long and was cut off.")
    return text
  } catch (error) {
    if (error instanceof ChatModelError) {
      throw unfit(`The appliance's model did not answer: ${error.message}.`)
    }
    throw error
  }
}

/** The JSON in a reply, which models tend to put into a code fence; undefined if the reply isn't JSON. */
function parsed(text: string): unknown {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/.exec(text)?.[1] ?? text
  return foreignOrNothing(fenced)
}

const unfit = (message: string) => new ApiError(500, message)
