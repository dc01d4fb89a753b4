import { existsSync, readFileSync } from "node:fs"
import { glob, mkdir, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { chance } from "#base/testing/chance.ts"
import { type Embedder, openEngine, type Page, type PageUrl, toPageUrl } from "#engine"
import { trainVectorIndex } from "#engine/adapters/embedded/lance/maintenance.ts"
import { readManifest } from "#engine/adapters/embedded/files/manifest.ts"
import { batchesOf } from "#engine/adapters/embedded/lance/rows.ts"
import {
  FILTER_COLUMNS,
  FIRST_SECTION,
  type PageVectors,
  vectorsTable,
} from "#engine/adapters/embedded/lance/schema.ts"
import { connectTo, openTables } from "#engine/adapters/embedded/lance/tables.ts"
import { engineSettings } from "#engine/settings.ts"
import { passagesOf } from "#engine/index/page-record.ts"
import { embeddingText, toPassages } from "#engine/text/passages.ts"
import { readSettings } from "#base/settings.ts"
import { documentationPages } from "./documentation-pages.ts"

const PASSAGES_PER_MIXED_PAGE = 12
const PAGES_PER_CALL = 64
/** Standard deviation of each of 384 values: copies stand at a cosine of about 0.86 to their original. */
const NOISE = 0.03
/** A copy's noise is a stretch of these. */
const NOISE_VALUES = 1_000_000
const VECTORS_PER_COMMIT = 20_000
const BLOCK_BYTES = 512

/** How an index of the search bench was made. */
export interface BuiltIndex {
  readonly pages: number
  readonly passages: number
  /** Texts that went through the model; all further vectors are perturbed copies of these. */
  readonly embedded: number
  readonly textSeconds: number
  readonly vectorSeconds: number
  readonly bytesOnDisk: number
}

/** The index in `dataDir`, built before or now. */
export async function ensureIndex(
  dataDir: string,
  embedder: Embedder,
  passages: number,
  realVectors: number,
): Promise<BuiltIndex> {
  if (!existsSync(builtFile(dataDir))) {
    process.stderr.write(`building an index of ${passages} passages in ${dataDir}\n`)
    await rm(dataDir, { recursive: true, force: true })
    await mkdir(dataDir, { recursive: true })
    await buildIndex(dataDir, embedder, passages, realVectors)
  }
  return JSON.parse(readFileSync(builtFile(dataDir), "utf8")) as BuiltIndex
}

/**
 * Builds an index of at least `passages` passages in `dataDir`.
 *
 * All text is real: first the documentation site's pages, then pages mixed from passages of those. Embedding
 * them all takes most of an hour, so only about `realVectors` texts are embedded; the others get a copy of one of
 * those vectors with noise, and all are written straight into their table. Search has as much to do as with real
 * ones; relevance means nothing here.
 */
async function buildIndex(
  dataDir: string,
  embedder: Embedder,
  passages: number,
  realVectors: number,
): Promise<BuiltIndex> {
  const random = chance(1).next
  const settings = { ...readSettings(engineSettings, {}), dataDir }
  let pages = 0
  let count = 0
  let textSeconds = 0
  {
    await using engine = await openEngine(settings, { mode: "write", embedder, embedding: "off" })
    for await (const batch of batches(realAndMixedPages(random))) {
      const began = performance.now()
      await engine.index(batch)
      textSeconds += (performance.now() - began) / 1000
      pages += batch.length
      count += batch.reduce((sum, page) => sum + toPassages(page.markdown).length, 0)
      if (count >= passages) break
    }
  }
  const began = performance.now()
  const vectors = new SampledVectors(embedder, realVectors / count, random)
  await writeVectors(join(dataDir, "index"), vectors)
  const built = {
    pages,
    passages: count,
    embedded: vectors.embedded,
    textSeconds,
    vectorSeconds: (performance.now() - began) / 1000,
    bytesOnDisk: await folderBytes(dataDir),
  }
  await writeFile(builtFile(dataDir), JSON.stringify(built))
  return built
}

/** Past the queue of the engine, whose small commits would take a million vectors hours. */
async function writeVectors(dir: string, made: SampledVectors): Promise<void> {
  const manifest = await readManifest(dir)
  if (!manifest) throw new Error(`there is no index in ${dir}`)
  const connection = await connectTo(dir, 0)
  const { pages, vectors, store } = await openTables(connection, dir, manifest)
  let waiting: PageVectors[] = []
  let rows = 0
  const write = async () => {
    if (rows > 0) await vectors.add(vectorsTable(waiting, manifest.dimensions))
    waiting = []
    rows = 0
  }
  const all = pages
    .query()
    .where(FIRST_SECTION)
    .select(["id", "revision", ...FILTER_COLUMNS])
  for await (const batch of batchesOf<PageVectors["page"]>(all)) {
    for (const page of batch) {
      const [stored] = store.read([page.id])
      if (!stored) throw new Error(`the text of page ${page.id} is missing`)
      const texts = passagesOf(stored).map((passage) => embeddingText(stored.title, passage))
      waiting.push({ page, vectors: await made.of(texts) })
      rows += texts.length
      if (rows >= VECTORS_PER_COMMIT) await write()
    }
  }
  await write()
  await vectors.optimize()
  await trainVectorIndex(vectors)
  store[Symbol.dispose]()
  connection.close()
}

function builtFile(dataDir: string): string {
  return join(dataDir, "search-bench.json")
}

async function* realAndMixedPages(random: () => number): AsyncGenerator<Page> {
  const pool: string[] = []
  let last: Page | null = null
  for await (const page of documentationPages()) {
    pool.push(...toPassages(page.markdown).map(({ text }) => text))
    last = page
    yield page
  }
  if (!last) throw new Error("the documentation site has no pages")
  for (let n = 0; ; n++) {
    const texts = Array.from(
      { length: PASSAGES_PER_MIXED_PAGE },
      () => pool[Math.floor(random() * pool.length)] ?? "",
    )
    // Headings keep the passages apart, as sections of a page do.
    const markdown = texts.map((text, i) => `## Section ${n}.${i}\n\n${asPlainMarkdown(text)}`).join("\n\n")
    const url = toPageUrl(`http://mixed.example/${n}`) as PageUrl
    yield { ...last, url, title: titleFrom(texts[0] ?? ""), markdown, description: null, images: [] }
  }
}

/** Text that markdown would read as marks is kept as text. */
function asPlainMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>#|~]/g, String.raw`\$&`)
}

