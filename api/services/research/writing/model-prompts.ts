import { foreignOrNothing } from "#base/text/json/foreign-json.ts"
import type { Hit } from "#engine"
import { holdsModelOrder } from "#engine/text/model-orders.ts"

import type { ChatMessage, ReplyForm } from "../../chat-models/chat-model.ts"
import { type DataMarks, dataMarks } from "../../chat-models/data-marks.ts"
import type { PagedText } from "../sources/cited-pages.ts"
import type { Question, Source } from "../sources/evidence.ts"
import type { OutputField, OutputSchema } from "../report/output-schema.ts"

// Prompts for a model. Pages are written by strangers: their text is between marks that no page can close.

const TITLES = 12
const HEADINGS_OF_TITLE = 4

export function planMessages(input: string, hits: readonly Hit[], count: number): readonly ChatMessage[] {
  const marks = dataMarks()
  const pages = hits.slice(0, TITLES).map(({ title, passages }) => {
    const headings = passages
      .slice(0, HEADINGS_OF_TITLE)
      .map((passage) => harmless(passage.headings.at(-1) ?? ""))
      .filter((heading) => heading !== "")
    return [harmless(title), ...new Set(headings)].filter((one) => one !== "").join(" / ")
  })
  return [
    {
      role: "system",
      content: [
        "You plan a piece of research in an index of documents.",
        marks.rule,
        `Reply with a JSON object of the form {"questions": ["…"]} and nothing else: at most ${count} search questions, each about another side of the task and naming its subject, in the task's language.`,
      ].join("\n"),
    },
    {
      role: "user",
      content: `${marks.around(pages.join("\n"))}\n\nTask: ${input}`,
    },
  ]
}

export const PLAN_FORM: ReplyForm = {
  name: "plan",
  schema: {
    type: "object",
    properties: { questions: { type: "array", items: { type: "string" } } },
    required: ["questions"],
    additionalProperties: false,
  },
}

/** The questions in a model's plan, whether it is an object or a bare list; empty if the reply is not a plan. */
export function readPlan(reply: string, count: number): Question[] {
  const whole = parsed(reply, "{", "}") as { questions?: unknown } | undefined
  const list = whole?.questions ?? parsed(reply, "[", "]")
  if (!Array.isArray(list)) return []
  return list
    .filter((one): one is string => typeof one === "string" && one.trim() !== "")
    .slice(0, count)
    .map((one) => one.replaceAll(/\s+/g, " ").trim().slice(0, 300))
    .map((text) => ({ text, label: text.replace(/[?.]+$/, "").slice(0, 90) }))
}

/** Evidence for one section, numbered for citation. */
export interface ShownSource {
  /** Index of the source among all sources of the task. */
  readonly place: number
  readonly source: Source
  readonly text: string
  /** The texts of the source that are on a known page of a document. */
  readonly paged: readonly PagedText[]
}

/** Drops text that contains instructions to models. */
const harmless = (text: string): string => (holdsModelOrder(text) ? "" : text)

const marked = (sources: readonly ShownSource[], marks: DataMarks): string[] =>
  sources.map(({ text, source }, i) =>
    marks.around(`${harmless(source.title)}\n${withoutOrders(text)}`, i + 1),
  )

/** Removes lines that contain instructions to models, and keeps the rest of the page. */
const withoutOrders = (text: string): string =>
  text
    .split("\n")
    .map(harmless)
    .filter((line) => line !== "")
    .join("\n")

export function sectionMessages(
  input: string,
  heading: string,
  sources: readonly ShownSource[],
  words: number,
): readonly ChatMessage[] {
  const marks = dataMarks()
  const system = [
    "You write one section of a report from the sources given by the user, and from nothing else.",
    marks.rule,
    `Write at most ${words} words of plain text in the language of the task, in paragraphs without headings, lists or links. Keep to what the section is about, and leave out what the task does not ask for.`,
    "End every sentence with the number of the source it rests on, in square brackets, such as [2].",
    "Keep names, numbers and code as they stand in the source. Where sources contradict each other, say so and cite both.",
    "Say nothing that no source states. If the sources say nothing on the section, reply with the single word NONE.",
  ].join("\n")
  const shown = marked(sources, marks)
  return [
    { role: "system", content: system },
    { role: "user", content: [...shown, `Task: ${input}`, `Section: ${heading}`].join("\n\n") },
  ]
}

/** Messages for the last pass, which summarises the sections. */
export function summaryMessages(
  input: string,
  sources: readonly ShownSource[],
  words: number,
): readonly ChatMessage[] {
  const marks = dataMarks()
  const system = [
    "You write the summary of a report from its statements, given by the user by source, and from nothing else.",
    marks.rule,
    `Answer the task in two to five sentences, at most ${words} words, of plain text in the language of the task, without headings, lists or links. Say each thing once.`,
    "End every sentence with the number of the source it rests on, in square brackets, such as [2].",
    "Keep names, numbers and code as they stand in the statements. Say nothing that no statement says. If they do not answer the task, reply with the single word NONE.",
  ].join("\n")
  return [
    { role: "system", content: system },
    { role: "user", content: [...marked(sources, marks), `Task: ${input}`].join("\n\n") },
  ]
}

/**
 * The JSON Schema of a form, for servers that force a model to follow it: every field is required, and null if the
 * value isn't known.
 */
export const formOf = (schema: OutputSchema): ReplyForm => ({
  name: "report",
  schema: strict({ type: "object", ...schema }, false),
})

function strict(field: OutputField, nullable = true): Record<string, unknown> {
  const type = nullable ? [field.type, "null"] : field.type
  const about = field.description === undefined ? {} : { description: field.description }
  if (field.type === "array") return { ...about, type, items: strict(field.items!) }
  if (field.type !== "object") return { ...about, type }
  const members = Object.entries(field.properties ?? {}).map(([name, one]) => [name, strict(one)] as const)
  return {
    ...about,
    type,
    properties: Object.fromEntries(members),
    required: members.map(([name]) => name),
    additionalProperties: false,
  }
}

export function formMessages(
  input: string,
  schema: OutputSchema,
  sources: readonly ShownSource[],
): readonly ChatMessage[] {
  const marks = dataMarks()
  const system = [
    "You fill in a form from the sources given by the user, and from nothing else.",
    marks.rule,
    "Reply with one JSON object of the form below and nothing else. Use null for every value that no source states. Keep names and numbers as they stand in the source.",
    JSON.stringify({ type: "object", ...schema }),
  ].join("\n")
  const shown = marked(sources, marks)
  return [
    { role: "system", content: system },
    { role: "user", content: [...shown, `Task: ${input}`].join("\n\n") },
  ]
}

export const readForm = (reply: string): unknown => parsed(reply, "{", "}")

/** The JSON in a reply, which models often surround with a sentence or a code block, or `undefined`. */
function parsed(reply: string, open: string, close: string): unknown {
  const json = reply.slice(reply.indexOf(open), reply.lastIndexOf(close) + 1)
  // Small models often end a list with a comma.
  for (const text of [json, json.replaceAll(/,(?=\s*[\]}])/g, "")]) {
    const value = foreignOrNothing(text)
    if (value !== undefined) return value
  }
  return undefined
}
