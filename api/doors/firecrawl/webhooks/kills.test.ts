import { type ChildProcess, fork } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { join } from "node:path"

import { expect, test } from "vitest"

import { pause } from "#base/flow/pause.ts"
import { readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { until } from "#base/testing/until.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { article, startTestSite } from "#crawler/testing/test-site.ts"

import { openAccounts } from "../../../identity/accounts/accounts.ts"
import { apiSettings } from "../../../settings.ts"
import { FieldReader } from "../../../server/wire/fields.ts"
import { readBatch } from "../jobs/crawl-request.ts"
import { JobStore } from "../jobs/job-store.ts"
import type { Asked } from "./testing/job-worker.ts"

// Jobs that notify a receiver, in a process that is killed while it is working, sending or waiting.

const WORKER = join(import.meta.dirname, "testing/job-worker.ts")
const PAGES = 12
const KILLS = 3

interface Told {
  readonly id: string
  readonly type: string
  readonly webhookId: string
  readonly data: readonly { readonly metadata: { readonly sourceURL: string } }[]
}

test("every job event survives many kills, with one id and in order", async () => {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(temporaryFolder())
  const told: Told[] = []
  /** The site doesn't serve the last page until this resolves. */
  let lastPage = Promise.withResolvers<void>()
  let refusals = 0
  const pages = Array.from({ length: PAGES }, (_, at) => `/page/${at}`)
  const site = opened.use(
    await startTestSite({
      ...Object.fromEntries(pages.map((path) => [path, article(`Page ${path}`)])),
      [pages.at(-1)!]: async (_, response) => {
        await lastPage.promise
        response.end("the last page")
      },
      "/hook": async (request, response) => {
        const body = await text(request)
        told.push(JSON.parse(body) as Told)
        // Some attempts fail, and some are accepted by a receiver that answers late.
        const isRefused = told.length % 11 === 5
        if (isRefused) refusals += 1
        await pause((told.length * 37) % 60)
        response.writeHead(isRefused ? 503 : 204).end()
      },
    }),
  )
  const db = await openStateStore(folder.path)
  opened.defer(() => db.close())
  const accounts = opened.use(await openAccounts(db, readSettings(apiSettings, {}), () => {}))
  const key = (await accounts.keys.verify(await accounts.keys.create({ role: "admin" })))!
  const store = new JobStore(db, accounts.writes, 10_000_000, accounts.kept)

  let worker: ChildProcess | null = null
  const start = async () => {
    worker = fork(WORKER, [folder.path, site.authority], { stdio: ["ignore", "ignore", "inherit", "ipc"] })
    await once(worker, "message")
  }
  const kill = async () => {
    if (worker === null) return
    const gone = once(worker, "exit")
    worker.kill("SIGKILL")
    await gone
    worker = null
  }
  opened.defer(kill)

  const jobs: string[] = []
  const begin = async () => {
    const webhook = { url: site.url("/hook") }
    const { request } = readBatch(new FieldReader({ urls: pages.map((path) => site.url(path)), webhook }), 2)
    const id = randomUUID()
    jobs.push(id)
    worker!.send({ id, keyId: key.id, request } satisfies Asked)
    // A kill can lose the answer; the request is then repeated under the same name.
    await until(async () => (await store.get(id)) !== null)
  }
  await start()
  for (let at = 0; at < KILLS; at++) {
    await begin()
    if (at % 3 === 0) await begin()
    // Kills the process either in the middle of a job or at any other time: before the job, at its end, or while
    // messages are being sent.
    const isHeld = at % 2 === 0
    if (isHeld) await until(async () => (await store.get(jobs.at(-1)!))!.completed > 0)
    else {
      lastPage.resolve()
      await pause((at * 97) % 400)
    }
    await kill()
    lastPage = Promise.withResolvers()
    await start()
  }
  lastPage.resolve()
  await begin()
  await until(async () => {
    for (const id of jobs) if ((await store.get(id))!.endedAt === null) return false
    return true
  })
  // A refused message would be sent again after a minute; here it is due at once, and again after each refusal.
  const count = async (which: string) =>
    Number(
      (await statement(
        db,
        `select count(*) as n from firecrawl_message where state = 'waiting' ${which}`,
      ).get())!["n"],
    )
  await until(async () => {
    if ((await count("and due_at > first_due_at")) > 0)
      // The write is retried, because another process might be writing.
      await db.patiently(() =>
        db.script("update firecrawl_message set due_at = first_due_at where state = 'waiting'"),
      )
    return (await count("")) === 0
  }, 50)

  expect(refusals).toBeGreaterThan(0)
  const states = await Promise.all(jobs.map(async (id) => (await store.get(id))!.state))
  expect(states.at(-1)).toBe("completed")
  expect(states).toContain("failed")
  for (const id of jobs) {
    const job = (await store.get(id))!
    // Several attempts to send a message count as one.
    const inOrder = [
      ...new Map(told.filter((one) => one.id === id).map((one) => [one.webhookId, one])).values(),
    ]
    expect(inOrder.map(({ type }) => type)).toEqual([
      "batch_scrape.started",
      ...Array.from({ length: job.completed }, () => "batch_scrape.page"),
      `batch_scrape.${job.state}`,
    ])
    const toldPages = inOrder.flatMap(({ data }) => data.map(({ metadata }) => metadata.sourceURL))
    expect(toldPages).toEqual((await Array.fromAsync(store.documents(id, 0))).map(({ url }) => url))
    expect(new Set(toldPages).size).toBe(job.completed)
  }
})
