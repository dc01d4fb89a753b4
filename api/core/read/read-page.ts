import { unlessAborted } from "#base/flow/unless-aborted.ts"
import { WorkError } from "#base/process/threads/work-threads.ts"
import type { Reader, ReadOptions } from "#crawler"
import type { PageImage, PageUrl } from "#engine"

import { textAddressesModels } from "./addresses-models.ts"
import { failureText, skippedAsEmpty, TIMED_OUT, UNREADABLE } from "./failure-text.ts"
import { type CallMemory, MEMORY_SPENT } from "./live-memory.ts"
import { pageText, type TextAsked } from "./page-text.ts"

/** A page that was just read, with its text. */
export interface ReadPage {
  readonly title: string
  readonly text: string
  /** Empty if images are not wanted. */
  readonly images: readonly PageImage[]
  readonly favicon: string | null
  readonly addressesModels: boolean
}

export interface PageReading extends TextAsked, Pick<ReadOptions, "rendering"> {
  /** The reader; its pages count against `memory`. */
  readonly reader: Pick<Reader, "read">
  readonly memory: CallMemory
}

/** Reads a page now, or tells the caller why it could not be read. */
export async function readPage(
  url: PageUrl,
  { reader, memory, rendering, ...asked }: PageReading,
): Promise<{ readonly page: ReadPage } | { readonly error: string }> {
  const { signal } = asked
  const result = await unlessAborted(reader.read(url, { signal, ...(rendering && { rendering }) }), signal)
  if (result === null) return { error: TIMED_OUT }
  if (memory.isNoRoom(result)) return { error: MEMORY_SPENT }
  if (result.kind !== "read") return { error: failureText(result) }
  const empty = skippedAsEmpty(result.reading)
  if (empty !== null) return { error: failureText(empty) }
  const { extracted } = result.reading
  try {
    const { text } = await pageText(extracted, asked)
    const addressesModels = await textAddressesModels(`${extracted.title}\n${text}`, signal)
    memory.keep(extracted, text.length)
    const { title, favicon } = extracted
    const images = asked.withImages ? extracted.images : []
    return { page: { title, text, images, favicon, addressesModels } }
  } catch (error) {
    // There was no time for so large a page, or it cannot be processed.
    if (signal.aborted) return { error: TIMED_OUT }
    if (error instanceof WorkError) return { error: UNREADABLE }
    throw error
  }
}
