import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Extracted } from "../../extract/extracted.ts"
import { sniff } from "../../content-type.ts"
import { readBody } from "../../read-body.ts"

const PAGES = join(import.meta.dirname, "pages")

/** Reads one of the files in `pages`. */
export const fileOf = (name: string): Uint8Array => new Uint8Array(readFileSync(join(PAGES, name)))

/** Reads a file as a crawl does: first its kind is detected. Throws if it is not a text. */
export async function read(
  name: string,
  body: string | Uint8Array,
  contentType = "text/plain",
): Promise<Extracted> {
  const url = `https://files.example/docs/${name}`
  const bytes = typeof body === "string" ? new Uint8Array(Buffer.from(body)) : body
  const { kind } = sniff(contentType, bytes, url)
  if (kind !== "text") throw new Error(`${name} is ${kind}`)
  return await readBody({ url, kind, contentType, charset: null, body: bytes })
}

/** The headings of a page with their marks. */
export const headingsIn = ({ markdown }: Extracted): string[] =>
  markdown.replace(/^```[^]*?^```$/gm, "").match(/^#+ .*$/gm) ?? []
