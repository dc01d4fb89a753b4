import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { pause } from "#base/flow/pause.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { PATIENCE } from "#base/testing/patience.ts"
import { Jobs } from "../jobs/jobs.ts"
import { defineSource } from "../source.ts"
import { article, html, startTestSite, status } from "./test-site.ts"

const CRAWLER = fileURLToPath(new URL("crawl-among-others.ts", import.meta.url))
/** The hosts of the five sources; two sources are on the same host. */
const HOSTS = ["one.example", "one.example", "two.example", "three.example", "four.example"]
const DELAY_MS = 60
/** The shortest gap between requests: the pause starts when the response arrives, slightly after it was sent. */
const LEAST_GAP_MS = DELAY_MS - 5

interface ThreeCrawlers {
  readonly dataDir: string
  /** The value of `FOSSICK_STATE` for all three crawlers. */
  readonly state: string
  /** Number of pages of each of the five sources. */
  readonly pages: number
  /** The number of requests at which a crawler is killed: the first crawler to send that many is killed before it gets its response. */
  readonly killAt: number
}

/** The result of the crawl. */
export interface CrawledByThree {
  /** Number of pages of the five sources that their jobs indexed. */
  readonly pages: number
  readonly indexed: number
  readonly isKilled: boolean
  /** Number of requests beyond the first for a page, and number of requests by the killed crawler. */
  readonly twice: number
  readonly ofLost: number
  /** How many of the three crawlers requested pages. */
  readonly crawlers: number
  /** Number of requests that came before their host's pause was over. */
  readonly hurried: number
}

/** One request to the site: the crawler that sent it, and its start and end time. */
interface Span {
  readonly crawler: string
  readonly host: string
  readonly path: string
  readonly from: number
  to: number
}

/** Runs three crawlers on five sources; one of them is killed while it is requesting a page. The caller's own `FOSSICK_STATE` must have the value of `state`. */
export async function crawlWithThree({
  dataDir,
  state,
  pages,
  killAt,
}: ThreeCrawlers): Promise<CrawledByThree> {
  const spans: Span[] = []
  const crawlers = new Map<string, ChildProcess>()
  let killed: string | null = null
  await using site = await startTestSite({
    "/robots.txt": status(404),
    "*": async (request, response) => {
      const path = request.url ?? "/"
      const crawler = request.headers["user-agent"]?.split("/")[0] ?? ""
      const host = request.headers.host ?? ""
      const span: Span = { crawler, host, path, from: performance.now(), to: Infinity }
      spans.push(span)
      response.once("close", () => (span.to = performance.now()))
      const [, folder = "", page = ""] = path.split("/")
      const links = Array.from({ length: pages - 1 }, (_, at) => `/${folder}/${at + 1}`)
      if (killed === null && spans.filter((one) => one.crawler === crawler).length === killAt) {
        killed = crawler
        crawlers.get(crawler)!.kill("SIGKILL")
        return
      }
      html(article(`Harbour ${folder} ${page}`, { links: page === "" ? links : [] }))(request, response)
    },
  })
  const { port } = new URL(site.origin)
  using db = await openStateStore(dataDir)
  const jobs = new Jobs(db)
  const ids: number[] = []
  for (const [at, host] of HOSTS.entries()) {
    const seeds = [`http://${host}:${port}/source-${at}/`]
    ids.push((await jobs.enqueue(defineSource({ name: `source-${at}`, seeds, scope: "prefix" }))).id)
  }
  try {
    for (const name of ["a", "b", "c"]) {
      const child = spawn(process.execPath, [CRAWLER, dataDir, name, String(DELAY_MS)], {
        stdio: ["pipe", "ignore", "inherit"],
        env: { ...process.env, FOSSICK_STATE: state },
      })
      crawlers.set(name, child)
    }
    await allEnded(jobs)
  } finally {
    for (const child of crawlers.values()) child.stdin?.end()
    await Promise.all(
      [...crawlers.values()].map(async (child) => {
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
      }),
    )
  }
  let indexed = 0
  for (const id of ids) indexed += (await jobs.get(id))?.outcomes.indexed ?? 0
  const asked = spans.filter(({ path }) => path.startsWith("/source-"))
  return {
    pages: HOSTS.length * pages,
    indexed,
    isKilled: killed !== null,
    twice: asked.length - new Set(asked.map(({ path }) => path)).size,
    ofLost: asked.filter(({ crawler }) => crawler === killed).length,
    crawlers: new Set(asked.map(({ crawler }) => crawler)).size,
    hurried: hurried(spans),
  }
}

async function allEnded(jobs: Jobs): Promise<void> {
  const until = performance.now() + PATIENCE.expect.poll.timeout
  while ((await jobs.list()).some(({ endedAt }) => endedAt === null)) {
    if (performance.now() > until) throw new Error("The jobs of three crawlers did not end.")
    await pause(50)
  }
}

function hurried(spans: readonly Span[]): number {
  return spans.filter(({ host, from }, at) => {
    const before = spans.slice(0, at).filter((one) => one.host === host)
    return before.length > 0 && from - Math.max(...before.map(({ to }) => to)) < LEAST_GAP_MS
  }).length
}
