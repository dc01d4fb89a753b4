import { createHmac } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"

import { afterAll, beforeAll, expect, test } from "vitest"

import { startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

import { serveTwoSources, type TwoSources } from "../../../testing/two-sources.ts"
import { statement } from "#base/store/testing/statement.ts"

// Jobs that notify a receiver, tested over sockets.

const opened = new AsyncDisposableStack()
let garden: TwoSources
let receiver: TestSite
const received: { readonly headers: IncomingMessage["headers"]; readonly text: string }[] = []

beforeAll(async () => {
  garden = opened.use(await serveTwoSources())
  receiver = opened.use(
    await startTestSite({
      "/hook": async (request, response) => {
        received.push({ headers: request.headers, text: await text(request) })
        response.writeHead(204).end()
      },
    }),
  )
})
afterAll(() => opened.disposeAsync())

// oxlint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came back
const bodies = (): any[] => received.map((one) => JSON.parse(one.text))

test("a batch reports its start, documents and end, signed in both ways", async () => {
  const key = await garden.app.key({ role: "admin" })
  const start = await garden.app.call("/v2/batch/scrape", key, {
    urls: [garden.site.url("/roses/"), garden.site.url("/none")],
    webhook: { url: receiver.url("/hook"), metadata: { order: "7" } },
  })
  const { id, webhookSecret: secret } = start.body
  await expect.poll(() => bodies().map(({ type }) => type)).toContain("batch_scrape.completed")
  expect(bodies().map(({ type }) => type)).toEqual([
    "batch_scrape.started",
    "batch_scrape.page",
    "batch_scrape.completed",
  ])
  expect(bodies()[1]).toEqual({
    success: true,
    type: "batch_scrape.page",
    id,
    webhookId: expect.any(String),
    data: [expect.objectContaining({ markdown: expect.stringContaining("Roses are pruned") })],
    metadata: { order: "7" },
  })
  for (const { headers, text: body } of received) {
    const signed = [headers["webhook-id"], headers["webhook-timestamp"], body].join(".")
    const standard = Buffer.from(secret.slice("whsec_".length), "base64")
    expect(headers["webhook-signature"]).toBe(
      `v1,${createHmac("sha256", standard).update(signed).digest("base64")}`,
    )
    expect(headers["x-firecrawl-signature"]).toBe(
      `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    )
    expect(JSON.parse(body).webhookId).toBe(headers["webhook-id"])
  }
})

test("only the operator's key reaches receivers in a private network", async () => {
  const before = received.length
  const { body } = await garden.app.call("/v2/batch/scrape", garden.all, {
    urls: [garden.site.url("/roses/")],
    webhook: receiver.url("/hook"),
  })
  const messages = () =>
    statement(
      garden.app.db,
      "select attempts, error from firecrawl_message where job_id = ? order by seq limit 1",
    ).all(body.id)
  await expect.poll(messages).toMatchObject([{ attempts: 1, error: expect.stringContaining("NETWORKS") }])
  expect(received).toHaveLength(before)
})
