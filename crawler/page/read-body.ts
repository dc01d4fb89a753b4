import { decodeText } from "./charset.ts"
import { extractHtml, extractLinks } from "./extract/extract.ts"
import type { Extracted } from "./extract/extracted.ts"
import { type PlaceMarks, placesOf } from "./extract/written-places.ts"
import type { DocumentFormat } from "./formats/document-format.ts"
import { onceEncodedHtml, showsTwiceEncoded } from "./twice-encoded.ts"
import { closeEmptyTags } from "./formats/archive/xhtml.ts"
import { readText } from "./texts/read-text.ts"

/** A fetched body on its way to a thread. Contains only plain data, because it is sent as a message. */
export type ReadBodyTask = TextTask | DocumentTask

interface TextTask {
  readonly url: string
  readonly kind: "html" | "text"
  /** Media type from the Content-Type header; empty when it is missing. */
  readonly contentType: string
  /** Charset from the Content-Type header. */
  readonly charset: string | null
  /** For HTML, whether to read only the head and the links. */
  readonly linksOnly?: boolean
  /** The form of address fragments that point to places in a text. Left out if there is no such form. */
  readonly marks?: PlaceMarks
  readonly body: Uint8Array
}

interface DocumentTask {
  readonly url: string
  readonly kind: "document"
  readonly format: DocumentFormat
  /** The time limit for reading, in milliseconds, for readers that support one; the text read by then becomes the page. */
  readonly budgetMs: number
  /** See `ReadFile`. */
  readonly recognised?: string
  readonly body: Uint8Array
}

/**
 * Decodes and extracts one body. Runs in its own thread, since it can take a long time or never end. All text is made
 * valid Unicode: an escape, or the cut in a long text, can leave an unpaired surrogate, which no store and no other
 * program's JSON accepts.
 */
export const readBody = async (task: ReadBodyTask): Promise<Extracted> =>
  wellFormed(withPlaces(await extracted(task), task))

function withPlaces(page: Extracted, task: ReadBodyTask): Extracted {
  if (task.kind !== "text" || task.marks === undefined) return page
  // Code already has anchors for its lines, but not in the form that this forge uses.
  if (page.anchors !== undefined && page.type !== "code") return page
  const anchors = placesOf(page, decodeText(task.body, task.charset, task.kind), task.marks)
  return anchors.length === 0 ? page : { ...page, anchors }
}

function wellFormed<T>(value: T): T {
  if (typeof value === "string") return value.toWellFormed() as T
  if (Array.isArray(value)) return value.map(wellFormed) as T
  // Dates and similar objects can't contain text that has to be made valid.
  if (value === null || typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, wellFormed(one)])) as T
}

async function extracted(task: ReadBodyTask): Promise<Extracted> {
  if (task.kind === "document") {
    const { readDocument } = await import("./formats/read-document.ts")
    return await readDocument(task.format, task.body, task.url, task.budgetMs, task.recognised)
  }
  const decoded = decodeText(task.body, task.charset, task.kind)
  if (task.kind === "text") return await readText(decoded, task.url, task.contentType)
  const text = /[/+]xml$/.test(task.contentType) ? closeEmptyTags(decoded) : decoded
  if (task.linksOnly === true) return extractLinks(text, task.url)
  const page = extractHtml(text, task.url)
  // Text that was encoded twice and is written as character references is only recognised now; searching every page for
  // it would cost more.
  if (!showsTwiceEncoded(page.markdown)) return page
  const once = onceEncodedHtml(text)
  return once === text ? page : extractHtml(once, task.url)
}
