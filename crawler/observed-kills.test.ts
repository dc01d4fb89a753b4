import { join } from "node:path"
import { mkdirSync } from "node:fs"
import { expect, onTestFinished, test } from "vitest"
import { readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { until } from "#base/testing/until.ts"
import { openEngine } from "#engine/open-engine.ts"
import { engineSettings } from "#engine/settings.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { startModelServer } from "#engine/testing/model-server.ts"
import { Jobs } from "./jobs/jobs.ts"
import { Sources } from "./sources/sources.ts"
import { temporaryFolder } from "./testing/crawl-fixture.ts"
import { loginOf, ObservedSite, secretOf } from "./testing/observed-site.ts"
import { WholeCrawler } from "./testing/whole-crawler.ts"

const USERS = ["hr", "staff"]
const PATHS = Array.from({ length: 24 }, (_, at) => `/page-${at}`)

// The site keeps opening and closing pages for its users the whole time.
test("a crawler that is killed again and again never shows a page to the wrong reader, and ends up matching the site", async () => {
  using folder = temporaryFolder()
  await using model = await startModelServer({ embedder: new HashingEmbedder() })
  await using site = await ObservedSite.open(USERS)
  site.pages.set("/", { for: [], links: PATHS })
  /** Pages that staff were ever shown; the others are for HR. */
  const opened = new Set<string>()
  const open = (isOpen: (at: number) => boolean) => {
    for (const [at, path] of PATHS.entries()) {
      site.pages.set(path, { for: isOpen(at) ? USERS : ["hr"] })
      if (isOpen(at)) opened.add(path)
    }
  }
  const dataDir = join(folder.path, "data")
  mkdirSync(dataDir)
  const settings = {
    ...Object.fromEntries(USERS.map((user) => [`${user.toUpperCase()}_SECRET`, secretOf(user)])),
    FOSSICK_EMBEDDINGS_URL: `${model.url}/v1`,
    FOSSICK_EMBEDDINGS_MODEL: "words",
    FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8",
  }
  const db = await openStateStore(dataDir)
  onTestFinished(() => db.close())
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  await sources.put(
    {
      name: "wiki",
      seeds: [site.url("/")],
      login: loginOf(site.site, "hr"),
      observers: [
        { name: "hr", login: "same", readers: { allow: ["group:hr"] } },
        { name: "staff", login: loginOf(site.site, "staff"), readers: { allow: ["group:staff"] } },
      ],
    },
    "file",
  )
  const leaks: string[] = []
  const forStaff = async () => {
    const config = readSettings(engineSettings, { FOSSICK_DATA_DIR: dataDir, ...settings })
    await using engine = await openEngine(config, { mode: "read" })
    const held: string[] = []
    for (const path of PATHS) {
      const page = await engine.get(site.url(path))
      const isForStaff =
        page?.readers?.every(({ allow }) => allow.every((list) => list.includes("group:staff"))) ??
        page !== null
      if (isForStaff) held.push(path)
    }
    return held
  }
  const now = () => PATHS.filter((path) => site.pages.get(path)!.for.includes("staff"))
  const rules = [(at: number) => at % 3 === 0, (at: number) => at % 3 === 1 || at === 0]
  for (const isOpen of rules) {
    open(isOpen)
    await sources.run("wiki", { trigger: "run" })
    const isOver = async () => (await jobs.open("wiki")).length === 0
    for (let kills = 0; !(await isOver()); kills += 1) {
      const before = site.asked.length
      const crawler = new WholeCrawler(dataDir, settings)
      try {
        // The process is killed some way into the run, a little further each time.
        await until(
          async () => (kills < 2 && site.asked.length > before + 12 * (kills + 1)) || (await isOver()),
        )
      } finally {
        await crawler.kill()
      }
      leaks.push(...(await forStaff()).filter((path) => !opened.has(path)))
    }
    expect(leaks).toEqual([])
    expect(await forStaff()).toEqual(now())
  }
})
