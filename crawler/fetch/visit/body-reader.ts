import { isUtf8 } from "node:buffer"
import type { CrawlerConfig } from "../../settings.ts"
import { callerHere } from "#base/flow/caller.ts"
import { breather } from "#base/flow/breather.ts"
import { steadyNow } from "#base/steady-time.ts"
import { decodeText } from "../../page/charset.ts"
import { type ContentKind, isHeavyText, sniff } from "../../page/content-type.ts"
import { charsetParameter, mediaType } from "../../page/headers/media-type.ts"
import { LinkReading } from "../../page/extract/link-reading.ts"
import { EVERYBODY, narrowedBy } from "#engine/index/page/readers.ts"
import { readersDigest, readersHeaders, siteReaders } from "../../page/headers/site-readers.ts"
import type { Extracted } from "../../page/extract/extracted.ts"
import { withHeaderFacts } from "../../page/headers/header-facts.ts"
import type { DocumentFormat } from "../../page/formats/document-format.ts"
import { becomes, type LegacyFormat } from "../../page/formats/legacy-office.ts"
import { unreadDocument } from "../../page/formats/unread-document.ts"
import { type Fetched, validatorsOf } from "../fetch.ts"
import type { ReadBodyTask } from "../../page/read-body.ts"
import type { ReadBodyResult, ReaderPool } from "../../page/pool/reader-pool.ts"
import type { Visit, VisitOptions } from "../../reading.ts"
import { scanHash, type ScanShelf } from "../../page/scans/scan-shelf.ts"
import type { ReadingPlaces } from "./reading-places.ts"

/** Maximum size of a body that is decoded on the event loop. Text that is not UTF-8 is slow to decode, so a thread decodes larger bodies. */
const DECODED_IN_PLACE_BYTES = 512 * 1024
/**
 * Maximum size of a page that a thread reads; larger pages are read in a process. V8 ends the whole process when one
 * large allocation in a thread exceeds the thread's memory: a page of 10 MB did that to a thread with 128 MB, and a
 * page of 100 MB to one with 256 MB.
 */
const THREAD_BYTES = 2_000_000
/** Maximum size of a page that is searched for links in this process. Larger pages are possible only if FOSSICK_MAX_PAGE_BYTES has been raised. */
const IN_PLACE_BYTES = 10_000_000
/** Share of the time limit after which a document's reader stops and keeps the text it has so far; the rest of the time is for writing that text. */
const DOCUMENT_BUDGET = 0.6

/** Reads fetched bodies: detects their type, decodes them and extracts their content, in whichever place suits their size and type. */
export class BodyReader {
  readonly #config: CrawlerConfig
  readonly #places: ReadingPlaces
  readonly #readsPictures: boolean

  /** @param isContent whether bodies come from content such as a folder. Its pictures can be documents, while those of a website are parts of pages */
  constructor(config: CrawlerConfig, places: ReadingPlaces, isContent: boolean) {
    this.#config = config
    this.#places = places
    this.#readsPictures = isContent && places.scans !== null
  }

  /** @param deadline when the visit must end, on the {@link steadyNow} clock */
  async read(fetched: Fetched, deadline: number, options: VisitOptions): Promise<Visit> {
    const { linksOnly = false } = options
    const header = fetched.headers["content-type"]
    const content = this.#sniffed(mediaType(header), fetched)
    if (content.kind === "unsupported" || content.kind === "xml") {
      const detail = content.kind === "xml" ? `${mediaType(header)} isn't a page` : content.detail
      return { kind: "skipped", because: "unsupported-type", detail }
    }
    if (content.kind === "document")
      return await this.#readDocument(fetched, content.format, options, deadline)
    if (content.kind === "legacy") return await this.#readLegacy(fetched, content.format, options, deadline)
    const bytes = fetched.body.byteLength
    const charset = charsetParameter(header)
    // The HTML is decoded before a thread takes over the bytes. If decoding would delay other work, the HTML is left
    // out.
    const isKept = options.withHtml === true && content.kind === "html"
    const isDecodedHere = bytes <= DECODED_IN_PLACE_BYTES || isUtf8(fetched.body)
    const html = isKept && isDecodedHere ? decodeText(fetched.body, charset) : undefined
    if (linksOnly && content.kind === "html" && bytes <= IN_PLACE_BYTES && isDecodedHere) {
      // This takes less work than a round trip to a thread.
      const links = new LinkReading(decodeText(fetched.body, charset), fetched.url)
      const breathe = breather()
      while (links.step()) await breathe()
      if (!links.mayRefresh) return this.#visited(fetched, bytes, links.end())
    }
    const task = {
      url: fetched.url,
      kind: content.kind,
      contentType: mediaType(header),
      charset,
      linksOnly,
      ...(fetched.marks && { marks: fetched.marks }),
      body: fetched.body,
    }
    const isHeavy =
      bytes > THREAD_BYTES ||
      (content.kind === "text" && isHeavyText(mediaType(header), fetched.body, fetched.url))
    const pool = isHeavy ? this.#places.processes : this.#places.threads
    const visit = await this.#readInPool(pool, task, fetched, deadline, options)
    if (visit.kind !== "read" || html === undefined) return visit
    return { kind: "read", reading: { ...visit.reading, html } }
  }

