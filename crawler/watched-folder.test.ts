import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
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
const ROUNDS = 5
const CHANGES = 12

/** A folder of notes that somebody works on. */
class Notes {
  readonly root: string
  readonly #chance = chance(47)
  #written = 0

  constructor(root: string) {
    this.root = root
    for (let number = 0; number < 40; number += 1) this.#write(`part ${number % 4}/note ${number}.md`)
  }

  #write(path: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    const word = rareWord((this.#written += 1))
    writeFileSync(
      join(this.root, path),
      `# Note ${word}\n\nThe ${word} is kept behind the door of the ${word} room.\n`,
    )
  }

  get #paths(): string[] {
    const all = readdirSync(this.root, { recursive: true, withFileTypes: true })
    return all
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name).slice(this.root.length + 1))
  }

  /** Adds, changes, moves or deletes a file. */
  change(): void {
    const paths = this.#paths.toSorted()
    const path = paths[this.#chance.below(paths.length)]!
    const what = this.#chance.below(4)
    if (what === 0) this.#write(`part ${this.#chance.below(4)}/new ${this.#written}.md`)
    else if (what === 1) this.#write(path)
    else if (what === 2)
      renameSync(join(this.root, path), join(this.root, `moved ${(this.#written += 1)}.md`))
    else if (paths.length > 30) rmSync(join(this.root, path))
  }

  /** The text of each file by its address. */
  texts(): Map<string, string> {
    return new Map(
      this.#paths.map((path) => [
        ADDRESS + path.split("/").map(encodeURIComponent).join("/"),
        readFileSync(join(this.root, path), "utf8").trim(),
      ]),
    )
  }
}

test("a watched folder and its index are the same in the end, though all processes are killed again and again", async () => {
  using folder = temporaryFolder()
  await using vectors = await startCheapVectors()
  const notes = new Notes(join(folder.path, "notes"))
  const dataDir = join(folder.path, "data")
  mkdirSync(dataDir)
  const db = await openStateStore(dataDir)
  onTestFinished(() => db.close())
  const jobs = new Jobs(db)
  const source = { name: "notes", folder: notes.root, seeds: [ADDRESS], removal: { maxShare: 1 } }
  await new Sources(db, jobs).put(source, "file")

  const wait = chance(7)
  for (let round = 0; round < ROUNDS; round += 1) {
    const crawler = new WholeCrawler(dataDir, vectors.settings)
    await sleep(wait.below(2500))
    for (let change = 0; change < CHANGES; change += 1) notes.change()
    await sleep(wait.below(2500))
    await crawler.kill()
  }
  const last = new WholeCrawler(dataDir, vectors.settings)
  const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: dataDir, ...vectors.settings })
  const expected = notes.texts()
  try {
    await until(async () => {
      const [job] = await jobs.list({ source: "notes", limit: 1, state: "finished" })
      if (job === undefined || (await jobs.open("notes")).length > 0) return false
      await using engine = await openEngine(settings, { mode: "read" })
      const texts = await Promise.all([...expected.keys()].map((url) => engine.get(url as PageUrl)))
      const isSame = texts.every((page) => page !== null && page.markdown.trim() === expected.get(page.url))
      return isSame && (await engine.stats()).pages === expected.size
    })
  } finally {
    await last.kill()
  }
  expect(expected.size).toBeGreaterThan(30)
})
