import { existsSync, rmSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { crc32 } from "node:zlib"
import { makeFolder } from "#base/folder.ts"
import type { PageUrl } from "#engine"
import { prepareOnce, type StateStore } from "#base/store/state-store.ts"
import { migrateImages } from "./image-schema.ts"
import type { Junk, Look } from "./read-image.ts"

/** On at least this many pages, and on more than half of its site's, an image belongs to the design. */
const FIXTURE_PAGES = 4
const MAX_TRIES = 3
/** Longest rest of an image or a host. What is put off for longer was so while the clock was ahead, and is due. */
const MAX_REST_MS = 24 * 3_600_000
const isDue = (now: string): string => `(due <= ${now} or due > cast(${now} as integer) + ${MAX_REST_MS})`

/** What is known of an image on a page. */
export type ImageFacts =
  | ({ readonly state: "read"; readonly id: number } & Look)
  /** No content: for what it is, or since it stands on most pages of the site, or is not there at all. */
  | { readonly state: "junk"; readonly because: Junk | "fixture" | "broken" }
  /** Nobody has looked, or may. */
  | { readonly state: "unread" }

/** An image to look at. */
export interface UnreadImage {
  readonly id: number
  readonly url: PageUrl
  readonly host: string
  /** Whose pages carry it. */
  readonly sources: readonly string[]
  readonly tries: number
}

/**
 * What is known of the images that indexed pages carry, in `state.db`, and their thumbnails, in `images/` of the data
 * folder. An image without a state is one to look at, so nothing has to be queued and a lost process leaves nothing
 * behind.
 */
export class ImageStore {
  readonly #folder: string
  readonly #prepare: ReturnType<typeof prepareOnce>

  constructor(db: StateStore, dataDir: string) {
    this.#prepare = prepareOnce(db)
    this.#folder = join(dataDir, "images")
    migrateImages(db)
  }

  /** Has every image looked at again when the folder of thumbnails is gone: it may be deleted at any time. */
  async remakeLost(): Promise<void> {
    if (existsSync(this.#folder)) return
    await this.#prepare("update image set state = null, tries = 0, due = 0 where state = 'read'").run()
  }

  /** Whether an image was looked at, and so has a thumbnail. */
  async isRead(id: number): Promise<boolean> {
    return (await this.#prepare("select 1 from image where id = ? and state = 'read'").get(id)) !== undefined
  }

  /**
   * Has images looked at again, but those that the table `held` names (`id`). Runs in the caller's transaction.
   * @returns how many
   */
  async lookAgain(held: string): Promise<number> {
    const { changes } = await this.#prepare(
      `update image set state = null, tries = 0, due = 0 where state = 'read' and id not in (select id from ${held})`,
    ).run()
    return Number(changes)
  }

  /** Whether there is something to look at now, or something to sweep. */
  async hasWork(now = Date.now()): Promise<boolean> {
    return (
      (await this.#prepare(`select 1 from image where state is null and ${isDue("?1")} limit 1`).get(now)) !==
        undefined || (await this.#prepare("select 1 from image where uses = 0 limit 1").get()) !== undefined
    )
  }

  /** Hosts with images to look at. */
  async unreadHosts(now = Date.now()): Promise<string[]> {
    return (
      await this.#prepare(`select distinct host from image where state is null and ${isDue("?1")}`).all(now)
    ).map(({ host }) => String(host))
  }

  /** The next images of a host, those that come first on their pages first. Counts a try for each. */
  async nextUnread(host: string, now = Date.now()): Promise<UnreadImage | null> {
    const row = await this.#prepare(
      `select id, url, host, tries from image where state is null and host = ?2 and ${isDue("?1")} order by rank, id limit 1`,
    ).get(now, host)
    return row ? ((await this.#taken(row)) ?? (await this.nextUnread(host, now))) : null
  }

  /** The next of those that a process was at when it ended by itself: looked at alone, it takes no other along. */
  async nextSuspect(): Promise<UnreadImage | null> {
    const row = await this.#prepare(
      "select id, url, host, tries from image where state is null and due = 0 and tries > 0 order by id limit 1",
    ).get()
    return row ? ((await this.#taken(row)) ?? (await this.nextSuspect())) : null
  }

  async #taken(row: Readonly<Record<string, unknown>>): Promise<UnreadImage | null> {
    if (Number(row["tries"]) >= MAX_TRIES) {
      await this.recordFailure(Number(row["id"]), "unreadable", "it took its process down again and again")
      return null
    }
    // Before it is looked at: an image that takes the process down is not tried for ever.
    await this.#prepare("update image set tries = tries + 1 where id = ?").run(Number(row["id"]))
    return {
      id: Number(row["id"]),
      url: row["url"] as PageUrl,
      host: String(row["host"]),
      sources: (
        await this.#prepare("select source from image_source where image = ? order by source").all(
          Number(row["id"]),
        )
      ).map(({ source }) => String(source)),
      tries: Number(row["tries"]) + 1,
    }
  }

  /** Keeps what was seen. The thumbnail is there before anybody can know of it. */
  async recordLook(id: number, look: Look, thumbnail: Uint8Array): Promise<void> {
    const path = this.thumbnailPath(id)
    makeFolder(dirname(path))
    writeFileSync(path, thumbnail)
    await this.#prepare(
      `update image set state = 'read', width = ?, height = ?, format = ?, bytes = ?, frames = ?, hash = ?, junk = ?,
         looked_at = ?, thumbnail_sum = ? where id = ?`,
    ).run(
      look.width,
      look.height,
      look.format,
      look.bytes,
      look.frames,
      look.hash,
      look.junk,
      Date.now(),
      crc32(thumbnail),
      id,
    )
  }

  /** `broken`: there is no image. `unreadable`: there may be one, which we cannot or may not look at. */
  async recordFailure(id: number, state: "broken" | "unreadable", detail: string): Promise<void> {
    await this.#prepare("update image set state = ?, detail = ?, looked_at = ? where id = ?").run(
      state,
      detail.slice(0, 500),
      Date.now(),
      id,
    )
  }

  /** Leaves an image alone for a time, {@link MAX_TRIES} times in all. */
  async postpone(image: UnreadImage, ms: number, detail: string): Promise<void> {
    if (image.tries >= MAX_TRIES) await this.recordFailure(image.id, "unreadable", detail)
    else
      await this.#prepare("update image set due = ? where id = ?").run(
        Date.now() + Math.min(ms, MAX_REST_MS),
        image.id,
      )
  }

  /** Gives a try back that was not made, or was cut short. */
  async giveBack({ id }: UnreadImage): Promise<void> {
    await this.#prepare("update image set tries = tries - 1 where id = ?").run(id)
  }

  /** Leaves a whole host alone for a time. */
  async postponeHost(host: string, ms: number): Promise<void> {
    await this.#prepare("update image set due = ? where host = ? and state is null").run(
      Date.now() + Math.min(ms, MAX_REST_MS),
      host,
    )
  }

  /** Removes images that no page carries any more, thumbnails first, so that none is left without its row. */
  async sweep(): Promise<void> {
    for (const { id } of await this.#prepare("select id from image where uses = 0").all()) {
      rmSync(this.thumbnailPath(Number(id)), { force: true })
      // It may have come back meanwhile; then it is looked at once more.
      const { changes } = await this.#prepare("delete from image where id = ? and uses = 0").run(Number(id))
      if (changes === 0)
        await this.#prepare("update image set state = null, tries = 0, due = 0 where id = ?").run(Number(id))
    }
  }

  /** What is known of images on a page of this site, by address. */
  async facts(urls: readonly string[], pageUrl: string): Promise<Map<string, ImageFacts>> {
    const { host: site } = new URL(pageUrl)
    const sitePages = Number(
      (await this.#prepare("select pages from image_site where site = ?").get(site))?.["pages"] ?? 0,
    )
    const select = this.#prepare(
      `select id, state, width, height, format, bytes, frames, hash, junk, pages
       from image left join image_use on image = id and site = ? where url = ?`,
    )
    const facts = new Map<string, ImageFacts>()
    for (const url of urls) {
      const row = await select.get(site, url)
      if (!row) continue
      const pages = Number(row["pages"] ?? 0)
      const fixture = pages >= FIXTURE_PAGES && pages * 2 > sitePages
      facts.set(url, factsOf(row, fixture))
    }
    return facts
  }

  /** Where the thumbnail of an image lies: WebP, 320 pixels at most on a side. */
  thumbnailPath(id: number): string {
    return join(this.#folder, thumbnailName(id))
  }

  /** The thumbnail of an image; null when it is gone, or holds other bytes than were written. Then the image is looked at again. */
  async thumbnail(id: number): Promise<Buffer | null> {
    const sum = await this.#prepare(
      "select thumbnail_sum as sum from image where id = ? and state = 'read'",
    ).get(id)
    if (sum === undefined) return null
    const read = await readThumbnail(this.thumbnailPath(id), Number(sum["sum"]))
    if ("bytes" in read) return read.bytes
    await this.makeAgain([id])
    return null
  }

  /** Has thumbnails made again that are gone or damaged. */
  async makeAgain(ids: readonly number[]): Promise<void> {
    const forget = this.#prepare(
      "update image set state = null, tries = 0, due = 0 where id = ? and state = 'read'",
    )
    for (const id of ids) await forget.run(id)
  }
}

