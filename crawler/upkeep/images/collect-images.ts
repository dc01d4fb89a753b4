import type { PageUrl } from "#engine"
import { steadyNow } from "#base/steady-time.ts"
import { mediaType } from "../../page/headers/media-type.ts"
import type { CrawlerConfig } from "../../settings.ts"
import type { FetchResult } from "../../fetch/fetch.ts"
import type { PageReader } from "../../fetch/visit/reader.ts"
import { REFUSED } from "./image-notes.ts"
import type { ImageStore, UnreadImage } from "./image-store.ts"
import { readImage } from "./read-image.ts"
import { FairPool } from "#base/flow/fair-pool.ts"
import { pause } from "#base/flow/pause.ts"

/** The maximum file size; larger files aren't downloaded completely. */
const MAX_BYTES = 10_000_000
/** The number of images fetched and read at the same time, across all hosts. */
const CONCURRENCY = 4
/** How long to wait before retrying an image after a temporary failure, or a host that doesn't respond. */
const PAUSE_MS = 3_600_000
/** The number of consecutive failures after which a host is paused. */
const HOST_FAILURES = 3

export interface CollectImagesOptions {
  readonly store: ImageStore
  /** Readers that may reach an image, each with its own address guard: if one isn't allowed to, the next is tried. */
  readonly readersFor: (image: UnreadImage) => Promise<readonly PageReader[]>
  readonly config: CrawlerConfig
  /** Stops the work; images in progress are abandoned. */
  readonly signal: AbortSignal
}

/** Examines every due image, at the pace of each host, and deletes images that are no longer on any page. */
export async function collectImages(options: CollectImagesOptions): Promise<void> {
  const { store, signal } = options
  const slots = new FairPool("images", { places: CONCURRENCY })
  await store.sweep()
  while (!signal.aborted) {
    const image = await store.nextSuspect()
    if (image === null) break
    const { pauseMs } = await collectImage(image, options)
    if (signal.aborted) await store.giveBack(image)
    await pause(pauseMs, signal)
  }
  for (
    let hosts = await store.unreadHosts();
    hosts.length > 0 && !signal.aborted;
    hosts = await store.unreadHosts()
  ) {
    await Promise.all(hosts.map((host) => collectHost(host, slots, options)))
  }
}

async function collectHost(host: string, slots: FairPool, options: CollectImagesOptions): Promise<void> {
  const { store, signal } = options
  /** The key for the host's turns: hosts take turns. */
  const party = {}
  let failures = 0
  for (let image = await store.nextUnread(host); image; image = await store.nextUnread(host)) {
    const next = image
    const collected = await slots.run(() => (signal.aborted ? null : collectImage(next, options)), {
      key: party,
    })
    if (collected === null || signal.aborted) {
      await store.giveBack(image)
      return
    }
    failures = collected.answered ? 0 : failures + 1
    if (failures >= HOST_FAILURES) await store.postponeHost(host, PAUSE_MS)
    await pause(collected.pauseMs, signal)
    if (signal.aborted) return
  }
}

/** What was learned about a host by fetching one image. */
interface Collected {
  readonly answered: boolean
  /** How long to wait before the next request to the host. */
  readonly pauseMs: number
}

async function collectImage(image: UnreadImage, options: CollectImagesOptions): Promise<Collected> {
  const { store, signal } = options
  let fetched: Fetching | null = null
  for (const reader of await options.readersFor(image)) {
    fetched = await fetchImage(image, reader, options)
    if (fetched.result.kind !== "failed" || fetched.result.because !== "blocked-address") break
  }
  if (fetched === null) throw new Error("nobody may read the image")
  const { result, pauseMs } = fetched
  if (signal.aborted) return { answered: true, pauseMs }
  switch (result.kind) {
    case "fetched":
      await look(image, result.body, store)
      return { answered: true, pauseMs }
    case "skipped":
      await store.recordFailure(
        image.id,
        result.because === "unsupported-type" ? "broken" : "unreadable",
        `${result.because}: ${result.detail ?? ""}`,
      )
      return { answered: true, pauseMs: result.because === "robots" ? 0 : pauseMs }
    case "postponed":
      await store.postpone(image, result.until.getTime() - steadyNow(), "the site asked to come back later")
      await store.postponeHost(image.host, result.until.getTime() - steadyNow())
      return { answered: true, pauseMs }
    case "failed": {
      const gone = /answered (?:404|410)$/.test(result.detail)
      if (result.transient) await store.postpone(image, PAUSE_MS, result.detail)
      else {
        const refused = result.because === "blocked-address" ? REFUSED : ""
        await store.recordFailure(image.id, gone ? "broken" : "unreadable", `${refused}${result.detail}`)
      }
      return { answered: result.because === "http-status" || result.because === "blocked-address", pauseMs }
    }
    default:
      throw new Error(`${image.url} answered 304 to a request without validators`)
  }
}

interface Fetching {
  readonly result: FetchResult
  readonly pauseMs: number
}

async function fetchImage(
  { url }: UnreadImage,
  reader: PageReader,
  { config, signal }: CollectImagesOptions,
): Promise<Fetching> {
  const pauseMs = await pauseOf(url, reader, config)
  const refused = await reader.disallowed(url)
  const result =
    refused ??
    (await reader.fetch(url, {
      accepts: isImageType,
      accept: "image/avif,image/webp,image/*;q=0.8",
      maxBytes: Math.min(MAX_BYTES, config.maxBytes),
      onRedirect: (to) => reader.disallowed(to),
      signal,
    }))
  return { result, pauseMs }
}

async function look(image: UnreadImage, body: Uint8Array, store: ImageStore): Promise<void> {
  try {
    const { look: seen, thumbnail } = await readImage(body)
    await store.recordLook(image.id, seen, thumbnail)
  } catch (error) {
    await store.recordFailure(image.id, "unreadable", (error as Error).message)
  }
}

// Servers name images as they like; the bytes show the type.
function isImageType(type: string): boolean {
  return type === "" || /^(?:image\/|application\/octet-stream$|binary\/octet-stream$)/.test(mediaType(type))
}

async function pauseOf(url: PageUrl, reader: PageReader, config: CrawlerConfig): Promise<number> {
  if (reader.isOwnHost(url)) return 0
  const asked = config.robots ? await reader.crawlDelayMs(url) : null
  return Math.max(config.hostDelayMs, asked ?? 0)
}
