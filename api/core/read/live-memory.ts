import { Refusal } from "#base/errors.ts"
import type { Extracted, Reading, ReadResult } from "#crawler"
import type { ByteAccount, ByteBudget } from "#base/flow/memory/byte-budget.ts"

import type { LiveReader } from "../../identity/accounts/reach/reach.ts"
import { BYTES_PER_CHAR } from "../../server/load/memory/memory.ts"

const MB = 1024 * 1024
/** The minimum memory for a call: enough for a page of one megabyte. */
const LEAST_BYTES = 4 * MB

export const MEMORY_SPENT = "Failed to fetch url: the memory for live calls is used up; ask for fewer pages"

/** The result of a read that ends because there is no memory for it. */
const NO_ROOM: ReadResult = { kind: "failed", because: "cancelled", detail: MEMORY_SPENT }

/** The memory that the pages of all live calls may use, and the share of each call. */
export class LiveMemory {
  readonly #budget: ByteBudget
  readonly #ofCall: number

  /** @param budget shared by all live calls */
  constructor(budget: ByteBudget, { callMemoryMb }: { readonly callMemoryMb: number }) {
    this.#budget = budget
    this.#ofCall = callMemoryMb * MB
  }

  /**
   * Opens one call's share; the caller must release it.
   * @throws Refusal `busy` when other calls are using all the memory
   */
  open(): CallMemory {
    if (this.#budget.left < LEAST_BYTES) throw busy()
    return new CallMemory(this.#budget.open(this.#ofCall), () => this.#budget.left < LEAST_BYTES)
  }
}

/** The memory of one live call. */
export class CallMemory implements Disposable {
  readonly #account: ByteAccount
  readonly #isBusy: () => boolean
  readonly #refused: string[] = []

  /** @param isBusy whether other calls are the reason there is no room */
  constructor(account: ByteAccount, isBusy: () => boolean) {
    this.#account = account
    this.#isBusy = isBusy
  }

  /** Reads pages through `reader`, as long as there is room for them; stops fetching after the first page that doesn't fit. */
  metered(reader: LiveReader): LiveReader {
    return {
      sitemap: async (site, options) => {
        const pages = this.#refused.length > 0 ? [] : await reader.sitemap(site, options)
        const chars = pages.reduce((sum, { length }) => sum + length, 0)
        if (this.#account.reserve(chars * BYTES_PER_CHAR)) return pages
        this.#refused.push(site)
        return []
      },
      read: async (url, options) => {
        if (this.#refused.length > 0) return this.#refuse(url)
        const result = await reader.read(url, options)
        if (result.kind !== "read" || this.#account.reserve(weightOfReading(result.reading))) return result
        return this.#refuse(url)
      },
    }
  }

  /** Records that from now on only `chars` characters of the page are kept in memory. */
  keep(extracted: Extracted, chars: number): void {
    const weight = weightOf(extracted)
    this.#account.release(weight - Math.min(weight, chars * BYTES_PER_CHAR))
  }

  isNoRoom(result: ReadResult): boolean {
    return result === NO_ROOM
  }

  [Symbol.dispose](): void {
    this.#account[Symbol.dispose]()
  }

  /**
   * The pages for which there was no memory; null when there was enough for all.
   * @throws Refusal `busy` when there was too little to read anything
   */
  failures(results: number): readonly { readonly url: string; readonly error: string }[] | null {
    if (this.#refused.length === 0) return null
    if (results === 0 && this.#isBusy()) throw busy()
    return this.#refused.map((url) => ({ url, error: MEMORY_SPENT }))
  }

  #refuse(url: string): ReadResult {
    this.#refused.push(url)
    return NO_ROOM
  }
}

/** The HTML and the screenshot are counted by their own size, in addition to the text. */
const weightOfReading = ({ extracted, html = "", screenshot }: Reading): number =>
  weightOf(extracted) + html.length * BYTES_PER_CHAR + (screenshot?.bytes.byteLength ?? 0) * BYTES_PER_CHAR

const busy = () =>
  new Refusal("busy", "Other live calls are using all the memory for pages. Try again shortly.")

function weightOf({ title, description, markdown, links, images }: Extracted): number {
  let chars = title.length + (description?.length ?? 0) + markdown.length
  for (const { url, text } of links) chars += url.length + text.length
  for (const image of images) chars += image.url.length + (image.description?.length ?? 0)
  return chars * BYTES_PER_CHAR
}
