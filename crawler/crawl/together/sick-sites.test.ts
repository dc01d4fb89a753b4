import { createServer, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

import { pino } from "pino"
import { expect, test } from "vitest"

import { freePort } from "#base/testing/free-port.ts"
import { defineSource } from "../../source.ts"
import { CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { article, startTestSite, status } from "../../testing/test-site.ts"
import { CrawlShare } from "./crawl-share.ts"
import { JobRuns } from "./job-runs.ts"

/** Listens on a port and passes connections to the given handler. Closing the listener also closes its connections. */
async function listening(treat: (socket: Socket) => void) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on("error", () => undefined)
    treat(socket)
  })
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done)
  })
  const { port } = server.address() as { port: number }
  return {
    host: `127.0.0.1:${port}`,
    close: () =>
      new Promise<unknown>((done) => {
        server.close(done)
        for (const socket of open) socket.destroy()
      }),
  }
}

test("four sick sources out of twelve wait, each with a reason, while the others finish", async () => {
  await using fixture = await CrawlFixture.open()
  const { db, jobs, engine } = fixture
  const dead = { host: `127.0.0.1:${await freePort()}` }
  const silent = await listening(() => undefined)
  const noTls = await listening((socket) => socket.end("no TLS here"))
  await using busy = await startTestSite({ "*": status(503, { "retry-after": "600" }) })
  await using healthy = await startTestSite(
    Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [
        [`/${at}/`, article(`Harbour ${at}`, { links: [`/${at}/more`] })],
        [`/${at}/more`, article(`Windmill ${at}`)],
      ]).flat() as [string, string][],
    ),
  )
  const seeds = [
    `http://${dead.host}/`,
    `http://${silent.host}/`,
    `https://${noTls.host}/`,
    busy.url("/"),
    ...Array.from({ length: 8 }, (_, at) => healthy.url(`/${at}/`)),
  ]
  // The sick sites are requested first, and there are fewer places than sources.
  const ids = await Promise.all(
    seeds.map(
      async (seed, at) =>
        (await jobs.enqueue(defineSource({ name: `source-${at}`, seeds: [seed], scope: "prefix" }))).id,
    ),
  )
  const config = testConfig({
    FOSSICK_JOBS: "3",
    FOSSICK_RETRY_DELAY_MS: "60000",
    FOSSICK_MAX_WAIT_MS: "900000",
    FOSSICK_FETCH_TIMEOUT_MS: "10000",
  })
  await using share = new CrawlShare(config)
  const stop = new AbortController()
  const runs = new JobRuns({
    db,
    jobs,
    engine,
    config,
    log: pino({ level: "silent" }),
    signal: stop.signal,
    share,
  })
  const [refuses, hangs, broken, asks] = ids as [number, number, number, number]
  const isOver = async (id: number) => (await jobs.get(id))?.state === "finished"
  const areOver = async (some: readonly number[]) => {
    for (const id of some) if (!(await isOver(id))) return false
    return true
  }
  while (!(await areOver(ids.slice(4)))) {
    await runs.begin()
    await sleep(20)
  }
  expect((await engine.stats()).pages).toBe(16)
  // A site with an invalid certificate is not retried; the other jobs wait without delaying each other.
  await expect.poll(() => isOver(broken)).toBe(true)
  expect((await jobs.get(broken))?.note).toContain("was given up for this run: no")
  const waits = async (id: number) => (await jobs.get(id))?.waits.map(({ host, why }) => [host, why])
  // A host that refuses connections from the start is tried a second time, and then abandoned.
  await expect.poll(() => isOver(refuses)).toBe(true)
  expect(await jobs.get(refuses)).toMatchObject({ outcomes: { "failed:refused": 1 }, result: "failed" })
  await expect.poll(async () => (await waits(hangs))?.[0]?.[0]).toBe(silent.host)
  await expect.poll(() => waits(asks)).toEqual([[busy.authority, "the site answered 503"]])
  expect(busy.requests.length).toBeLessThanOrEqual(2)
  for (const id of [hangs, asks]) expect(await jobs.get(id)).toMatchObject({ state: "running", queued: 1 })

  // Waiting for a host ends at once when the operator skips it; the remaining addresses are recorded as cancelled.
  expect(await jobs.skipHost(hangs, "nowhere.example")).toBe(false)
  expect(await jobs.skipHost(hangs, silent.host)).toBe(true)
  while (!(await isOver(hangs))) await sleep(20)
  expect(await jobs.get(hangs)).toMatchObject({ outcomes: { "failed:cancelled": 1 }, waits: [] })
  expect(await jobs.skipHost(hangs, silent.host)).toBe(false)
  stop.abort()
  await Promise.all(runs.promises)
  expect(await jobs.get(asks)).toMatchObject({ state: "queued", waits: [] })
  await Promise.all([silent.close(), noTls.close()])
})
