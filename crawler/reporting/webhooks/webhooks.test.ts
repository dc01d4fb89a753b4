import { AddressGuard } from "../../fetch/guard/address-guard.ts"
import { FakeInternet } from "../../testing/fake-internet.ts"
import { post } from "./delivery-attempt.ts"
import { spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { pino } from "pino"
import { describe, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import type { PageUrl } from "#engine"
import { Jobs } from "../../jobs/jobs.ts"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { defineSource, type Source, type Webhook } from "../../source.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { CrawlFixture, temporaryFolder } from "../../testing/crawl-fixture.ts"
import { article, startTestSite } from "../../testing/test-site.ts"
import { followWebhooks } from "./follow-webhooks.ts"
import { webhookHeaders } from "./signature.ts"
import { WebhookQueue } from "./webhook-queue.ts"

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came
  readonly body: any
}

/** A receiver on a real socket: answers each request with the next of `statuses`, then with 204. */
async function startReceiver(statuses: (number | "hang")[] = []) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => (text += chunk))
    request.on("end", () => {
      received.push({ path: request.url!, headers: request.headers, text, body: JSON.parse(text) })
      const status = statuses.shift() ?? 204
      if (status === "hang") return
      response.writeHead(status, { location: "/elsewhere", "retry-after": "7" }).end("thanks")
    })
  })
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done)
  })
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

interface Sending {
  readonly env?: NodeJS.ProcessEnv
  readonly networks?: readonly string[]
  readonly lines?: string[]
}

/** Sends everything that becomes due from now on. @returns a function that stops sending */
function follow(
  queue: WebhookQueue,
  { env = {}, networks = ["127.0.0.0/8"], lines = [] }: Sending = {},
): () => Promise<void> {
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) })
  const stop = new AbortController()
  const { signal } = stop
  const userAgent = "FossickBot/1.0"
  const following = followWebhooks({ queue, networks, env, userAgent, log, signal, pollMs: 5 })
  return async () => {
    stop.abort()
    await following
  }
}

/** Sends until nothing more is due. @returns the logged lines */
async function sendAll(queue: WebhookQueue, options: Sending = {}): Promise<string> {
  const lines: string[] = []
  const stop = follow(queue, { ...options, lines })
  await expect
    .poll(async () => !(await queue.hasNotes()) && (await queue.due(new Set(), 1)).length === 0)
    .toBe(true)
  await stop()
  return lines.join("")
}

const hook = (url: string, given: Partial<Webhook> = {}): Webhook => ({
  url,
  events: ["finished", "changed"],
  secret: null,
  ...given,
})

/** A run that indexes these pages: address to hash. */
async function run(
  db: StateStore,
  jobs: Jobs,
  source: Source,
  pages: Readonly<Record<string, string>>,
  end = true,
) {
  const job = (await jobs.start((await jobs.enqueue(source)).id))!
  const keep = statement(
    db,
    `insert into known_address (url, source, job, outcome, hash, visited_at) values (?, ?, ?, 'indexed', ?, ?)`,
  )
  for (const [url, hash] of Object.entries(pages)) await keep.run(url, source.name, job.id, hash, Date.now())
  if (end) await jobs.end(job.id, "finished")
  return job
}

async function open(now: { ms: number } = { ms: Date.now() }) {
  const folder = temporaryFolder()
  const db = await openStateStore(folder.path)
  const queue = new WebhookQueue(db, () => now.ms)
  return {
    now,
    folder: folder.path,
    db,
    queue,
    jobs: new Jobs(db),
    [Symbol.dispose]() {
      db.close()
      folder[Symbol.dispose]()
    },
  }
}

