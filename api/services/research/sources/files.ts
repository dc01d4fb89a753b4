import { Refusal } from "#base/errors.ts"
import { type ForeignJsonError, parseForeign } from "#base/text/json/foreign-json.ts"

import { listOf, object, type Of, oneOf, text } from "../../../server/schema/schemas.ts"
import { jsonAsText } from "../json-text.ts"

/** A text that the caller supplied as a source in addition to the pages. */
export interface Attachment {
  readonly name: string
  readonly text: string
}

const MAX_FILES = 5
const MAX_WORDS = 80_000

const file = object({
  // Spelled out, because patterns in JSON Schema have no flags.
  name: text("A file name that ends in `.txt`, `.md` or `.json`.", {
    pattern: String.raw`^[^/\\\x00]{1,200}\.([Tt][Xx][Tt]|[Mm][Dd]|[Jj][Ss][Oo][Nn])$`,
    "x-allowed": "a file name that ends in .txt, .md or .json",
  }),
  data: text("The file in base64: text in UTF-8.", {
    pattern: "^[A-Za-z0-9+/]*={0,2}$",
    "x-allowed": "the file in base64",
  }),
  type: oneOf(["base64"], "Encoding of `data`."),
})

/** An entry of `files`. */
type GivenFile = Pick<Of<typeof file>, "name" | "data">

/** The field `files` of a request. */
export const filesSchema = listOf(
  file,
  `Up to ${MAX_FILES} of your own texts as sources, ${MAX_WORDS.toLocaleString("en")} words in total.`,
  { maxItems: MAX_FILES, "x-allowed": `a list of at most ${MAX_FILES} files` },
)

/**
 * Reads the texts of `files`.
 * @throws Refusal naming the file and its problem
 */
export async function readFiles(given: readonly GivenFile[]): Promise<readonly Attachment[]> {
  const files: Attachment[] = []
  let words = 0
  for (const [place, file] of given.entries()) {
    const { name, text } = await readFile(file, place)
    words += countWords(text, MAX_WORDS - words + 1)
    if (words > MAX_WORDS)
      throw new Refusal("wrong", `Invalid files. Must have at most ${MAX_WORDS} words in total.`)
    files.push({ name, text })
  }
  return files
}

/** Number of words in a text, counted only up to `most`. */
function countWords(text: string, most: number): number {
  let words = 0
  for (const word = /\S+/g; words < most && word.test(text);) words += 1
  return words
}

async function readFile({ name, data }: GivenFile, place: number): Promise<Attachment> {
  const field = `files[${place}]`
  // Checked here, because a pattern cannot check the length.
  if (data.length % 4 !== 0) {
    throw new Refusal("wrong", `Invalid ${field}.data. Must be the file in base64.`)
  }
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(data, "base64"))
  } catch {
    throw new Refusal("wrong", `Invalid ${field}.data. Must be text in UTF-8.`)
  }
  if (!/\.json$/i.test(name)) return { name, text }
  return { name, text: await jsonAsText(parsed(field, text), text.length) }
}

function parsed(field: string, text: string): unknown {
  try {
    return parseForeign(text)
  } catch (error) {
    const { kind, message } = error as ForeignJsonError
    throw new Refusal(
      "wrong",
      kind === "syntax"
        ? `Invalid ${field}.data. Must be JSON, as the file name says.`
        : `Invalid ${field}.data. The JSON ${message}.`,
    )
  }
}
