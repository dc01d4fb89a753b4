import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import { zipSync } from "fflate"
import { pack } from "tar-stream"
import { expect, onTestFinished, test } from "vitest"
import { openStateStore } from "#base/store/state-store.ts"
import { readSettings } from "#base/settings.ts"
import { chance } from "#base/testing/chance.ts"
import { until } from "#base/testing/until.ts"
import type { PageUrl } from "#engine"
import { openEngine } from "#engine/open-engine.ts"
import { engineSettings } from "#engine/settings.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"
import { rareWord } from "#engine/testing/pages.ts"
import { Jobs } from "./jobs/jobs.ts"
import { Sources } from "./sources/sources.ts"
import { temporaryFolder } from "./testing/crawl-fixture.ts"
import { WholeCrawler } from "./testing/whole-crawler.ts"

const ADDRESS = "https://nas.example/notes/"
const ROUNDS = 3

/** Notes that are packed again whenever one of them changes. */
class Notes {
  readonly texts = new Map<string, string>()
  readonly #path: string
  readonly #chance = chance(53)
  #written = 0

  constructor(path: string) {
    this.#path = path
    for (let number = 0; number < 40; number += 1) this.#write(`note ${number}.md`)
  }

  #write(name: string): void {
    const word = rareWord((this.#written += 1))
    this.texts.set(name, `# Note ${word}\n\nThe ${word} is kept behind the door of the ${word} room.`)
  }

  /** Adds, changes or deletes a note. */
  change(): void {
    const name = [...this.texts.keys()][this.#chance.below(this.texts.size)]!
    const what = this.#chance.below(3)
    if (what === 0) this.#write(`new ${this.#written}.md`)
    else if (what === 1) this.#write(name)
    else if (this.texts.size > 30) this.texts.delete(name)
  }

  async pack(): Promise<void> {
    const bytes = this.#path.endsWith(".zip") ? this.#zip() : gzipSync(await this.#tar())
    writeFileSync(`${this.#path}.new`, bytes)
    renameSync(`${this.#path}.new`, this.#path)
  }

  #zip(): Uint8Array {
    return zipSync(
      Object.fromEntries([...this.texts].map(([name, text]) => [name, new TextEncoder().encode(text)])),
    )
  }

  async #tar(): Promise<Buffer> {
    const tar = pack()
    for (const [name, text] of this.texts) tar.entry({ name }, text)
    tar.finalize()
    const chunks: Buffer[] = []
    for await (const chunk of tar as AsyncIterable<Buffer>) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
}

test.each(["notes.zip", "notes.tar.gz"])(
  "%s and its index are the same in the end, though all processes are killed again and again",
  async (name) => {
    using folder = temporaryFolder()
    await using vectors = await startCheapVectors()
    const path = join(folder.path, name)
    const notes = new Notes(path)
    await notes.pack()
    const dataDir = join(folder.path, "data")
    mkdirSync(dataDir)
    const db = await openStateStore(dataDir)
    onTestFinished(() => db.close())
    const jobs = new Jobs(db)
    const source = { name: "notes", archive: path, seeds: [ADDRESS], removal: { maxShare: 1 } }
    await new Sources(db, jobs).put(source, "file")

    const wait = chance(11)
    for (let round = 0; round < ROUNDS; round += 1) {
      const crawler = new WholeCrawler(dataDir, vectors.settings)
      await sleep(wait.below(3000))
      for (let change = 0; change < 8; change += 1) notes.change()
      await notes.pack()
      await sleep(wait.below(3000))
      await crawler.kill()
    }
    const last = new WholeCrawler(dataDir, vectors.settings)
    const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: dataDir, ...vectors.settings })
    const expected = [...notes.texts].map(([one, text]) => [ADDRESS + encodeURIComponent(one), text] as const)
    try {
      await until(async () => {
        const [job] = await jobs.list({ source: "notes", limit: 1, state: "finished" })
        if (job === undefined || (await jobs.open("notes")).length > 0) return false
        await using engine = await openEngine(settings, { mode: "read" })
        const texts = await Promise.all(expected.map(([url]) => engine.get(url as PageUrl)))
        const isSame = texts.every((page, index) => page?.markdown.trim() === expected[index]![1])
        return isSame && (await engine.stats()).pages === expected.length
      })
      // What killed processes had unpacked is gone. This one unpacks again at each look, so it must not be in the middle of one.
      await expect.poll(() => readdirSync(dataDir).filter((file) => file.startsWith("unpacked-"))).toEqual([])
    } finally {
      await last.kill()
    }
  },
)