describe("webhooks", () => {
  test("do not reveal which names resolve to private networks; their log does", async () => {
    using internet = new FakeInternet({ "inside.example": "127.0.0.1" })
    await using guard = new AddressGuard({
      allowed: [],
      connections: 1,
      connectTimeoutMs: 30_000,
      resolve: internet.resolve,
    })
    const sent = (host: string) =>
      post(`http://${host}/`, {}, "{}", { guard, timeoutMs: 5000, signal: new AbortController().signal })
    const [inside, unknown] = [await sent("inside.example"), await sent("unknown.example")]
    expect({ ...inside, reason: "" }).toEqual({ ...unknown, reason: "" })
    expect(inside).toMatchObject({ reason: expect.stringContaining("127.0.0.1") as string })
    expect(unknown).toMatchObject({ reason: expect.stringContaining("ENOTFOUND") as string })
  })

  test("report new, changed and removed pages, and then the run's end", async () => {
    await using receiver = await startReceiver()
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a", "/b"] }),
      "/a": article("Alpha"),
      "/b": article("Beta"),
    })
    await using fixture = await CrawlFixture.open()
    const queue = new WebhookQueue(fixture.db)
    const source = { name: "docs", seeds: [site.url("/")], webhooks: [hook(receiver.url)] }
    await fixture.crawl(source)
    await sendAll(queue)
    const [first, end] = receiver.received.map(({ body }) => body)
    expect(receiver.received).toHaveLength(2)
    expect(first).toMatchObject({ type: "pages.changed", data: { source: "docs" } })
    expect(first.data.pages.map(({ change, title }: never) => [change, title]).sort()).toEqual([
      ["new", "Alpha"],
      ["new", "Beta"],
      ["new", "Home"],
    ])
    expect(end).toMatchObject({
      type: "crawl.finished",
      data: { source: "docs", state: "finished", outcomes: { indexed: 3 }, job_id: first.data.job_id },
    })

    site.serve({ "/a": article("Alpha rewritten") })
    await fixture.crawl(source)
    await sendAll(queue)
    expect(receiver.received[2]!.body.data.pages).toEqual([
      {
        change: "changed",
        url: site.url("/a"),
        title: "Alpha rewritten",
        hash: await new KnownAddresses(fixture.db).hashOf(site.url("/a") as PageUrl),
        at: expect.any(String),
      },
    ])
    expect(receiver.received[3]!.body.data.outcomes).toEqual({ indexed: 1, unchanged: 2 })

    // A removal clears the hash of an address.
    await statement(fixture.db, "update known_address set hash = null where url = ?").run(site.url("/b"))
    await sendAll(queue)
    expect(receiver.received[4]!.body.data.pages).toMatchObject([
      { change: "removed", url: site.url("/b"), title: "Beta", hash: null },
    ])
  })

  test("are sent only for the selected events, and nothing is recorded for sources without webhooks", async () => {
    await using receiver = await startReceiver()
    using state = await open()
    const { db, jobs, queue } = state
    await run(db, jobs, defineSource({ name: "quiet", seeds: ["http://quiet.example/"] }), {
      "http://quiet.example/": "1",
    })
    expect(await queue.hasNotes()).toBe(false)
    const seeds = ["http://docs.example/"]
    await run(db, jobs, defineSource({ seeds, webhooks: [hook(receiver.url, { events: ["finished"] })] }), {
      "http://docs.example/": "1",
    })
    await sendAll(queue)
    expect(receiver.received.map(({ body }) => body.type)).toEqual(["crawl.finished"])
  })

  test("are signed according to Standard Webhooks, with secrets given as references", async () => {
    await using receiver = await startReceiver()
    using state = await open()
    const secret = Buffer.from("a key of twenty-four b.").toString("base64")
    const source = defineSource({
      seeds: ["http://docs.example/"],
      webhooks: [hook(receiver.url, { events: ["finished"], secret: "${HOOK_SECRET}" })],
    })
    await run(state.db, state.jobs, source, {})
    const log = await sendAll(state.queue, { env: { HOOK_SECRET: `whsec_${secret}` } })
    const { headers, text } = receiver.received[0]!
    const signed = [headers["webhook-id"], headers["webhook-timestamp"], text].join(".")
    const expected = createHmac("sha256", Buffer.from(secret, "base64")).update(signed).digest("base64")
    expect(headers["webhook-signature"]).toBe(`v1,${expected}`)
    expect(Math.abs(Number(headers["webhook-timestamp"]) - Date.now() / 1000)).toBeLessThan(60)
    expect(headers["content-type"]).toBe("application/json")
    expect(log + JSON.stringify(await state.queue.list({ limit: 9, offset: 0 }))).not.toContain(secret)
  })

  test("reproduce the signature of the specification's own example", () => {
    const headers = webhookHeaders(
      {
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        at: new Date(1_614_265_330_000),
        body: '{"test": 2432232314}',
      },
      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    )
    expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  })

  test("wait for a missing secret, and name it", async () => {
    await using receiver = await startReceiver()
    using state = await open()
    const source = defineSource({
      seeds: ["http://docs.example/"],
      webhooks: [hook(receiver.url, { events: ["finished"], secret: "${NOT_THERE}" })],
    })
    await run(state.db, state.jobs, source, {})
    await sendAll(state.queue)
    expect(receiver.received).toEqual([])
    expect((await state.queue.list({ limit: 1, offset: 0 }))[0]).toMatchObject({
      state: "waiting",
      lastError: expect.stringContaining("${NOT_THERE}"),
    })
  })

  test("are not signed with a guessable secret, and name it", async () => {
    await using receiver = await startReceiver()
    using state = await open()
    const source = defineSource({
      seeds: ["http://docs.example/"],
      webhooks: [hook(receiver.url, { events: ["finished"], secret: "${HOOK_SECRET}" })],
    })
    await run(state.db, state.jobs, source, {})
    const log = await sendAll(state.queue, { env: { HOOK_SECRET: "whsec_hunter2" } })
    expect(receiver.received).toEqual([])
    const [delivery] = await state.queue.list({ limit: 1, offset: 0 })
    expect(delivery).toMatchObject({
      state: "waiting",
      lastError: expect.stringMatching(
        /^the secret \$\{HOOK_SECRET\} must be hard to guess: at least 16 characters/,
      ),
    })
    expect(log + JSON.stringify(delivery)).not.toContain("hunter2")
  })

  test("are retried under the same id until accepted, with growing pauses", async () => {
    await using receiver = await startReceiver([500, 302])
    using state = await open()
    const { now, queue } = state
    await run(
      state.db,
      state.jobs,
      defineSource({
        seeds: ["http://docs.example/"],
        webhooks: [hook(receiver.url, { events: ["finished"] })],
      }),
      {},
    )
    await sendAll(queue)
    const [failed] = await queue.list({ limit: 1, offset: 0 })
    expect(failed).toMatchObject({ state: "waiting", attempts: 1, lastStatus: 500 })
    // The receiver asks us to wait for seven seconds, which is longer than our first pause.
    expect(failed!.nextAttemptAt!.getTime() - now.ms).toBeGreaterThan(6000)
    now.ms += 10_000
    await sendAll(queue)
    expect((await queue.list({ limit: 1, offset: 0 }))[0]).toMatchObject({
      attempts: 2,
      lastError: expect.stringContaining("redirects are not followed"),
    })
    now.ms += 60_000
    await sendAll(queue)
    expect((await queue.list({ limit: 1, offset: 0 }))[0]).toMatchObject({
      state: "delivered",
      attempts: 3,
      lastStatus: 204,
      nextAttemptAt: null,
      lastError: null,
    })
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hook", "/hook", "/hook"])
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1)
  })

  test("are given up at once when the receiver is gone", async () => {
    await using receiver = await startReceiver([410])
    using state = await open()
    const webhooks = [hook(receiver.url, { events: ["finished"] })]
    await run(state.db, state.jobs, defineSource({ seeds: ["http://docs.example/"], webhooks }), {})
    await sendAll(state.queue)
    expect((await state.queue.list({ limit: 1, offset: 0 }))[0]).toMatchObject({
      state: "given-up",
      attempts: 1,
    })
  })

  test("reach private addresses only when their own setting allows it", async () => {
    await using receiver = await startReceiver()
    using state = await open()
    const webhooks = [hook(receiver.url, { events: ["finished"] })]
    await run(state.db, state.jobs, defineSource({ seeds: ["http://docs.example/"], webhooks }), {})
    await sendAll(state.queue, { networks: [] })
    expect(receiver.received).toEqual([])
    expect((await state.queue.list({ limit: 1, offset: 0 }))[0]!.lastError).toContain(
      "FOSSICK_WEBHOOK_NETWORKS",
    )
  })

  test("survive kill -9 of the crawler process mid-attempt", async () => {
    await using receiver = await startReceiver(["hang"])
    using state = await open()
    const webhooks = [hook(receiver.url, { events: ["finished"] })]
    await run(state.db, state.jobs, defineSource({ seeds: ["http://docs.example/"], webhooks }), {})
    const start = () =>
      spawn(process.execPath, [fileURLToPath(new URL("../../main.ts", import.meta.url))], {
        env: {
          ...CHILD_ENV,
          FOSSICK_DATA_DIR: state.folder,
          FOSSICK_STATE: process.env["FOSSICK_STATE"],
          FOSSICK_WEBHOOK_NETWORKS: "127.0.0.1",
          FOSSICK_LOG_LEVEL: "silent",
        },
        stdio: ["ignore", "inherit", "inherit"],
      })
    const received = (count: number) => expect.poll(() => receiver.received.length).toBe(count)
    const first = start()
    await received(1)
    first.kill("SIGKILL")
    await once(first, "exit")
    const second = start()
    await received(2)
    await expect.poll(() => state.queue.count({ state: "delivered" })).toBe(1)
    second.kill("SIGTERM")
    await once(second, "exit")
    expect(receiver.received[1]!.headers["webhook-id"]).toBe(receiver.received[0]!.headers["webhook-id"])
  })

  test("report each change and each end once, however many processes check at the same time", async () => {
    using state = await open()
    const webhooks = [hook("http://hook.example/", { events: ["changed", "finished"] })]
    const pages = Object.fromEntries(
      Array.from({ length: 130 }, (_, i) => [`http://docs.example/${i}`, String(i)]),
    )
    await run(state.db, state.jobs, defineSource({ seeds: ["http://docs.example/"], webhooks }), pages)
    await Promise.all(Array.from({ length: 3 }, () => state.queue.collect()))
    const sent = await state.queue.list({ limit: 9 })
    const told = sent.toReversed().map(({ event, body }) => {
      const { data } = JSON.parse(body) as { data: { pages?: unknown[] } }
      return [event, data.pages?.length]
    })
    expect(told).toEqual([
      ["changed", 100],
      ["changed", 30],
      ["finished", undefined],
    ])
  })

  test("contain at most a hundred pages, and go out during a long run", async () => {
    await using receiver = await startReceiver()
    using state = await open()
    const source = defineSource({
      seeds: ["http://docs.example/"],
      webhooks: [hook(receiver.url, { events: ["changed"] })],
    })
    const pages = Object.fromEntries(
      Array.from({ length: 230 }, (_, i) => [`http://docs.example/${i}`, String(i)]),
    )
    const job = await run(state.db, state.jobs, source, pages, false)
    const sizes = () => receiver.received.map(({ body }) => body.data.pages.length)
    const stop = follow(state.queue)
    await expect.poll(sizes).toEqual([100, 100])
    // A message whose response isn't recorded yet would be sent again.
    await expect.poll(() => state.queue.count({ state: "delivered" })).toBe(2)
    await stop()
    await state.jobs.end(job.id, "finished")
    await sendAll(state.queue)
    expect(sizes()).toEqual([100, 100, 30])
    const urls = receiver.received.flatMap(({ body }) => body.data.pages.map(({ url }: never) => url))
    expect(new Set(urls)).toEqual(new Set(Object.keys(pages)))
  })
})
