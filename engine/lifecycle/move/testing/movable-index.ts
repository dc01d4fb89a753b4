import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import type { Embedder } from "#engine/embedder.ts"
import type { Engine, PageWithVectors } from "#engine/engine.ts"
import { aPage, rareWord } from "#engine/testing/pages.ts"
import { importPages, type ImportOptions, type ImportResult } from "../import-pages.ts"
import { ExportReader } from "../format/read-export.ts"

/** Number of dimensions: so many that a few pages fill a frame. */
const DIMENSIONS = 4096
const PASSAGES = 8

/** An embedder for pages that come with their vectors; it can't create any. */
export const wideEmbedder: Embedder = {
  id: "wide-4096",
  dimensions: DIMENSIONS,
  embed: () => Promise.reject(new Error("This embedder makes no vectors.")),
  tokenVectors: () => Promise.reject(new Error("This embedder makes no vectors.")),
  [Symbol.asyncDispose]: () => Promise.resolve(),
}

export const openWide = (dir: string, mode: "read" | "write"): Promise<EmbeddedEngine> =>
  EmbeddedEngine.open({ dir, mode, embedder: wideEmbedder, embedding: "off" })

/** Each page is 128 kB with its vectors, so that about thirty fill a frame. */
export function widePages(count: number): PageWithVectors[] {
  return Array.from({ length: count }, (_, i) => {
    const parts = Array.from(
      { length: PASSAGES },
      (_, part) => `## Part ${part}\n\n${rareWord(i)} ${"word ".repeat(60)}`,
    )
    return {
      page: aPage(`wide/${i}`, { title: `Page ${i}`, markdown: parts.join("\n\n") }),
      vectors: parts.map((_, part) => unitVector(i * PASSAGES + part)),
    }
  })
}

function unitVector(seed: number): Float32Array {
  const vector = Float32Array.from({ length: DIMENSIONS }, (_, i) => Math.sin(seed * 7919 + i * 104_729))
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/** Everything an index returns, in its order. */
export async function allOf(engine: Engine): Promise<PageWithVectors[]> {
  return await Array.fromAsync(engine.allPages())
}

/** The same content as digests, because comparing millions of numbers one by one can take too long. */
export async function digestsOf(engine: Engine): Promise<string[]> {
  const digests: string[] = []
  for await (const { page, vectors } of engine.allPages()) {
    const sum = createHash("sha256").update(JSON.stringify(page))
    for (const vector of vectors ?? []) sum.update(vector)
    digests.push(`${page.url} ${sum.digest("hex")}`)
  }
  return digests
}

/**
 * Pages with edge cases: no text and long text, all fields, characters of all kinds.
 *
 * @param oddity more odd characters, if an index supports them
 */
export const pagesOfManyKinds = (plain: number, oddity = "") => [
  ...Array.from({ length: plain }, (_, i) =>
    aPage(`many/${i}`, { title: `Title ${i}`, markdown: `Of ${rareWord(i)}.\n\n## More\n\nAnd more of it.` }),
  ),
  aPage("empty", { title: "", markdown: "" }),
  aPage("long", { markdown: "A sentence that is repeated over and over again. ".repeat(3000) }),
  aPage("https://other.example.org/%C3%A4?q=1", {
    title: `Ä 漢字 😀 \u0000${oddity}`,
    description: "all fields",
    markdown: "# Überschrift\n\nText mit „Anführung“ und\u2028Trennern.",
    language: "de",
    author: "Ada",
    publishedAt: new Date("1999-12-31T23:59:59.999Z"),
    topic: "news",
    country: "at",
    unsafe: true,
    images: [{ url: "https://other.example.org/i.png", description: null }],
    favicon: "https://other.example.org/favicon.ico",
    source: "other",
    sharedWith: ["docs", "further"],
  }),
]

export async function importInto(
  engine: Engine,
  file: string,
  options: ImportOptions = {},
): Promise<ImportResult> {
  return await importPages(engine, await ExportReader.open(createReadStream(file), file), options)
}

/** A temporary folder that is deleted after the test. */
export async function scratch(): Promise<AsyncDisposable & { readonly at: (name: string) => string }> {
  const folder = await mkdtemp(path.join(tmpdir(), "fossick-move-"))
  return {
    at: (name) => path.join(folder, name),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
