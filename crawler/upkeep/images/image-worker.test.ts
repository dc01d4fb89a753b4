import { fork } from "node:child_process"
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { pino } from "pino"
import { DiskRoom } from "#base/disk-space.ts"
import { expect, test, vi } from "vitest"
import { Jobs } from "../../jobs/jobs.ts"
import { defineSource } from "../../source.ts"
import { CrawlFixture } from "../../testing/crawl-fixture.ts"
import { interlacedPicture, picture } from "../../testing/pictures.ts"
import { type Answer, article, bytes, startTestSite } from "../../testing/test-site.ts"
import { followImages } from "./follow-images.ts"
import { ImageStore } from "./image-store.ts"
import { statement } from "#base/store/testing/statement.ts"

const PAGE = article("Bees").replace("</h1>", '</h1><p><img src="/bee.png" alt="A bee"></p>')

/** Doesn't respond to the first request, and sends the image to later ones. */
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

const row = (fixture: CrawlFixture) => statement(fixture.db, "select state, tries from image").get()

test("a process killed while looking at images is followed by one that looks again", async () => {
  const { answer, first } = await slowAtFirst()
  await using site = await startTestSite({ "/": PAGE, "/bee.png": answer })
  await using fixture = await CrawlFixture.open()
  await fixture.crawl({ seeds: [site.url("/")] })
  const start = () =>
    fork(new URL("./image-worker.ts", import.meta.url), {
      env: { ...process.env, FOSSICK_DATA_DIR: fixture.folder, FOSSICK_LOG_LEVEL: "silent" },
    })

  const killed = start()
  await first
  killed.kill("SIGKILL")
  await once(killed, "exit")
  expect(await row(fixture)).toEqual({ state: null, tries: 1 })

  const [code] = await once(start(), "exit")
  expect(code).toBe(0)
  expect(await row(fixture)).toEqual({ state: "read", tries: 2 })
})

test("an image that kills the process is tried alone, then given up, and affects no other", async () => {
  const poison = interlacedPicture(10_000, { depth: 8, colour: "grey" })
  const send = (body: Uint8Array): Answer => bytes(body, { "content-type": "image/png" })
  const images = ["/bee.png", "/poison.png", "/wasp.png"].map(
    (src) => `<p><img src="${src}" alt="A bee"></p>`,
  )
  await using site = await startTestSite({
    "/": article("Bees").replace("</h1>", `</h1>${images.join("")}`),
    "/bee.png": send(await picture(1)),
    "/poison.png": send(poison),
    "/wasp.png": send(await picture(2)),
  })
  await using fixture = await CrawlFixture.open()
  await fixture.crawl({ seeds: [site.url("/")] })
  // The worker alone needs about 100 MB, and the image as much again.
  const env = {
    FOSSICK_DATA_DIR: fixture.folder,
    FOSSICK_LOG_LEVEL: "silent",
    FOSSICK_IMAGE_MEMORY_MB: "200",
  }
  const ends: (number | string)[] = []
  while (ends.at(-1) !== 0 && ends.length < 6) {
    const worker = fork(new URL("./image-worker.ts", import.meta.url), { env: { ...process.env, ...env } })
    const [code, signal] = await once(worker, "exit")
    ends.push(code ?? signal)
  }
  expect(ends).toEqual(["SIGKILL", "SIGKILL", "SIGKILL", 0])
  const rows = await statement(fixture.db, "select url, state, tries, detail from image order by url").all()
  expect(rows).toMatchObject([
    { url: site.url("/bee.png"), state: "read" },
    {
      url: site.url("/poison.png"),
      state: "unreadable",
      tries: 3,
      detail: "it repeatedly crashed its process",
    },
    { url: site.url("/wasp.png"), state: "read", tries: 1 },
  ])
})

test("images wait for a crawl to end, and then continue", async () => {
  const { answer, first } = await slowAtFirst()
  await using site = await startTestSite({ "/": PAGE, "/bee.png": answer })
  await using fixture = await CrawlFixture.open()
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
  const { id } = await jobs.enqueue(defineSource({ seeds: [site.url("/other")] }))
  await cut
  await expect.poll(() => row(fixture)).toEqual({ state: null, tries: 0 })

  await jobs.cancel(id)
  await expect.poll(() => row(fixture)).toEqual({ state: "read", tries: 1 })
  stop.abort()
  await following
  vi.unstubAllEnvs()
})
