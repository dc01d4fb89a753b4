import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { garbageCollector } from "#base/process/garbage-collector.ts"
import { pause } from "#base/flow/pause.ts"
import { readSettings } from "#base/settings.ts"
import { createReader, crawlerSettings } from "#crawler"
import type { ReadResult } from "#crawler/reading.ts"
import { toPageUrl } from "#engine"
import { toPassages } from "#engine/text/passages.ts"
import { type Chance, chance } from "#base/testing/chance.ts"
import { type Effort, type Outcome, type Proof, tries } from "../proof.ts"
import { type Mutant, mutatedArchive, mutatedPage, mutatedPdf } from "./mutate.ts"
import { type RealFile, realArchives, realPages, realPdfs } from "./real-pages.ts"

const PAGES = 100_000
const PDFS = 10_000
const ARCHIVES = 5000

const ONE_THREAD_BELOW = 0.01
/** Maximum number of concurrent visits, as in a crawl. */
const AT_ONCE = 8
/** Number of pages read first. Memory must return to its level after them, because pools and caches that a process fills aren't a leak. */
const WARM_UP = 300
/**
 * Megabytes by which memory may vary, whatever was read: for the process's own heap, and for all memory that the system
 * has given it, which the allocator returns in steps (486 MB after 1000 pages, 318 after 100 more).
 */
const SLACK_MB = { heap: 24, all: 256 }
const GROWTH = 1.25
/** Time allowed per page beyond the settings' limits, for starting a reader and for waiting for a turn. */
const HANG_MS = 240_000

interface Kind {
  readonly name: string
  readonly all: number
  readonly files: () => readonly RealFile[]
  readonly mutate: (file: RealFile, other: RealFile, random: Chance) => Mutant
}

const KINDS: readonly Kind[] = [
  { name: "web pages", all: PAGES, files: realPages, mutate: mutatedPage },
  { name: "PDF files", all: PDFS, files: realPdfs, mutate: mutatedPdf },
  { name: "Office files and books", all: ARCHIVES, files: realArchives, mutate: mutatedArchive },
]

export const proof: Proof = {
  title: "Damaged pages",
  promise:
    "However broken a page is, the crawler reads it or skips it with a stated reason, within the time limit, and its memory doesn't keep growing. " +
    "Pages of manuals and of this handbook, PDF files, Office files and books are changed at random (bytes flipped, cut, duplicated, spliced; tags " +
    "repeated, nested, lost; thousands of attributes; wrong encodings and media types; entities, control characters, damaged structured data). " +
    "A server serves them, and they are visited just as the crawler visits pages: in its threads and processes, and within its limits.",
  run,
}

async function run(effort: Effort): Promise<Outcome> {
  const faults: string[] = []
  const rows: (string | number)[][] = []
  for (const kind of KINDS) {
    const { read, left, late, largest, before, after } = await readAll(kind, effort, faults)
    const memory = [before, after].map(({ heap, all }) => `${heap} of ${all} MB`)
    rows.push([
      kind.name,
      read + left + late,
      read,
      left,
      late,
      `${(largest / 1000).toFixed(1)} s`,
      ...memory,
    ])
  }
  const columns = [
    "type",
    "visited",
    "read",
    "skipped with a reason",
    "timed out",
    "slowest",
    "heap and memory, before",
    "after",
  ]
  return { columns, rows, faults }
}

async function readAll(kind: Kind, effort: Effort, faults: string[]) {
  const files = kind.files()
  const mutantOf = (number: number): Mutant => {
    // Each page has its own seed, so that it can be made again without the ones before it.
    const random = chance(effort.seed * 1_000_003 + number)
    return kind.mutate(random.one(files), random.one(files), random)
  }
  await using server = await serve(mutantOf)
  const sum = { read: 0, left: 0, late: 0, largest: 0 }
  const visit = async (reader: ReturnType<typeof createReader>, number: number) => {
    const started = performance.now()
    let result: ReadResult | Error | "hangs"
    const tooLong = new AbortController()
    try {
      const hangs = pause(HANG_MS, tooLong.signal).then(() => "hangs" as const)
      result = await Promise.race([reader.read(server.url(number)), hangs])
    } catch (error) {
      result = error instanceof Error ? error : new Error(String(error))
    }
    tooLong.abort()
    sum.largest = Math.max(sum.largest, performance.now() - started)
    const wrong = whatIsWrong(result)
    if (wrong !== null) {
      faults.push(`${kind.name}, seed ${effort.seed}, number ${number} (${mutantOf(number).made}): ${wrong}`)
      effort.tell(faults.at(-1)!)
    }
    if (result instanceof Error || result === "hangs") return
    if (result.kind === "read") sum.read += 1
    else if (result.kind === "failed" && result.because === "timeout") sum.late += 1
    else sum.left += 1
  }
  const all = tries(effort, kind.all, 4)
  const warm = Math.min(WARM_UP, Math.ceil(all / 10))
  const settings = {
    FOSSICK_ALLOWED_NETWORKS: server.authority,
    // A second thread takes longer to start than it saves in a short run.
    ...(effort.scale < ONE_THREAD_BELOW && { FOSSICK_READER_THREADS: "1" }),
  }
  await visitAll(0, warm, visit, settings)
  const before = await memoryMb()
  await visitAll(warm, all, visit, settings, (at) => effort.tell(`${kind.name}: ${at} of ${all}`))
  const after = await memoryMb()
  for (const what of ["heap", "all"] as const)
    if (after[what] > before[what] * GROWTH + SLACK_MB[what])
      faults.push(
        `${kind.name}: memory (${what}) ${before[what]} MB before ${all - warm} visits, ${after[what]} after`,
      )
  const processes = process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap").length
  if (processes > 0) faults.push(`${kind.name}: ${processes} processes are left`)
  return { ...sum, before, after }
}

