import { type PageUrl, toPageUrl } from "#engine/index/page/page-url.ts"
import { checkEntries } from "../bounds.ts"
import { isPageType } from "../page-types.ts"
import type { ScannedRecord } from "./scan-records.ts"
import { parseHttpHead } from "./warc-record.ts"

/** Where a page's bytes are. */
export interface Place {
  readonly offset: number
  readonly packed: number
  /** Length of the unpacked block in bytes. */
  readonly length: number
  /** WARC-Record-ID. */
  readonly id: string
  /** When the page was captured, in milliseconds since 1970. */
  readonly at: number
  /** The page's Content-Type. */
  readonly type: string
}

interface Capture extends Place {
  readonly url: PageUrl
  /** `none`: the address had no page at that time. */
  readonly kind: "page" | "conversion" | "revisit" | "none"
  readonly digest: string | undefined
  /** The capture that a revisit refers to. */
  readonly refersTo?: { readonly id?: string | undefined; readonly key?: string | undefined }
}

/** Statuses that mean that an address has no page. Other errors, such as 503, are temporary. */
const NO_PAGE = new Set([204, 205, 301, 302, 303, 307, 308, 404, 410, 451])

/** The captures of a file, and its pages. */
export class Captures {
  readonly #captures: Capture[] = []
  /** Number of revisits whose capture is in another file. */
  unresolved = 0

  /** @throws ArchiveError when there are too many captures */
  add(record: ScannedRecord): void {
    const capture = captureOf(record)
    if (capture !== null) checkEntries(this.#captures.push(capture))
  }

  /**
   * Returns the newest page of each address. A revisit has the page of the capture that it refers to. A conversion is
   * used only if there is no capture of the page itself.
   */
  pages(): Map<PageUrl, Place> {
    const newest = new Map<PageUrl, Capture>()
    const known = new Known(this.#captures)
    for (const capture of this.#captures) {
      const before = newest.get(capture.url)
      if (before === undefined || isNewer(capture, before)) newest.set(capture.url, capture)
    }
    const pages = new Map<PageUrl, Place>()
    for (const [url, capture] of newest) {
      const page = capture.kind === "revisit" ? known.of(capture) : capture
      if (page === null) this.unresolved += 1
      else if (page.kind === "page" || page.kind === "conversion") pages.set(url, placeOf(page))
    }
    return pages
  }
}

/** If the times are equal, the capture that is later in the file wins. */
function isNewer(capture: Capture, before: Capture): boolean {
  const isConversion = capture.kind === "conversion"
  if (isConversion !== (before.kind === "conversion")) return !isConversion
  return capture.at >= before.at
}

const placeOf = ({ offset, packed, length, id, at, type }: Place): Place => ({
  offset,
  packed,
  length,
  id,
  at,
  type,
})

/** Captures, indexed by the names that a revisit can refer to them by. Built on first use. */
class Known {
  readonly #captures: readonly Capture[]
  #byName: Map<string, Capture> | null = null

  constructor(captures: readonly Capture[]) {
    this.#captures = captures
  }

  of({ refersTo, digest }: Capture): Capture | null {
    this.#byName ??= this.#named()
    for (const name of [refersTo?.id, refersTo?.key, digest]) {
      const capture = name === undefined ? undefined : this.#byName.get(name)
      if (capture !== undefined) return capture
    }
    return null
  }

  #named(): Map<string, Capture> {
    const named = new Map<string, Capture>()
    for (const capture of this.#captures) {
      if (capture.kind !== "page" && capture.kind !== "none") continue
      named.set(capture.id, capture)
      named.set(keyOf(capture.url, capture.at), capture)
      if (capture.digest !== undefined) named.set(capture.digest, capture)
    }
    return named
  }
}

const keyOf = (url: PageUrl, at: number): string => `${at} ${url}`

/** The capture described by a record; `null` if the record isn't about a page. */
function captureOf({ offset, packed, header, start }: ScannedRecord): Capture | null {
  const { fields, length } = header
  const url = addressIn(fields.get("warc-target-uri"))
  const at = Date.parse(fields.get("warc-date") ?? "")
  if (url === null || Number.isNaN(at)) return null
  const id = copyOf(fields.get("warc-record-id") ?? `${at}`)
  const digest = copyOf(fields.get("warc-payload-digest"))
  const capture = { url, offset, packed, length, id, at, digest }
  const own = copyOf(fields.get("content-type") ?? "")
  const kind = fields.get("warc-type")
  if (kind === "resource" || kind === "conversion") {
    const isPage = isPageType(own, url)
    return isPage ? { ...capture, kind: kind === "resource" ? "page" : kind, type: own } : null
  }
  if (kind === "revisit") {
    const target = addressIn(fields.get("warc-refers-to-target-uri"))
    const then = Date.parse(fields.get("warc-refers-to-date") ?? "")
    const key = target === null || Number.isNaN(then) ? undefined : keyOf(target, then)
    return { ...capture, kind, type: "", refersTo: { id: copyOf(fields.get("warc-refers-to")), key } }
  }
  if (kind !== "response" || !/^application\/http/i.test(own)) return null
  const head = parseHttpHead(start)
  if (head === null || (head.status !== 200 && head.status !== 203 && !NO_PAGE.has(head.status))) return null
  const type = copyOf(head.headers.get("content-type") ?? "")
  const isPage = head.status < 204 && isPageType(type, url)
  return { ...capture, kind: isPage ? "page" : "none", type }
}

/** Copies part of a header, because a substring would keep the whole header in memory. `ownCopy` takes four times as long for text of this length. */
function copyOf<T extends string | undefined>(piece: T): T {
  return (piece === undefined ? piece : Buffer.from(piece).toString()) as T
}

/** wget up to 1.20 writes the address in angle brackets, as in the grammar of WARC 1.0. */
const addressIn = (text: string | undefined): PageUrl | null =>
  text === undefined ? null : toPageUrl(text.replace(/^<(.*)>$/, "$1"))
