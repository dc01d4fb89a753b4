import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { cp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"

import { pause } from "#base/flow/pause.ts"
import { freePort } from "#base/testing/free-port.ts"
import { until } from "#base/testing/until.ts"
import { picture } from "#crawler/testing/pictures.ts"
import { article, bytes, html, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"
import { rareWord } from "#engine/testing/pages.ts"
import { Appliance } from "../kills/appliance.ts"

const PAGES = 8
const ADMIN_KEY = "the-key-of-the-operator-of-this-proof"
const SOURCE = "harbours"
const LOOK_MS = 100
/** Time within which a crawl of a few pages finishes, even on a busy machine. */
const CRAWLED_MS = 120_000

/** The ways to damage a file. */
export type Harm = "a flipped byte" | "cut in half" | "removed"
export const HARMS: readonly Harm[] = ["a flipped byte", "cut in half", "removed"]

/** The files of an appliance filled by a real crawl, and the answers expected from them. */
export class Stores implements AsyncDisposable {
  readonly #held: AsyncDisposableStack
  readonly #env: Readonly<Record<string, string>>
  readonly #folder: string
  readonly #site: TestSite
  /** A key created before the copy was made. */
  readonly key: string

  private constructor(parts: {
    held: AsyncDisposableStack
    env: Readonly<Record<string, string>>
    folder: string
    site: TestSite
    key: string
  }) {
    this.#held = parts.held
    this.#env = parts.env
    this.#folder = parts.folder
    this.#site = parts.site
    this.key = parts.key
  }

  /**
   * Starts an appliance, lets it crawl, fetch images, and create a key and a backup, and stops it.
   * @param more more settings, for this appliance and for those on copies
   */
  static async fill(more: Readonly<Record<string, string>> = {}): Promise<Stores> {
    await using opened = new AsyncDisposableStack()
    const folder = opened.adopt(mkdtempSync(join(tmpdir(), "fossick-stores-")), (path) =>
      rmSync(path, { recursive: true, force: true }),
    )
    const site = opened.use(
      await startTestSite({ "/picture.png": bytes(await picture(1), { "content-type": "image/png" }) }),
    )
    const paths = Array.from({ length: PAGES }, (_, at) => `/harbour/${at}`)
    site.serve({
      "/": html(
        article("Harbours", {
          links: paths,
          text: `All harbours of the coast. <img src="/picture.png" alt="A quay">`,
        }),
      ),
    })
    for (const [at, path] of paths.entries())
      site.serve({ [path]: html(article(`Harbour ${at}`, { text: textOf(at) })) })
    const { settings } = opened.use(await startCheapVectors())
    const env = { FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8", FOSSICK_HANDBOOK: "off", ...settings, ...more }
    const data = join(folder, "data")
    await using appliance = await applianceOn(folder, env, site)
    await appliance.ready()
    await crawlOn(appliance)
    const { key } = await appliance.ask<{ key: string }>("/admin/keys", { role: "search" })
    await appliance.ask("/admin/backups/run", {})
    await until(async () => ["images", "index"].every((name) => existsSync(join(data, name))))
    await until(async () => readdirSync(join(folder, "backups")).some((name) => name.endsWith(".tar")))
    const stores = new Stores({ held: opened.move(), env, folder, site, key })
    await until(async () => (await stores.answers(appliance)).every(({ is }) => is === "right"), LOOK_MS)
    await until(async () => {
      const { index } = await appliance.ask<{ index: { pages_without_vectors: number } }>("/admin/index")
      return index.pages_without_vectors === 0
    }, LOOK_MS)
    await appliance.stop()
    return stores
  }

  /**
   * One file of each kind that the appliance wrote, by its path in the folder. Files that are created again at every
   * start and contain no data are left out.
   */
  kinds(): string[] {
    const byKind = new Map<string, string>()
    for (const entry of readdirSync(this.#folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = relative(this.#folder, join(entry.parentPath, entry.name))
      if (!/compile-cache|^unused/.test(file)) byKind.set(kindOf(file), file)
    }
    return [...byKind.values()].toSorted()
  }

  /** A copy of all the files, one of them damaged, and an appliance that uses it. */
  async damaged(file: string, harm: Harm): Promise<DamagedCopy> {
    const copy = await this.copy()
    damage(join(copy.folder, file), harm)
    return copy
  }

  /** A copy of all the files, and an appliance that uses it but isn't started. */
  async copy(): Promise<DamagedCopy> {
    const folder = mkdtempSync(join(tmpdir(), "fossick-damaged-"))
    await cp(this.#folder, folder, { recursive: true })
    return new DamagedCopy(folder, await applianceOn(folder, this.#env, this.#site))
  }

  /** The appliance's current answers to a search for each page by a word that only this page has. */
  async answers(
    appliance: Appliance,
  ): Promise<{ readonly is: "right" | "refused" | "wrong"; readonly said: string }[]> {
    return await Promise.all(
      Array.from({ length: PAGES }, async (_, at) => {
        const body = { query: rareWord(at), max_results: 3, include_raw_content: "text" }
        const { status, text } = await appliance.call("/search", body)
        if (status !== 200) return { is: "refused", said: text }
        const { results } = JSON.parse(text) as { results: { url: string; raw_content: string | null }[] }
        const found = results.find(({ url }) => url === this.#site.url(`/harbour/${at}`))
        const isWhole = found?.raw_content?.replaceAll(/\s+/g, " ").includes(textOf(at)) === true
        return { is: isWhole ? "right" : "wrong", said: text }
      }),
    )
  }

  /** Makes the appliance crawl the site again. */
  crawl(appliance: Appliance): Promise<void> {
    return crawlOn(appliance)
  }

  /** Crawls the site again, and waits up to two minutes. @returns how the run ended, or its state after that time */
  async crawled(appliance: Appliance): Promise<string> {
    const { id } = await appliance.ask<{ id: number }>(`/admin/sources/${SOURCE}/run`, {})
    for (const since = performance.now(); ; await pause(LOOK_MS)) {
      const { state } = await appliance.ask<{ state: string }>(`/admin/jobs/${id}`)
      const isOver = state !== "queued" && state !== "running"
      if (isOver || performance.now() - since > CRAWLED_MS) return state
    }
  }

  /** The HTTP status of the response for a stored page. */
  async storedPage(appliance: Appliance): Promise<number> {
    const query = new URLSearchParams({ url: this.#site.url("/harbour/1") })
    return (await appliance.call(`/pages?${query.toString()}`)).status
  }

  /** The HTTP status of the response for the picture's thumbnail. */
  async thumbnail(appliance: Appliance): Promise<number> {
    const query = new URLSearchParams({ page: this.#site.url("/"), image: this.#site.url("/picture.png") })
    return (await appliance.call(`/thumbnails?${query.toString()}`)).status
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#held[Symbol.asyncDispose]()
  }
}

/** A damaged copy of an appliance's files, with an appliance running on it. */
export class DamagedCopy implements AsyncDisposable {
  readonly folder: string
  readonly appliance: Appliance

  constructor(folder: string, appliance: Appliance) {
    this.folder = folder
    this.appliance = appliance
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.appliance[Symbol.asyncDispose]()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

async function crawlOn(appliance: Appliance): Promise<void> {
  await appliance.ask(`/admin/sources/${SOURCE}/run`, {})
}

async function applianceOn(
  folder: string,
  env: Readonly<Record<string, string>>,
  site: TestSite,
): Promise<Appliance> {
  const sources = join(folder, "sources.yaml")
  const backups = join(folder, "backups")
  if (!existsSync(backups)) {
    mkdirSync(backups)
    writeFileSync(
      sources,
      `sources:\n  - { name: ${SOURCE}, seeds: "${site.url("/")}", allowedNetworks: ["127.0.0.0/8"] }\nbackup: { folder: "${backups}" }\n`,
    )
  }
  const settings = { ...env, FOSSICK_DATA_DIR: join(folder, "data"), FOSSICK_SOURCES_FILE: sources }
  return new Appliance(settings, await freePort(), ADMIN_KEY)
}

/** Damages a file in this way. */
export function damage(file: string, harm: Harm): void {
  if (harm === "removed") return rmSync(file)
  const read = readFileSync(file)
  if (harm === "cut in half") return truncateSync(file, read.length >> 1)
  // A large file is damaged in several places, because the place must not matter.
  for (const place of read.length > 100_000 ? [0.2, 0.5, 0.8] : [0.5])
    read[Math.floor(read.length * place)]! ^= 0x5a
  chmodSync(file, 0o600)
  writeFileSync(file, read)
}

const kindOf = (file: string): string =>
  file
    .replaceAll(/(?<=_transactions\/).*|(?<=locks\/).*/g, "N")
    .replaceAll(/_indices\/[0-9a-f-]+/g, "_indices")
    .replaceAll(/[01]{20}[0-9a-f]+|\d{15,}|\d{4}-\d\d-\d\dT[\d-]+Z/g, "N")

/** Text that is on no other page. */
const textOf = (at: number): string =>
  `The harbour ${rareWord(at)} lies behind a mole of ${rareWord(at + 100)}, and whoever enters ${rareWord(at)} by night sees the light of ${rareWord(at + 200)} first.`
