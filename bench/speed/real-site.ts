import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Jobs, openStateStore } from "#crawler"
import { openEngine } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { readSettings } from "#base/settings.ts"
import { DOCUMENTATION_QUESTIONS } from "../questions/question-sets.ts"
import { startDocumentationSite } from "../corpora/documentation-site.ts"
import { machine, short, table } from "../measure.ts"

const FOSSICK = join(import.meta.dirname, "../../command/fossick.js")
const MIN_PAGES = 2000
const TOP = 3
/** How many results are searched for the answer, so that its rank can be shown even if it is not among the top results. */
const LOOKED_AT = 50

const { values } = parseArgs({
  options: {
    /** Keeps the index in this folder, and reuses it if it contains a finished crawl. */
    dir: { type: "string" },
    /** Total number of pages to read; a small number is for trying out the benchmark, and makes it fail. */
    limit: { type: "string", default: "1000000" },
  },
})
const dataDir = values.dir ?? (await mkdtemp(join(tmpdir(), "fossick-real-site-")))
const settings = { ...readSettings(engineSettings, {}), dataDir }
try {
  const { site, outcomes, seconds } = await crawled()
  process.exitCode = (await questions(site, outcomes, seconds)) ? 0 : 1
} finally {
  if (values.dir === undefined) await rm(dataDir, { recursive: true, force: true })
}

interface Crawled {
  readonly site: string
  readonly outcomes: Readonly<Record<string, number>>
  readonly seconds: number
}

/** The site's index, including vectors: crawled with the command a user would run, unless that was done before. */
async function crawled(): Promise<Crawled> {
  const before = await finishedCrawl()
  if (before) {
    await makeVectors()
    return before
  }
  await using site = await startDocumentationSite()
  const command = spawn(
    process.execPath,
    [FOSSICK, "crawl", site.url, "--depth", "100", "--limit", values.limit],
    {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, FOSSICK_DATA_DIR: dataDir },
    },
  )
  const [code] = (await once(command, "exit")) as [number | null]
  const after = await finishedCrawl()
  if (code !== 0 || !after) throw new Error(`the crawl exited with code ${code}`)
  return after
}

/** Makes the vectors that an interrupted run did not get to. */
async function makeVectors(): Promise<void> {
  await using engine = await openEngine(settings, { mode: "write" })
  await engine.settled()
}

async function finishedCrawl(): Promise<Crawled | null> {
  using db = await openStateStore(dataDir)
  const job = (await new Jobs(db).list({ limit: 1 })).find(({ state }) => state === "finished")
  if (!job?.startedAt || !job.endedAt) return null
  const seconds = (job.endedAt.getTime() - job.startedAt.getTime()) / 1000
  return { site: job.source.seeds[0] ?? "", outcomes: job.outcomes, seconds }
}

/** Asks every question and prints the rank of its answer. @returns whether all answers are among the top results. */
async function questions(site: string, outcomes: Crawled["outcomes"], seconds: number): Promise<boolean> {
  await using engine = await openEngine(settings, { mode: "read" })
  const { pages, passages, pagesWithoutVectors } = await engine.stats()
  const rows: Array<[question: string, answer: string, rank: number | string, first: string]> = []
  for (const { text, answer } of DOCUMENTATION_QUESTIONS) {
    const { hits } = await engine.search({ text, limit: LOOKED_AT })
    const at = hits.findIndex(({ url }) => url === site + answer)
    const first = hits[0]?.url.slice(site.length) ?? "nothing"
    rows.push([text, answer, at < 0 ? `beyond ${LOOKED_AT}` : at + 1, first])
  }
  process.stdout.write(
    `${machine()}\n\n${pages} pages, ${passages} passages, ${pagesWithoutVectors} pages without vectors; ` +
      `crawled in ${short(seconds)} s (without the vectors): ${JSON.stringify(outcomes)}\n\n`,
  )
  process.stdout.write(table([["question", "answer", "rank", "first"], ...rows]))
  const found = rows.filter(([, , rank]) => typeof rank === "number" && rank <= TOP).length
  process.stdout.write(`\n${found} of ${rows.length} answers in the top ${TOP}\n`)
  if (pages < MIN_PAGES)
    process.stdout.write(`only ${pages} pages were indexed, at least ${MIN_PAGES} are expected\n`)
  return found === rows.length && pages >= MIN_PAGES && pagesWithoutVectors === 0
}
