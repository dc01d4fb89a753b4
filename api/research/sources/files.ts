import { badRequest } from "../../errors.ts"
import { jsonAsText } from "../json-text.ts"

/** A text that the caller gave along, as a source beside the pages. */
export interface Attachment {
  readonly name: string
  readonly text: string
}

const MAX_FILES = 5
const MAX_WORDS = 80_000
const NAME = /^[^/\\\0]{1,200}\.(?:txt|md|json)$/i
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * The texts of `files`.
 * @throws ApiError 400 naming the file and what is wrong with it
 */
export async function readFiles(given: readonly unknown[]): Promise<readonly Attachment[]> {
  if (given.length > MAX_FILES) throw badRequest(`Invalid files. Must be at most ${MAX_FILES}.`)
  const files: Attachment[] = []
  let words = 0
  for (const [place, file] of given.entries()) {
    const { name, text } = await readFile(file, place)
    words += countWords(text, MAX_WORDS - words + 1)
    if (words > MAX_WORDS) throw badRequest(`Invalid files. Must have at most ${MAX_WORDS} words in all.`)
    files.push({ name, text })
  }
  return files
}

/** The words of a text, counted no further than `most`. */
function countWords(text: string, most: number): number {
  let words = 0
  for (const word = /\S+/g; words < most && word.test(text);) words += 1
  return words
}

async function readFile(given: unknown, place: number): Promise<Attachment> {
  const { name, data, type } = (given ?? {}) as Record<string, unknown>
  const field = `files[${place}]`
  if (typeof name !== "string" || !NAME.test(name)) {
    throw badRequest(`Invalid ${field}.name. Must be a file name that ends in .txt, .md or .json.`)
  }
  if (type !== "base64") throw badRequest(`Invalid ${field}.type. Must be 'base64'.`)
  if (typeof data !== "string" || !BASE64.test(data) || data.length % 4 !== 0) {
    throw badRequest(`Invalid ${field}.data. Must be the file in base64.`)
  }
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(data, "base64"))
  } catch {
    throw badRequest(`Invalid ${field}.data. Must be text in UTF-8.`)
  }
  if (!/\.json$/i.test(name)) return { name, text }
  return { name, text: await jsonAsText(parsed(field, text), text.length) }
}

function parsed(field: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest(`Invalid ${field}.data. Must be JSON, as the name of the file says.`)
  }
}
