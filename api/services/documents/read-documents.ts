import { createHash } from "node:crypto"

import { offLoop } from "#base/process/threads/off-loop.ts"
import {
  ForeignJsonError,
  foreignOrNothing,
  INDEX_BOUNDS,
  parseForeign,
} from "#base/text/json/foreign-json.ts"
import type { Document } from "#crawler/fetch/content/documents/document-store.ts"
import type { WrittenReaders } from "#engine/index/page/readers.ts"
import { readersProblems } from "#crawler/sources/written/readers-problems.ts"

import { bodyCheck, type Problem } from "../../server/operation/body-check.ts"
import { CONTENT_TYPES, type DocumentBody, readersBody, type SendBody, sendBody } from "./document-body.ts"

/** A document as sent, which may have no address yet. */
export interface SentDocument extends Omit<Document, "url"> {
  readonly url: string | null
}

/** The contents of a body with documents. */
export interface Sent {
  readonly source: string
  readonly wait: boolean
  readonly documents: readonly SentDocument[]
}

/** Maximum number of problems reported at once: callers fix these before looking at more. */
export const MOST_PROBLEMS = 20

const check = bodyCheck(sendBody)

/** Reads a JSON body, in a thread if it is large. */
export const sentDocuments = (text: string, signal: AbortSignal): Promise<Sent | readonly Problem[]> =>
  read({ chars: text.length, signal }, text)

const read = offLoop(import.meta.url, readSent)

/** The documents in a body, or its problems, as plain values. */
export function readSent(text: string): Sent | readonly Problem[] {
  let body: unknown
  try {
    body = parseForeign(text, INDEX_BOUNDS)
  } catch (error) {
    if (!(error instanceof ForeignJsonError)) throw error
    return [{ field: "", message: `The request body ${error.message}` }]
  }
  const problems = check(body)
  if (problems.length > 0) return problems.slice(0, MOST_PROBLEMS)
  // Defaults are not filled in yet.
  const { source, wait, documents } = body as Omit<SendBody, "wait"> & Partial<Pick<SendBody, "wait">>
  const wrong: Problem[] = []
  const sent = documents.map((document, index) => {
    wrong.push(...problemsOf(document, index))
    return documentOf(document)
  })
  const seen = new Map<string, number>()
  for (const [index, { id }] of sent.entries()) {
    const first = seen.get(id)
    if (first !== undefined)
      wrong.push({ field: `documents.${index}`, message: `has the same id as documents.${first}` })
    seen.set(id, index)
  }
  return wrong.length > 0 ? wrong.slice(0, MOST_PROBLEMS) : { source, wait: wait === true, documents: sent }
}

function problemsOf(document: DocumentBody, index: number): Problem[] {
  const given = contentsOf(document)
  const field = `documents.${index}`
  const problems: Problem[] = []
  if (given.length !== 1)
    problems.push({ field, message: `must have exactly one of ${Object.keys(CONTENT_TYPES).join(", ")}` })
  for (const name of ["published_at", "updated_at"] as const) {
    const time = document[name]
    if (time !== undefined && Number.isNaN(Date.parse(time)))
      problems.push({ field: `${field}.${name}`, message: "isn't a valid date" })
  }
  problems.push(...wrongReaders(document.readers, `${field}.readers`))
  return problems
}

/** The problems with the readers in a field. */
export const wrongReaders = (readers: DocumentBody["readers"], field: string): Problem[] =>
  readersProblems(readers ?? {}).map(({ path, message }) => ({ field: [field, ...path].join("."), message }))

const checkReaders = bodyCheck(readersBody)

/** Parses readers from JSON. @returns them, or the problems with them */
export function readersIn(text: string): WrittenReaders | null | readonly Problem[] {
  const readers = foreignOrNothing(text)
  if (readers === undefined) return [{ field: "readers", message: "must be JSON" }]
  const fault = ({ field, message }: Problem) => ({ field: field.replace("documents.0.", ""), message })
  const problems = checkReaders({ source: "form", documents: [{ id: "form", readers }] })
  if (problems.length > 0) return problems.map(fault)
  const wrong = wrongReaders(readers, "readers")
  return wrong.length > 0 ? wrong : readers
}

const contentsOf = (document: DocumentBody) =>
  (["text", "markdown", "html"] as const).filter((name) => document[name] !== undefined)

function documentOf(document: DocumentBody): SentDocument {
  const { id, url = null, title, author, language, published_at, updated_at, metadata = {} } = document
  const { readers = null, ...said } = document
  const [form = "text"] = contentsOf(document)
  const text = document[form] ?? ""
  return {
    // A document without an id or address gets an id from its content, excluding its readers, so that sending the
    // document twice stores it only once.
    id: id ?? url ?? createHash("sha256").update(JSON.stringify(said)).digest("base64url").slice(0, 22),
    url,
    body: new TextEncoder().encode(text),
    type: `${CONTENT_TYPES[form]}; charset=utf-8`,
    facts: {
      ...(title !== undefined && { title }),
      ...(author !== undefined && { author }),
      ...(language !== undefined && { language }),
      ...(published_at !== undefined && { publishedAt: new Date(published_at) }),
    },
    updatedAt: updated_at === undefined ? null : Date.parse(updated_at),
    metadata: metadata as Readonly<Record<string, unknown>>,
    readers,
  }
}
