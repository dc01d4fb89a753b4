import { decodeText } from "./charset.ts"
import { extractHtml, extractText } from "./extract/extract.ts"
import type { Extracted } from "./extract/extracted.ts"

/** A fetched body on its way to a thread. Plain data only: it is sent as a message. */
export interface ReadBodyTask {
  readonly url: string
  readonly kind: "html" | "text"
  /** Media type of the Content-Type header; empty when there is none. */
  readonly contentType: string
  /** Charset of the Content-Type header. */
  readonly charset: string | null
  readonly body: Uint8Array
}

/** Decodes and extracts one body. Runs in a thread of its own, since it may take long or never end. */
export function readBody(task: ReadBodyTask): Extracted {
  const text = decodeText(task.body, task.charset)
  return task.kind === "html" ? extractHtml(text, task.url) : extractText(text, task.url, task.contentType)
}