  #sniffed(type: string, { body, url }: Fetched): ContentKind {
    const { scans } = this.#places
    if (!this.#readsPictures || scans === null) return sniff(type, body, url)
    const content = sniff(type, body, url, true)
    if (scans.recognition !== null || content.kind !== "document" || content.format !== "picture")
      return content
    const picture = sniff(type, body, url)
    if (picture.kind !== "unsupported") return picture
    return { ...picture, detail: `${picture.detail}; ${onceInstalled("its text", scans)}` }
  }

  /**
   * Documents are read in processes that share a memory limit, so slow documents do not hold up pages, and pages need
   * not load the libraries.
   */
  async #readDocument(
    fetched: Fetched,
    format: DocumentFormat,
    options: VisitOptions,
    deadline: number,
  ): Promise<Visit> {
    const { url, body } = fetched
    const { linksOnly = false } = options
    if (linksOnly) return this.#visited(fetched, body.byteLength, unreadDocument(url, format))
    const budgetMs = Math.round(this.#config.readTimeoutMs * DOCUMENT_BUDGET)
    const scans = format === "pdf" || format === "picture" ? this.#places.scans : null
    const hash = scans?.recognition ? scanHash(body) : null
    const recognised = scans && hash !== null ? { recognised: scans.textFile(hash) } : {}
    const task = { url, kind: "document" as const, format, budgetMs, body, ...recognised }
    const visit = await this.#readInPool(this.#places.processes, task, fetched, deadline, options)
    if (visit.kind !== "read" || scans === null) return visit
    // The process reads a copy, so the bytes are still available.
    return await withScan(visit, { scans, hash, body, source: options.scansOf })
  }

  /** Converts an Office file from before 2007 and reads the result. */
  async #readLegacy(
    fetched: Fetched,
    format: LegacyFormat,
    options: VisitOptions,
    deadline: number,
  ): Promise<Visit> {
    const { linksOnly = false, signal, timeoutMs } = options
    const { byteLength: bytes } = fetched.body
    const { converter } = this.#places
    if (linksOnly) return await this.#readDocument(fetched, becomes(format), options, deadline)
    const result = await inTime(
      (until) => converter.convert(format, fetched.body, until),
      timeoutMs === undefined ? Infinity : deadline,
      signal,
    )
    if (result.kind !== "converted") return unread(result)
    const converted = { ...fetched, body: result.body }
    const visit = await this.#readDocument(converted, becomes(format), options, deadline)
    return visit.kind === "read" ? { kind: "read", reading: { ...visit.reading, bytes } } : visit
  }

  async #readInPool(
    pool: ReaderPool,
    task: ReadBodyTask,
    fetched: Fetched,
    deadline: number,
    { signal, onReading, timeoutMs }: VisitOptions,
  ): Promise<Visit> {
    const bytes = fetched.body.byteLength
    // In a crawl a body may wait for its turn for any length of time, because other pages cause the wait.
    const until = timeoutMs === undefined ? Infinity : deadline
    const party = callerHere() ?? this
    const result = await inTime(
      (done) => pool.read(task, { signal: done, onStart: onReading, party }),
      until,
      signal,
    )
    return result.kind === "read" ? this.#visited(fetched, bytes, result.extracted) : unread(result)
  }

  /** `bytes`: the size of the body, which is no longer available once a thread has read it. */
  #visited(fetched: Fetched, bytes: number, extracted: Extracted): Visit {
    const { cutOff } = fetched
    const sent = readersHeaders(fetched.headers)
    const said = siteReaders([...sent, ...(extracted.readerTags ?? [])])
    const ownReaders = fetched.readers ? narrowedBy(fetched.readers, said.readers ?? EVERYBODY) : said.readers
    const note = [extracted.note, cutOff, said.problem ?? undefined]
      .filter((part) => part !== undefined)
      .join("; ")
    return {
      kind: "read",
      reading: {
        url: fetched.url,
        status: fetched.status,
        contentType: mediaType(fetched.headers["content-type"]),
        bytes,
        extracted: {
          ...withHeaderFacts(extracted, fetched.headers, fetched.url, this.#config.userAgent),
          ...fetched.facts,
          ...(ownReaders !== null && { ownReaders }),
          ...(note !== "" && { note }),
        },
        // Without validators, a page that was cut off is downloaded again at the next visit.
        ...(cutOff === undefined && { validators: validatorsOf(fetched.headers) }),
        ...(note !== "" && { emptyBecause: note }),
        ...(sent.length > 0 && { readersSent: readersDigest(sent) }),
      },
    }
  }
}

