import { badRequest } from "../errors.ts"

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
export function readFiles(given: readonly unknown[]): readonly Attachment[] {
  if (given.length > MAX_FILES) throw badRequest(`Invalid files. Must be at most ${MAX_FILES}.`)
  const files = given.map(readFile)
  const words = files.reduce((sum, { text }) => sum + (text.match(/\S+/g)?.length ?? 0), 0)
  if (words > MAX_WORDS) throw badRequest(`Invalid files. Must have at most ${MAX_WORDS} words in all.`)
  return files
}

function readFile(given: unknown, place: number): Attachment {
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
  return { name, text: /\.json$/i.test(name) ? jsonAsText(field, text) : text }
}

/** A line for each value, under the names that lead to it, so that sentences in it can be found and cited. */
function jsonAsText(field: string, text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest(`Invalid ${field}.data. Must be JSON, as the name of the file says.`)
  }
  const lines: string[] = []
  const open: { path: string; value: unknown }[] = [{ path: "", value }]
  // A list of its own instead of calls: a file may be nested deeper than the stack.
  for (let one = open.pop(); one; one = open.pop()) {
    if (typeof one.value === "object" && one.value !== null) {
      const { path } = one
      const inner = Object.entries(one.value).map(([name, value]) => ({
        path: path === "" ? name : `${path} ${name}`,
        value: value as unknown,
      }))
      open.push(...inner.reverse())
    } else {
      lines.push(one.path === "" ? String(one.value) : `${one.path}: ${String(one.value)}`)
    }
  }
  return lines.join("\n\n")
}
