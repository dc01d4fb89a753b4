import { readSettings } from "#base/settings.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { Jobs, Sources } from "#crawler"
import { runJob } from "#crawler/crawl/run-job.ts"
import { CrawlShare } from "#crawler/crawl/together/crawl-share.ts"
import { carryOutRemovals } from "#crawler/upkeep/removals/carry-out.ts"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { article, html, startTestSite, status, textFile } from "#crawler/testing/test-site.ts"
import { CrawlTasks } from "#crawler/sources/crawl-tasks.ts"
import { sourceNames } from "#crawler/sources/source-names.ts"
import { Ticker } from "#crawler/jobs/tasks/ticker.ts"
import { engineSettings } from "#engine/settings.ts"

import { History } from "../../api/operator/history/history.ts"
import { QuestionMeter } from "../../api/operator/history/question-meter.ts"
import { QueryLog } from "../../api/services/queries/query-log.ts"
import { RuleStore } from "../../api/operator/rules/rule-store.ts"
import { ruledEngine } from "../../api/operator/rules/ruled-engine.ts"
import { openAdmin } from "../../api/operator/admin/open-admin.ts"
import { PersonKeys } from "../../api/identity/people/person-keys.ts"
import { PersonStore } from "../../api/identity/people/person-store.ts"
import { openPageKnowledge } from "../../api/services/pages/page-knowledge.ts"
import { serveAccounts } from "../../api/testing/serve-accounts.ts"
import { TEST_KEY } from "../../api/testing/serve-app.ts"

/** An appliance as its operator finds it: something succeeded, something failed, and something is waiting for approval. */
export interface Workshop extends AsyncDisposable {
  readonly url: string
  readonly adminKey: string
  /** A key with the role `search`. */
  readonly key: string
  /** Runs a source's queued jobs to the end, as the crawler process would. */
  work(source: string): Promise<void>
  /** Like `work`, but doesn't wait; the run ends with the workshop at the latest. */
  begin(source: string): void
  /** Acts as if it were `time`: queues the runs that are due by then, as the crawler process would. */
  passTo(time: Date): Promise<void>
  /** Removes and restores pages as requested, as the crawler process would. */
  settle(): Promise<void>
  /** Allows the waiting pages of the archive to be read. */
  openGate(): void
  /** The start address of a source's site. */
  start(source: "manual" | "forum"): string
  /** Adds a source as if it were in the sources file. */
  declareInFile(name: string, more: object): Promise<void>
  /** The state database, for changes that no call can make. */
  readonly db: StateStore
  /** The data folder. */
  readonly dir: string
  /** Acts as if time had passed: stores a sample for the charts of recent days. */
  keepHistory(ms: number): Promise<void>
  /** Number of pages in the index. */
  pages(): Promise<number>
}

const CHAPTERS = Array.from({ length: 6 }, (_, index) => `/chapter-${index + 1}`)
const THREADS = Array.from({ length: 9 }, (_, index) => `/thread-${index + 1}`)
const YEARS = Array.from({ length: 8 }, (_, index) => `/year-${2018 + index}`)

/**
 * @param isNew whether no source is declared yet
 * @param apiSecrets `FOSSICK_API_SECRETS`
 * @param networks `FOSSICK_ALLOWED_NETWORKS`; without this machine's network, only a new workshop can be opened
 */
