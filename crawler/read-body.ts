import { decodeText } from "./charset.ts"
import { extractHtml, extractLinks, extractText } from "./extract/extract.ts"
import type { Extracted } from "./extract/extracted.ts"

/** A fetched body on its way to a thread. Plain data only: it is sent as a message. */
export interface ReadBodyTask {
  readonly url: string
  readonly kind: "html" | "text"
  /** Media type of the Content-Type header; empty when there is none. */
  readonly contentType: string
  /** Charset of the Content-Type header. */
  readonly charset: string | null
  /** Of HTML, no more than the head and the links. */
  readonly linksOnly?: boolean
  readonly body: Uint8Array
}

/** Decodes and extracts one body. Runs in a thread of its own, since it may take long or never end. */
export function readBody(task: ReadBodyTask): Extracted {
  const text = decodeText(task.body, task.charset)
  if (task.kind === "text") return extractText(text, task.url, task.contentType)
  return task.linksOnly === true ? extractLinks(text, task.url) : extractHtml(text, task.url)
}
