import { fork } from "node:child_process"
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { pino } from "pino"
import { DiskRoom } from "#base/disk-space.ts"
import { expect, test, vi } from "vitest"
import { Jobs } from "../jobs/jobs.ts"
import { defineSource } from "../source.ts"
import { CrawlFixture } from "../testing/crawl-fixture.ts"
import { picture } from "../testing/pictures.ts"
import { type Answer, article, startTestSite } from "../testing/test-site.ts"
import { followImages } from "./follow-images.ts"
import { ImageStore } from "./image-store.ts"

const WAIT = { timeout: 30_000, interval: 50 }
const PAGE = article("Bees").replace("</h1>", '</h1><p><img src="/bee.png" alt="A bee"></p>')

/** Says nothing to the first request, and sends the picture to the next ones. */
async function slowAtFirst(): Promise<{ answer: Answer; first: Promise<ServerResponse> }> {
  const body = await picture(1)
  const first = Promise.withResolvers<ServerResponse>()
  let requests = 0
  return {
    first: first.promise,
    answer: (_, response) => {
      requests += 1
      if (requests === 1) first.resolve(response)
      else response.writeHead(200, { "content-type": "image/png" }).end(body)
    },
  }
}

const row = (fixture: CrawlFixture) => fixture.db.prepare("select state, tries from image").get()

test("a process that was killed while it looked is followed by one that looks again", async () => {
  const { answer, first } = await slowAtFirst()
  await using site = await startTestSite({ "/": PAGE, "/bee.png": answer })
  await using fixture = new CrawlFixture()
  await fixture.crawl({ seeds: [site.url("/")] })
  const start = () =>
    fork(new URL("./image-worker.ts", import.meta.url), {
      env: { ...process.env, FOSSICK_DATA_DIR: fixture.folder, FOSSICK_LOG_LEVEL: "silent" },
    })

  const killed = start()
  await first
  killed.kill("SIGKILL")
  await once(killed, "exit")
  expect(row(fixture)).toEqual({ state: null, tries: 1 })

  const [code] = await once(start(), "exit")
  expect(code).toBe(0)
  expect(row(fixture)).toEqual({ state: "read", tries: 2 })
})

test("images wait for a crawl, and go on after it", async () => {
  const { answer, first } = await slowAtFirst()
  await using site = await startTestSite({ "/": PAGE, "/bee.png": answer })
  await using fixture = new CrawlFixture()
  await fixture.crawl({ seeds: [site.url("/")] })
  const jobs = new Jobs(fixture.db)
  const stop = new AbortController()
  vi.stubEnv("FOSSICK_DATA_DIR", fixture.folder)
  vi.stubEnv("FOSSICK_LOG_LEVEL", "silent")
  const following = followImages({
    room: new DiskRoom(fixture.folder, 0),
    store: new ImageStore(fixture.db, fixture.folder),
    jobs,
    log: pino({ level: "silent" }),
    signal: stop.signal,
  })

  const cut = once(await first, "close")
  const { id } = jobs.enqueue(defineSource({ seeds: [site.url("/other")] }))
  await cut
  await vi.waitFor(() => {
    expect(row(fixture)).toEqual({ state: null, tries: 0 })
  }, WAIT)

  jobs.cancel(id)
  await vi.waitFor(() => {
    expect(row(fixture)).toEqual({ state: "read", tries: 1 })
  }, WAIT)
  stop.abort()
  await following
  vi.unstubAllEnvs()
})