/** Uses a separate reader, which is closed afterwards. */
async function visitAll(
  from: number,
  end: number,
  visit: (reader: ReturnType<typeof createReader>, number: number) => Promise<void>,
  settings: Readonly<Record<string, string>>,
  tell?: (at: number) => void,
): Promise<void> {
  await using reader = createReader(readSettings(crawlerSettings, settings))
  let next = from
  const one = async () => {
    while (next < end) {
      const number = next++
      if (number % 1000 === 0) tell?.(number)
      await visit(reader, number)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
}

async function serve(mutantOf: (number: number) => Mutant) {
  // The server shares an event loop with the reader: on a busy machine it would close a connection that the reader is
  // about to use.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const number = Number(/^\/page\/(\d+)$/.exec(request.url ?? "")?.[1] ?? Number.NaN)
    if (Number.isNaN(number)) return void response.writeHead(404).end()
    const { bytes, type } = mutantOf(number)
    response.writeHead(200, { "Content-Length": bytes.length, ...(type !== "" && { "Content-Type": type }) })
    return void response.end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const authority = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    authority,
    url: (number: number) => `http://${authority}/page/${number}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Error messages of the language itself, which a reader with a bug reports. */
const BUG =
  /is not (?:a function|iterable|defined|a constructor)|Cannot read propert|Cannot access|Cannot convert|Maximum call stack|Invalid (?:array|string) length|out of (?:range|bounds)|toISOString|Invalid time value|Assertion/
/** The results allowed for any of these pages; anything else would be a fault in the reader. */
const MAY_BE = new Set(["unsupported-type", "too-large", "timeout", "unreadable"])

/** Why a visit did not end as promised; null when it did. */
export function whatIsWrong(result: ReadResult | Error | "hangs"): string | null {
  if (result === "hangs") return `it did not finish in ${HANG_MS / 1000} s`
  if (result instanceof Error) return `it threw ${result.stack}`
  if (result.kind === "postponed") return "its visit was postponed"
  if (result.kind !== "read") {
    const { because, detail = "" } = result
    return MAY_BE.has(because) && !BUG.test(detail) ? null : `${because}: ${detail}`
  }
  const { extracted } = result.reading
  const { title, markdown, links, images, publishedAt, language, canonical, favicon, feeds } = extracted
  const addresses = [
    ...links.map(({ url }) => url),
    ...images.map(({ url }) => url),
    ...feeds,
    canonical,
    favicon,
  ]
  const odd = addresses.find(
    (url) => url !== null && toPageUrl(url) === null && !url.startsWith("data:image/"),
  )
  if (odd !== undefined) return `it gives ${odd} as an address`
  // The escape that JSON uses for half a surrogate pair, and for nothing else.
  const half = /.{0,20}(?<!\\)\\ud[89a-f].{0,20}/i.exec(JSON.stringify(extracted))
  if (half !== null) return `half a character: ${half[0]}`
  if (`${title}${markdown}`.includes("\0")) return "its text holds U+0000"
  if (publishedAt !== null && Number.isNaN(publishedAt.getTime())) return "its date is invalid"
  if (language !== null && !/^[a-z]{2,3}$/.test(language)) return `its language is ${language}`
  // The index stores passages, so check those too.
  for (const { text } of toPassages(markdown))
    if (!text.isWellFormed()) return "a passage isn't valid Unicode"
  return null
}

/** Memory used by this process and its threads, after garbage collection. */
async function memoryMb() {
  const collect = garbageCollector()
  for (let round = 0; round < 3; round++) {
    collect()
    // oxlint-disable-next-line no-await-in-loop -- what ends a thread is done between two rounds
    await pause(300)
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: Math.round((heapUsed + external) / 1e6), all: Math.round(rss / 1e6) }
}
