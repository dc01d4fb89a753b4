import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { crawlerSettings } from "#crawler/settings.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import type { Job } from "#crawler/job.ts"
import { runJob } from "#crawler/crawl/run-job.ts"
import { defineSource } from "#crawler/source.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { type Embedder, type Engine, openEngine } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { openEmbedder } from "#engine/models/embedders/open-embedder.ts"
import { readSettings } from "#base/settings.ts"
import { answerQuestion, holdsFact } from "../quality/answer-quality.ts"
import { DOCUMENTATION_QUESTIONS, MANUAL_QUESTIONS, UNRELATED_QUESTIONS } from "../questions/question-sets.ts"
import { homePage, htmlPages } from "../corpora/documentation-site.ts"
import { serveFolder, type StaticSite } from "../corpora/static-site.ts"

const PAGES = join(import.meta.dirname, "../testing/pages")
/** Some pages of each manual: making vectors for all pages would take most of the time, and asking a question about each of them would take the rest. */
const SERVED = [
  "postgresql/backup-dump.html",
  "postgresql/explicit-locking.html",
  "postgresql/indexes-partial.html",
  "postgresql/sql-truncate.html",
  "python/library/shelve.html",
  "python/library/tempfile.html",
  "sqlite/backup.html",
  "sqlite/isolation.html",
  "sqlite/wal.html",
]
const paths = (await htmlPages(PAGES)).filter((path) => SERVED.includes(path))
const questions = DOCUMENTATION_QUESTIONS.filter(({ answer }) => paths.includes(answer))
/** Every second question that these pages answer. */
const manualQuestions = MANUAL_QUESTIONS.filter(({ text }) =>
  /checkpoint|WAL mode|write-ahead|backup API|dump|deadlock|TRUNCATE|partial index|temporary|mkstemp|TemporaryFile|shelf/.test(
    text,
  ),
).filter((_, at) => at % 2 === 0)

const MOST_WRONG = 3

let dataDir: string
let site: StaticSite
let engine: Engine
let embedder: Embedder
let job: Job | null

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "fossick-real-site-"))
  site = await serveFolder(PAGES, homePage("Manuals", paths))
  const settings = { ...readSettings(engineSettings, {}), dataDir }
  embedder = await openEmbedder(settings)
  engine = await openEngine(settings, { mode: "write", embedder })
  using db = await openStateStore(dataDir)
  const jobs = new Jobs(db)
  // The depth is one step from the home page, because the manuals link to many pages that are not here.
  const { id } = await jobs.enqueue(defineSource({ seeds: [site.url], limits: { depth: 1, pages: 100 } }))
  const { signal } = new AbortController()
  const config = readSettings(crawlerSettings, {})
  job = await runJob(id, { db, jobs, engine, config, signal, whenAborted: "paused" })
  await engine.settled()
})

afterAll(async () => {
  await engine?.[Symbol.asyncDispose]()
  await embedder?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

describe("real manuals, crawled and searched", () => {
  test("are indexed page by page, without losses", async () => {
    expect(job?.error).toBeNull()
    expect(job?.outcomes["indexed"]).toBeGreaterThanOrEqual(paths.length)
    expect((await engine.stats()).pagesWithoutVectors).toBe(0)
  })

  test("have questions about pages of each manual", () => {
    expect(paths).toHaveLength(SERVED.length)
    expect([questions.length, manualQuestions.length]).toEqual([4, 9])
  })

  test.each(questions)("$text", async ({ text, answer }) => {
    const { hits } = await engine.search({ text, limit: 3 })
    expect(hits.map(({ url }) => url)).toContain(site.url + answer)
    expect(hits.find(({ url }) => url === site.url + answer)?.passages).not.toHaveLength(0)
  })
})

describe("answers from these pages", () => {
  test("mostly contain the requested fact, and nothing that the cited page does not say", async () => {
    const wrong: string[] = []
    for (const question of manualQuestions) {
      const answer = await answerQuestion(engine, embedder, question.text, "short")
      expect(answer.invented).toEqual([])
      if (!holdsFact(answer, question)) wrong.push(question.text)
    }
    // `npm run bench -- answers` prints the current number; a change that loses a few more must give a reason.
    expect(wrong.slice(MOST_WRONG)).toEqual([])
  })

  test("are longer when more is requested, and just as accurate", async () => {
    const said = { short: 0, long: 0 }
    for (const { text } of manualQuestions.slice(0, 4)) {
      for (const length of ["short", "long"] as const) {
        const answer = await answerQuestion(engine, embedder, text, length)
        expect(answer.invented).toEqual([])
        said[length] += answer.units.length
      }
    }
    // Some questions are answered by one sentence, however much text is requested.
    expect(said.long).toBeGreaterThan(said.short)
  })

  test("are not given if no page answers", async () => {
    for (const text of UNRELATED_QUESTIONS.slice(0, 3)) {
      expect((await answerQuestion(engine, embedder, text, "short")).units).toEqual([])
    }
  })
})
