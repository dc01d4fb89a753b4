import { existsSync, rmSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { crc32 } from "node:zlib"
import { expressionBuilder, type Selectable, sql, type Updateable } from "kysely"
import { makeFolder } from "#base/folder.ts"
import type { PageUrl } from "#engine"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { listedNumbers } from "#base/store/query/words.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { type ImageTables, migrateImages, UNREAD } from "./image-schema.ts"
import type { Junk, Look } from "./read-image.ts"

/** An image on at least this many pages, and on more than half of its site's, is part of the design. */
const FIXTURE_PAGES = 4
const MAX_TRIES = 3
/** The longest pause for an image or a host. A due time further in the future was set while the clock was ahead, so the image is treated as due. */
const MAX_REST_MS = 24 * 3_600_000
const isDue = (now: number) => {
  const eb = expressionBuilder<ImageTables, "image">()
  return eb.or([eb("due", "<=", now), eb("due", ">", now + MAX_REST_MS)])
}

const pagesOfSite = once((q: Queries<ImageTables>, { site }: { site: string }) =>
  q.selectFrom("image_site").select("pages").where("site", "=", site),
)
const onSite = once((q: Queries<ImageTables>, { url, site }: { url: string; site: string }) =>
  q
    .selectFrom("image")
    .leftJoin("image_use", (join) => join.onRef("image_use.image", "=", "image.id").on("site", "=", site))
    .select(["id", "state", "width", "height", "format", "bytes", "frames", "hash", "junk", "pages"])
    .where("url", "=", url),
)

const TAKEN = ["id", "url", "host", "tries"] as const

/** The known facts about an image on a page. */
export type ImageFacts =
  | ({ readonly state: "read"; readonly id: number } & Look)
  /** The image is not content: because of its kind, because it is on most pages of the site, or because it doesn't exist. */
  | { readonly state: "junk"; readonly because: Junk | "fixture" | "broken" }
  /** The image was not examined, or may not be. */
  | { readonly state: "unread" }

/** An image to examine. */
export interface UnreadImage {
  readonly id: number
  readonly url: PageUrl
  readonly host: string
  /** The sources whose pages contain the image. */
  readonly sources: readonly string[]
  readonly tries: number
}

/**
 * The facts about the images on indexed pages, in `state.db`, and their thumbnails, in `images/` in the data folder. An
 * image without a state has yet to be examined, so nothing has to be queued, and nothing is left behind if a process is
 * lost.
 */
export class ImageStore {
  readonly #folder: string
  readonly #db: StateStore
  readonly #queries: Queries<ImageTables>

  constructor(db: StateStore, dataDir: string) {
    this.#db = db
    this.#queries = queriesOf(db)
    this.#folder = join(dataDir, "images")
    migrateImages(db)
  }

  /** Marks every image to be examined again if the thumbnail folder is missing: the folder can be deleted at any time. */
  async remakeLost(): Promise<void> {
    if (existsSync(this.#folder)) return
    await this.#queries.updateTable("image").set(UNREAD).where("state", "=", "read").execute()
  }

  /** Whether an image was examined, and so has a thumbnail. */
  async isRead(id: number): Promise<boolean> {
    return (await this.#read(id).executeTakeFirst()) !== undefined
  }

  /**
   * Marks images to be examined again, except those in the table `held` (`id`). Runs in the caller's transaction.
   * @returns the number of images
   */
  async lookAgain(held: string): Promise<number> {
    const { numUpdatedRows } = await this.#queries
      .updateTable("image")
      .set(UNREAD)
      .where("state", "=", "read")
      .where("id", "not in", sql<number>`(select id from ${sql.table(held)})`)
      .executeTakeFirst()
    return Number(numUpdatedRows)
  }

  /** Whether there are images to examine now, or to delete. */
  async hasWork(now = Date.now()): Promise<boolean> {
    return (
      (await this.#due(now).select("id").limit(1).executeTakeFirst()) !== undefined ||
      (await this.#unused().limit(1).executeTakeFirst()) !== undefined
    )
  }

  /** Hosts with images to examine. */
  async unreadHosts(now = Date.now()): Promise<string[]> {
    return (await this.#due(now).select("host").distinct().execute()).map(({ host }) => host)
  }

  /** The host's next image, in the order of the images' positions on their pages. Counts an attempt for it. */
  async nextUnread(host: string, now = Date.now()): Promise<UnreadImage | null> {
    const row = await this.#due(now)
      .select(TAKEN)
      .where("host", "=", host)
      .orderBy("rank")
      .orderBy("id")
      .limit(1)
      .executeTakeFirst()
    return row ? ((await this.#taken(row)) ?? (await this.nextUnread(host, now))) : null
  }

  /** The next image that a process was examining when it crashed; it is examined alone so that it affects no other image. */
  async nextSuspect(): Promise<UnreadImage | null> {
    const row = await this.#queries
      .selectFrom("image")
      .select(TAKEN)
      .where("state", "is", null)
      .where("due", "=", 0)
      .where("tries", ">", 0)
      .orderBy("id")
      .limit(1)
      .executeTakeFirst()
    return row ? ((await this.#taken(row)) ?? (await this.nextSuspect())) : null
  }

  async #taken(
    row: Pick<Selectable<ImageTables["image"]>, (typeof TAKEN)[number]>,
  ): Promise<UnreadImage | null> {
    const { id } = row
    if (row.tries >= MAX_TRIES) {
      await this.recordFailure(id, "unreadable", "it repeatedly crashed its process")
      return null
    }
    const tries = row.tries + 1
    // Counted before examining the image, so that an image that crashes the process isn't retried forever.
    await this.#update(id, { tries })
    const of = this.#queries.selectFrom("image_source").select("source").where("image", "=", id)
    const sources = (await of.orderBy("source").execute()).map(({ source }) => source)
    return { ...row, url: row.url as PageUrl, sources, tries }
  }

  /** Stores the result. The thumbnail is written first, so that it exists when the result becomes visible. */
  async recordLook(id: number, look: Look, thumbnail: Uint8Array): Promise<void> {
    const path = this.thumbnailPath(id)
    makeFolder(dirname(path))
    writeFileSync(path, thumbnail)
    const { width, height, format, bytes, frames, hash, junk } = look
    const seen = { width, height, format, bytes, frames, hash, junk }
    await this.#update(id, {
      ...seen,
      state: "read",
      looked_at: Date.now(),
      thumbnail_sum: crc32(thumbnail),
    })
  }

  /** `broken`: there is no image. `unreadable`: there may be one, but we can't or may not read it. */
  async recordFailure(id: number, state: "broken" | "unreadable", detail: string): Promise<void> {
    await this.#update(id, { state, detail: detail.slice(0, 500), looked_at: Date.now() })
  }

  /** Postpones an image for a time, at most {@link MAX_TRIES} times in all. */
  async postpone(image: UnreadImage, ms: number, detail: string): Promise<void> {
    if (image.tries >= MAX_TRIES) await this.recordFailure(image.id, "unreadable", detail)
    else await this.#update(image.id, { due: Date.now() + Math.min(ms, MAX_REST_MS) })
  }

  /** Subtracts an attempt that wasn't made or was interrupted. */
  async giveBack({ id }: UnreadImage): Promise<void> {
    await this.#queries
      .updateTable("image")
      .set((eb) => ({ tries: eb("tries", "-", 1) }))
      .where("id", "=", id)
      .execute()
  }

  /** Pauses a whole host for a time. */
  async postponeHost(host: string, ms: number): Promise<void> {
    await this.#queries
      .updateTable("image")
      .set({ due: Date.now() + Math.min(ms, MAX_REST_MS) })
      .where("host", "=", host)
      .where("state", "is", null)
      .execute()
  }

  /** Removes images that are no longer on any page; deletes the thumbnails first, so that none remains without its row. */
  async sweep(): Promise<void> {
    for (const { id } of await this.#unused().execute()) {
      rmSync(this.thumbnailPath(id), { force: true })
      const unused = this.#queries.deleteFrom("image").where("id", "=", id).where("uses", "=", 0)
      // The image might have reappeared in the meantime; it is then examined again.
      if ((await unused.executeTakeFirst()).numDeletedRows === 0n) await this.#update(id, UNREAD)
    }
  }

  /** The known facts about images on a page of this site, by address. */
  async facts(urls: readonly string[], pageUrl: string): Promise<Map<string, ImageFacts>> {
    const { host: site } = new URL(pageUrl)
    const sitePages = (await pagesOfSite.get(this.#db, { site }))?.pages ?? 0
    const facts = new Map<string, ImageFacts>()
    for (const url of urls) {
      const row = await onSite.get(this.#db, { url, site })
      if (!row) continue
      const { pages, ...image } = row
      const fixture = pages !== null && pages >= FIXTURE_PAGES && pages * 2 > sitePages
      facts.set(url, factsOf(image as ImageOnSite, fixture))
    }
    return facts
  }

  /** The path of an image's thumbnail: WebP, at most 320 pixels per side. */
  thumbnailPath(id: number): string {
    return join(this.#folder, thumbnailName(id))
  }

  /** The thumbnail of an image; `null` if it is missing or differs from the one written, in which case the image is examined again. */
  async thumbnail(id: number): Promise<Buffer | null> {
    const image = await this.#read(id).executeTakeFirst()
    if (image === undefined) return null
    const read = await readThumbnail(this.thumbnailPath(id), image.thumbnail_sum)
    if ("bytes" in read) return read.bytes
    await this.makeAgain([id])
    return null
  }

  /** Recreates thumbnails that are missing or damaged. */
  async makeAgain(ids: readonly number[]): Promise<void> {
    await this.#queries
      .updateTable("image")
      .set(UNREAD)
      .where("id", "in", listedNumbers(ids))
      .where("state", "=", "read")
      .execute()
  }

  #due(now: number) {
    return this.#queries.selectFrom("image").where("state", "is", null).where(isDue(now))
  }

  #unused() {
    return this.#queries.selectFrom("image").select("id").where("uses", "=", sql.lit(0))
  }

  #read(id: number) {
    return this.#queries
      .selectFrom("image")
      .select("thumbnail_sum")
      .where((eb) => eb.and({ id, state: "read" }))
  }

  async #update(id: number, columns: Updateable<ImageTables["image"]>): Promise<void> {
    await this.#queries.updateTable("image").set(columns).where("id", "=", id).execute()
  }
}

/** A thumbnail that is missing or differs from the one written. */
export interface DamagedThumbnail {
  readonly id: number
  /** Path relative to the data folder. */
  readonly file: string
  /** The end of a sentence whose subject is the file. */
  readonly damage: string
}

/** Finds thumbnails that differ from those written. Reads all of them and changes nothing. */
export async function damagedThumbnails(db: StateStore, dataDir: string): Promise<DamagedThumbnail[]> {
  const found: DamagedThumbnail[] = []
  const images = queriesOf<ImageTables>(db).selectFrom("image").select(["id", "thumbnail_sum"])
  for await (const { id, thumbnail_sum: sum } of images.where("state", "=", "read").stream()) {
    const file = join("images", thumbnailName(id))
    const read = await readThumbnail(join(dataDir, file), sum)
    if ("damage" in read) found.push({ id, file, damage: read.damage })
  }
  return found
}

async function readThumbnail(
  path: string,
  sum: number | null,
): Promise<{ readonly bytes: Buffer } | { readonly damage: string }> {
  let bytes
  try {
    bytes = await readFile(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { damage: code === "ENOENT" ? "is missing" : `cannot be read (${code})` }
  }
  if (bytes.length === 0 || sum !== crc32(bytes)) return { damage: "differs from what was written" }
  return { bytes }
}

const thumbnailName = (id: number): string => join((id % 256).toString(16).padStart(2, "0"), `${id}.webp`)

/** The fields of {@link Look} are set once `state` is `read`. */
type ImageOnSite = { readonly id: number; readonly state: string | null } & Look

function factsOf({ state, ...look }: ImageOnSite, fixture: boolean): ImageFacts {
  if (fixture) return { state: "junk", because: "fixture" }
  if (state === "broken") return { state: "junk", because: state }
  if (state !== "read") return { state: "unread" }
  return look.junk === null ? { state, ...look } : { state: "junk", because: look.junk }
}