/** A thumbnail that is gone, or holds other bytes than were written. */
export interface DamagedThumbnail {
  readonly id: number
  /** Path in the data folder. */
  readonly file: string
  /** Going on a sentence whose subject is the file. */
  readonly damage: string
}

/** The thumbnails that are not as they were written. It reads all of them, and changes nothing. */
export async function damagedThumbnails(db: StateStore, dataDir: string): Promise<DamagedThumbnail[]> {
  const found: DamagedThumbnail[] = []
  for await (const row of db
    .prepare("select id, thumbnail_sum as sum from image where state = 'read'")
    .iterate()) {
    const id = Number(row["id"])
    const file = join("images", thumbnailName(id))
    const read = await readThumbnail(join(dataDir, file), Number(row["sum"]))
    if ("damage" in read) found.push({ id, file, damage: read.damage })
  }
  return found
}

async function readThumbnail(
  path: string,
  sum: number,
): Promise<{ readonly bytes: Buffer } | { readonly damage: string }> {
  let bytes
  try {
    bytes = await readFile(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { damage: code === "ENOENT" ? "is missing" : `cannot be read (${code})` }
  }
  if (bytes.length === 0 || sum !== crc32(bytes)) return { damage: "holds other bytes than were written" }
  return { bytes }
}

const thumbnailName = (id: number): string => join((id % 256).toString(16).padStart(2, "0"), `${id}.webp`)

function factsOf(row: Readonly<Record<string, unknown>>, fixture: boolean): ImageFacts {
  if (fixture) return { state: "junk", because: "fixture" }
  if (row["state"] === "broken") return { state: "junk", because: "broken" }
  if (row["state"] !== "read") return { state: "unread" }
  if (row["junk"] !== null) return { state: "junk", because: row["junk"] as Junk }
  return {
    state: "read",
    id: Number(row["id"]),
    width: Number(row["width"]),
    height: Number(row["height"]),
    format: String(row["format"]),
    bytes: Number(row["bytes"]),
    frames: Number(row["frames"]),
    hash: String(row["hash"]),
    junk: null,
  }
}