function titleFrom(text: string): string {
  return text.split(/\s+/).slice(0, 6).join(" ")
}

async function* batches(pages: AsyncIterable<Page>): AsyncGenerator<Page[]> {
  let batch: Page[] = []
  for await (const page of pages) {
    batch.push(page)
    if (batch.length < PAGES_PER_CALL) continue
    yield batch
    batch = []
  }
}

/** Embeds a share of the texts with the real embedder; the others get a noisy copy of one of those vectors. */
class SampledVectors {
  readonly #embedder: Embedder
  readonly #share: number
  readonly #random: () => number
  readonly #real: Float32Array[] = []
  readonly #noise: Float32Array

  constructor(embedder: Embedder, share: number, random: () => number) {
    this.#embedder = embedder
    this.#share = share
    this.#random = random
    this.#noise = Float32Array.from({ length: NOISE_VALUES }, () => NOISE * normal(random))
  }

  get embedded(): number {
    return this.#real.length
  }

  async of(texts: readonly string[]): Promise<Float32Array[]> {
    const vectors: Float32Array[] = []
    for (const text of texts) {
      if (this.#real.length === 0 || this.#random() < this.#share) {
        this.#real.push(...(await this.#embedder.embed([text])))
        vectors.push(this.#real.at(-1)!)
      } else {
        vectors.push(this.#copy())
      }
    }
    return vectors
  }

  #copy(): Float32Array {
    const original = this.#real[Math.floor(this.#random() * this.#real.length)]!
    const from = Math.floor(this.#random() * (NOISE_VALUES - original.length))
    const copy = original.map((value, i) => value + this.#noise[from + i]!)
    let squares = 0
    for (const value of copy) squares += value * value
    const length = Math.sqrt(squares)
    return copy.map((value) => value / length)
  }
}

/** Box and Muller 1958. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** Bytes that the files in a folder take on disk. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0
  if (!existsSync(folder)) return bytes
  for await (const path of glob(join(folder, "**/*"))) {
    const found = await stat(path).catch(() => null)
    // Databases have holes in their files.
    if (found?.isFile()) bytes += found.blocks * BLOCK_BYTES
  }
  return bytes
}
