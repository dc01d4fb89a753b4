import { percentDecoded } from "#base/text/percent-decoded.ts"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

import { withNote } from "../../server/wire/note-on-orders.ts"
import { type IndexedSources, storedPage } from "../../server/tools/answers.ts"
import { type Api } from "../../server/operation/tool.ts"
import { MAX_FETCH_CHARS, placeOf } from "../../server/tools/connector-tools.ts"

// Resources that a model's program can show or attach without a search: the sources, pages by address, the
// handbook.

const SOURCE = "fossick://source/"
const PAGE = "fossick://page/"
const HANDBOOK = "fossick://handbook/"
const DOCS_DIR = join(import.meta.dirname, "../../../docs")

interface Resource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description?: string
  readonly mimeType: string
}

export const pageTemplate = {
  uriTemplate: `${PAGE}{+url}`,
  name: "page",
  title: "A page from the index",
  description: "The text of a page by its address, as the crawler last read it.",
  mimeType: "text/markdown",
}

/** The sources that the key may see, and the pages of the handbook. */
export async function listResources(api: Api): Promise<Resource[]> {
  const { sources } = (await api.get("/sources")) as IndexedSources
  return [
    ...sources.map(({ name, pages }) => ({
      uri: `${SOURCE}${encodeURIComponent(name)}`,
      name,
      title: `Source ${name}`,
      ...(pages !== null && { description: `${pages} pages` }),
      mimeType: "application/json",
    })),
    ...(await handbookPages()).map(({ name, title }) => ({
      uri: `${HANDBOOK}${name}`,
      name: `handbook/${name}`,
      title: `Handbook: ${title}`,
      mimeType: "text/markdown",
    })),
  ]
}

/** The text of a resource, or null if there is none at this address. A page may also be named by its own address. */
export async function readResource(
  uri: string,
  api: Api,
): Promise<{ readonly uri: string; readonly mimeType: string; readonly text: string } | null> {
  if (uri.startsWith(SOURCE)) {
    const name = percentDecoded(uri.slice(SOURCE.length))
    const { sources } = (await api.get("/sources")) as IndexedSources
    const found = sources.find((one) => one.name === name)
    return found === undefined
      ? null
      : { uri, mimeType: "application/json", text: JSON.stringify(found, null, 2) }
  }
  if (uri.startsWith(HANDBOOK)) {
    const page = (await handbookPages()).find(({ name }) => name === uri.slice(HANDBOOK.length))
    return page === undefined ? null : { uri, mimeType: "text/markdown", text: page.text }
  }
  const address = uri.startsWith(PAGE) ? uri.slice(PAGE.length) : uri
  const written = /^https?%3a/i.test(address) ? percentDecoded(address) : address
  if (written === null || !/^https?:/i.test(written)) return null
  const { url, offset } = placeOf(written)
  const page = await storedPage(api, url, { offset, limit: MAX_FETCH_CHARS })
  const text = withNote(page.content, page.addresses_models)
  return { uri, mimeType: "text/markdown", text }
}

interface HandbookPage {
  readonly name: string
  readonly title: string
  readonly text: string
}

let handbook: Promise<HandbookPage[]> | undefined

/** The handbook is read only once, because it is part of the program. */
function handbookPages(): Promise<HandbookPage[]> {
  return (handbook ??= readHandbook().catch((error: unknown) => {
    handbook = undefined
    throw error
  }))
}

async function readHandbook(): Promise<HandbookPage[]> {
  const files = (await readdir(DOCS_DIR)).filter((file) => file.endsWith(".md") && file !== "README.md")
  return await Promise.all(
    files.sort().map(async (file) => {
      const text = await readFile(join(DOCS_DIR, file), "utf8")
      const name = file.slice(0, -".md".length)
      return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text }
    }),
  )
}