interface ScanOptions {
  readonly scans: ScanShelf
  /** The hash of the body; null if text recognition is not installed. */
  readonly hash: string | null
  readonly body: Uint8Array
  readonly source: string | undefined
}

/** Stores a file for text recognition if some of its pages have no text, and notes that these pages are waiting. */
async function withScan(
  visit: Extract<Visit, { kind: "read" }>,
  { scans, hash, body, source }: ScanOptions,
): Promise<Visit> {
  const { validators, ...reading } = visit.reading
  const { pictured, markdown, note } = reading.extracted
  if (pictured === undefined) return visit
  const isEmpty = markdown === ""
  const noted = (more: string) => {
    const words = note === undefined ? more : `${note}; ${more}`
    return { ...reading, extracted: { ...reading.extracted, note: words }, emptyBecause: words }
  }
  if (hash === null) {
    if (!isEmpty) return visit
    return {
      kind: "read",
      reading: { ...noted(onceInstalled("its pictures", scans)), ...(validators && { validators }) },
    }
  }
  if (source === undefined) return visit
  const isWaiting = await scans.put({ hash, pages: pictured }, { url: reading.url, source }, body)
  const pages = pictured.length === 1 ? "1 page is waiting" : `${pictured.length} pages are waiting`
  // Without validators, the next visit gets the file and its text rather than "not modified".
  return {
    kind: "read",
    reading: noted(`${pages} for text recognition${isWaiting ? "" : ", which can't take more files now"}`),
  }
}

const onceInstalled = (what: string, { install }: ScanShelf): string =>
  `${what} can be read once text recognition is installed: ${install}`

interface Late {
  readonly kind: "late" | "closed"
  readonly detail: string
}

/** The outcome of a body that could not be read. */
function unread({ kind, detail }: Exclude<ReadBodyResult, { kind: "read" }> | Late): Visit {
  if (kind === "unsupported") return { kind: "skipped", because: "unsupported-type", detail }
  if (kind === "too-large" || kind === "undecodable") return { kind: "skipped", because: kind, detail }
  const because = kind === "closed" ? "cancelled" : kind === "late" ? "timeout" : kind
  // Other pages kept the readers busy, so the next visit may well succeed.
  return { kind: "failed", because, detail, transient: kind === "late" }
}

/** Returns the result, unless the caller gives up or the visit's time runs out first. `begin` gets a signal that aborts when the caller has stopped waiting. */
function inTime<Result>(
  begin: (done: AbortSignal) => Promise<Result>,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<Result | Late> {
  const done = new AbortController()
  return new Promise<Result | Late>((resolve, reject) => {
    const abort = () => {
      resolve({ kind: "closed", detail: "the caller stopped waiting" })
    }
    const timer =
      deadline === Infinity
        ? undefined
        : setTimeout(
            () => {
              resolve({ kind: "late", detail: "the visit timed out before the page was read" })
            },
            Math.max(0, deadline - steadyNow()),
          )
    if (signal?.aborted) abort()
    signal?.addEventListener("abort", abort, { once: true })
    void begin(done.signal)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer)
        signal?.removeEventListener("abort", abort)
      })
  }).finally(() => {
    done.abort()
  })
}