export async function openWorkshop({
  isNew = false,
  apiSecrets = "",
  networks = "127.0.0.0/8",
} = {}): Promise<Workshop> {
  await using opened = new AsyncDisposableStack()
  const { dir, db, engine } = await openDataFolder(opened)
  const questions = new QuestionMeter()
  let ahead = 0
  const history = await History.open({ db, engine, dataDir: dir, questions, clock: () => Date.now() + ahead })
  const gate = Promise.withResolvers<void>()
  opened.defer(() => gate.resolve())
  const site = async (answers: Parameters<typeof startTestSite>[0]) =>
    opened.use(await startTestSite(answers))
  const chapters = await site({
    "/": article("Manual", { links: CHAPTERS }),
    ...Object.fromEntries(CHAPTERS.map((path) => [path, article(`Chapter ${path.slice(-1)}`)])),
  })
  const forum = await site({
    "/robots.txt": textFile("User-agent: *\nDisallow: /thread-9\n"),
    // Text that is as hostile as the text of an outcome can be.
    "/": article("Forum", { links: [...THREADS, "/broken?<img src=x onerror=hacked=1>"] }),
    ...Object.fromEntries(THREADS.map((path) => [path, article(`Thread ${path.slice(-1)}`)])),
    "/thread-7": status(500),
    "/thread-8": status(500),
    "/broken": status(500),
  })
  const archive = await site({
    "/": article("Archive", { links: YEARS }),
    ...Object.fromEntries(
      YEARS.map((path) => [
        path,
        async (request, response) => {
          await gate.promise
          html(article(`The year ${path.slice(-4)}`))(request, response)
        },
      ]),
    ),
  })
  const busy = await site({ "*": status(429, { "retry-after": "300" }) })

  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  const config = testConfig({ FOSSICK_API_SECRETS: apiSecrets, FOSSICK_ALLOWED_NETWORKS: networks })
  // Reads pages without a thread, because starting one costs more than the runs.
  const share = opened.use(new CrawlShare(config))
  const ended = new AbortController()
  const begun: Promise<unknown>[] = []
  opened.defer(async () => {
    ended.abort()
    await Promise.all(begun)
  })
  const work = async (source: string) => {
    for (const { id } of await jobs.open(source)) {
      await runJob(id, { db, jobs, engine, config, share, signal: ended.signal, whenAborted: "queued" })
    }
  }
  if (!isNew) {
    const declare = (name: string, more: object) => sources.put({ name, rendering: "http", ...more })
    await declare("manual", { seeds: [chapters.url("/")], schedule: { cron: "0 3 * * *" } })
    await declare("forum", { seeds: [forum.url("/")] })
    await declare("archive", { seeds: [archive.url("/"), busy.url("/")], politeness: { delayMs: 0 } })
    for (const name of ["manual", "forum"]) {
      await sources.run(name, { trigger: "api" })
      await work(name)
    }
    chapters.serve(Object.fromEntries(CHAPTERS.slice(0, 4).map((path) => [path, status(410)])))
    await sources.run("manual", { trigger: "schedule" })
    await work("manual")
  }
  const ruled = ruledEngine(engine, new RuleStore(db))
  const queries = new QueryLog(db, isNew ? 0 : 30)
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: dir })
  const everybody = { groups: null, role: "reader", sources: null, collections: null } as const
  const people = new PersonKeys(new PersonStore(db), {
    roles: [everybody, { ...everybody, groups: ["admins"], role: "admin" }],
    providers: ["company"],
    refreshMs: 900_000,
    unrenewedMs: 900_000,
  })
  const app = opened.use(
    await serveAccounts({
      dir,
      engine: ruled,
      queries,
      pages: openPageKnowledge(db, jobs),
      sourceNames: () => sourceNames(db),
      questions,
      admin: () =>
        openAdmin({ db, engine: ruled, queries, history, jobs, crawlerConfig: config, engineConfig, people }),
    }),
  )
  const kept = opened.move()
  return {
    url: app.url,
    adminKey: TEST_KEY,
    key: await app.key(),
    work,
    begin(source) {
      begun.push(work(source))
    },
    async passTo(time) {
      const clock = () => time.getTime()
      await new Ticker([new CrawlTasks(new Sources(db, jobs, clock), jobs)], clock).tick()
    },
    settle: () => carryOutRemovals({ db, engine }),
    openGate: () => gate.resolve(),
    start: (source) => (source === "manual" ? chapters : forum).url("/"),
    db,
    dir,
    async keepHistory(ms) {
      ahead += ms
      await history.keep(async (work) => work())
    },
    async declareInFile(name, more) {
      await sources.put({ name, rendering: "http", ...more }, "file")
    },
    pages: async () => (await engine.stats()).pages,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
