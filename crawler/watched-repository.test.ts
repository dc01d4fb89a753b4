import { mkdirSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
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
import { GitWork } from "./testing/git/git-work.ts"
import { WholeCrawler } from "./testing/whole-crawler.ts"

const ADDRESS = "https://git.example/notes/"
const ROUNDS = 5
const COMMITS = 6

/** Notes that are committed one change at a time. */
class Notes extends GitWork {
  readonly #chance = chance(53)
  #written = 0

  constructor(root: string) {
    super(root)
    for (let number = 0; number < 40; number += 1) this.#note(`part ${number % 4}/note ${number}.md`)
    this.commit()
  }

  #note(path: string): void {
    const word = rareWord((this.#written += 1))
    this.write(path, `# Note ${word}\n\nThe ${word} is kept behind the door of the ${word} room.\n`)
  }

  get paths(): string[] {
    return this.git("ls-files", "-z").split("\0").slice(0, -1)
  }

  /** Adds, changes, moves or deletes a file, and commits that; or takes the last commit back. */
  change(): void {
    const { paths } = this
    const path = paths[this.#chance.below(paths.length)]!
    const what = this.#chance.below(5)
    if (what === 0) this.#note(`part ${this.#chance.below(4)}/new ${this.#written}.md`)
    else if (what === 1) this.#note(path)
    else if (what === 2)
      renameSync(join(this.root, path), join(this.root, `moved ${(this.#written += 1)}.md`))
    else if (what === 3 && paths.length > 30) this.remove(path)
    else if (Number(this.git("rev-list", "--count", "HEAD")) > 1)
      this.git("reset", "--quiet", "--hard", "HEAD~1")
    this.commit()
  }

  /** The text of each file by its address. */
  texts(): Map<string, string> {
    return new Map(
      this.paths.map((path) => [
        ADDRESS + path.split("/").map(encodeURIComponent).join("/"),
        readFileSync(join(this.root, path), "utf8").trim(),
      ]),
    )
  }
}

test(
  "a watched repository and its index are the same in the end, though all processes are killed again and again",
  {
    tags: ["git"],
  },
  async () => {
    using folder = temporaryFolder()
    await using vectors = await startCheapVectors()
    const notes = new Notes(join(folder.path, "notes"))
    const dataDir = join(folder.path, "data")
    mkdirSync(dataDir)
    const db = await openStateStore(dataDir)
    onTestFinished(() => db.close())
    const jobs = new Jobs(db)
    const repository = { url: notes.root, ref: "main" }
    const source = { name: "notes", repository, seeds: [ADDRESS], removal: { maxShare: 1 } }
    await new Sources(db, jobs).put(source, "file")

    const wait = chance(7)
    for (let round = 0; round < ROUNDS; round += 1) {
      const crawler = new WholeCrawler(dataDir, vectors.settings)
      await sleep(wait.below(2500))
      for (let commit = 0; commit < COMMITS; commit += 1) notes.change()
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
  },
)
