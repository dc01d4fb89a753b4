import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { openStateStore } from "#base/store/state-store.ts"
import { NO_POSTGRES, postgresPrograms, PostgresServer } from "#base/store/testing/postgres-server.ts"
import { defineSource } from "../../source.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { temporaryFolder } from "../../testing/crawl-fixture.ts"
import { article, html, startTestSite, status } from "../../testing/test-site.ts"

const CRAWLER = fileURLToPath(new URL("../../testing/crawl-among-others.ts", import.meta.url))
const DELAY_MS = 60
const PAGES = 6

const crawler = (dir: string, name: string, state: string): ChildProcess =>
  spawn(process.execPath, [CRAWLER, dir, name, String(DELAY_MS)], {
    stdio: ["pipe", "ignore", "inherit"],
    env: { ...process.env, FOSSICK_STATE: state },
  })

/** One request to the site: whose it was, and from when to when. */
interface Span {
  readonly crawler: string
  readonly host: string
  readonly path: string
  readonly from: number
  to: number
}

/**
 * Three crawlers work on five sources, two of them on one host; the one that has asked for most is killed as it asks for another page.
 */
async function crawlWithThree(dir: string, state: string) {
  const spans: Span[] = []
  const hosts = ["one.example", "one.example", "two.example", "three.example", "four.example"]
  const names = hosts.map((_, at) => `source-${at}`)
  const crawlers = new Map<string, ChildProcess>()
  let killed: string | null = null
  await using site = await startTestSite({
    "/robots.txt": status(404),
    "*": async (request, response) => {
      const path = request.url ?? "/"
      const name = request.headers["user-agent"]?.split("/")[0] ?? ""
      const span: Span = {
        crawler: name,
        host: request.headers.host ?? "",
        path,
        from: performance.now(),
        to: Infinity,
      }
      spans.push(span)
      response.once("close", () => (span.to = performance.now()))
      const [, folder = "", page = ""] = path.split("/")
      const links = Array.from({ length: PAGES - 1 }, (_, at) => `/${folder}/${at + 1}`)
      if (killed === null && spans.filter((one) => one.crawler === name).length === 4) {
        killed = name
        crawlers.get(name)!.kill("SIGKILL")
        return
      }
      html(article(`Harbour ${folder} ${page}`, { links: page === "" ? links : [] }))(request, response)
    },
  })
  const { port } = new URL(site.origin)
  using db = openStateStore(dir)
  const jobs = new Jobs(db)
  const ids = names.map((name, at) => {
    const seeds = [`http://${hosts[at]}:${port}/${name}/`]
    return jobs.enqueue(defineSource({ name, seeds, scope: "prefix" })).id
  })
  try {
    for (const name of ["a", "b", "c"]) crawlers.set(name, crawler(dir, name, state))
    await expect.poll(() => jobs.list().filter(({ endedAt }) => endedAt === null)).toEqual([])
  } finally {
    for (const child of crawlers.values()) child.stdin?.end()
    await Promise.all(
      [...crawlers.values()].map(async (child) => {
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
      }),
    )
  }
  const pages = spans.filter(({ path }) => path.startsWith("/source-"))
  const gaps = [...new Set(spans.map((one) => one.host))].flatMap((host) => {
    const there = spans.filter((one) => one.host === host)
    return there
      .slice(1)
      .map(({ from }, at) => from - Math.max(...there.slice(0, at + 1).map(({ to }) => to)))
  })
  return {
    outcomes: ids.map((id) => jobs.get(id)?.outcomes),
    isKilled: killed !== null,
    twice: pages.length - new Set(pages.map(({ path }) => path)).size,
    ofLost: pages.filter((one) => one.crawler === killed).length,
    crawlers: new Set(pages.map((one) => one.crawler)).size,
    leastGap: Math.min(...gaps),
  }
}

/** Nobody else's work is lost, and none is done twice but what the lost one had in hand. */
const ALL_DONE = {
  outcomes: Array.from({ length: 5 }, () => ({ indexed: PAGES })),
  isKilled: true,
  crawlers: expect.toSatisfy((crawlers: number) => crawlers > 1) as number,
  // The pause begins when the answer has arrived, a little after it was sent.
  leastGap: expect.toSatisfy((ms: number) => ms > DELAY_MS - 5) as number,
}

describe("three crawlers on one state, one of them killed", () => {
  test("in state.db: every page is done, and each host is left alone as long as it wants", async () => {
    using folder = temporaryFolder()
    const run = await crawlWithThree(folder.path, "")
    expect(run).toMatchObject(ALL_DONE)
    expect(run.twice).toBeLessThanOrEqual(run.ofLost)
  })

  const isMissing = postgresPrograms() === null
  test.skipIf(isMissing)(`on PostgreSQL, too${isMissing ? `: ${NO_POSTGRES}` : ""}`, async () => {
    using folder = temporaryFolder()
    await using server = await PostgresServer.start()
    const { FOSSICK_STATE: before } = process.env
    process.env["FOSSICK_STATE"] = server.socketUrl()
    try {
      const run = await crawlWithThree(folder.path, server.socketUrl())
      expect(run).toMatchObject(ALL_DONE)
      expect(run.twice).toBeLessThanOrEqual(run.ofLost)
    } finally {
      if (before === undefined) delete process.env["FOSSICK_STATE"]
      else process.env["FOSSICK_STATE"] = before
    }
  })
})
