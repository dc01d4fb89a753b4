import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, onTestFinished, test } from "vitest"

import { writeOutbound } from "#base/outbound/outbound.ts"
import { readSettings } from "#base/settings.ts"
import { Jobs, openStateStore } from "#crawler"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { article, startTestSite } from "#crawler/testing/test-site.ts"
import { createReader } from "#crawler/fetch/visit/reader.ts"
import { WebhookSender } from "#crawler/reporting/webhooks/webhook-sender.ts"
import { engineSettings } from "#engine/settings.ts"
import { ModelServer } from "#engine/models/servers/model-server.ts"

import { openAdmin } from "../admin/open-admin.ts"
import { FakeEngine } from "../../testing/fake-engine.ts"
import { answerOf, SEARCH_KEY, serveApp, TEST_KEY } from "../../testing/serve-app.ts"

test("hosts the appliance contacted are listed with the purpose; those it could not reach are not", async () => {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), "fossick-outbound-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const db = opened.use(await openStateStore(folder))
  const site = opened.use(await startTestSite({ "/": article("Home") }))
  const { host } = new URL(site.url("/"))
  const config = testConfig()
  const live = opened.use(createReader(config, { purpose: "live" }))
  const crawl = opened.use(createReader(config))
  await live.read(site.url("/?token=secret-mark"))
  await crawl.read(site.url("/"))
  await crawl.read("http://127.0.0.1:9/")
  const networks = ["127.0.0.0/8"]
  const sender = opened.use(new WebhookSender({ networks, userAgent: "test", env: {} }))
  await sender.send(
    { id: "1", receiver: site.url("/hook"), secret: null, body: "{}" },
    AbortSignal.timeout(10_000),
  )
  const model = opened.use(
    new ModelServer({ url: site.url("").replace(/\/$/, ""), key: "", purpose: "chat" }),
  )
  await model.get("/none", { timeoutMs: 10_000, maxBytes: 1000 }).catch(() => null)
  await writeOutbound(db)
  const admin = () =>
    openAdmin({
      db,
      engine: new FakeEngine(),
      jobs: new Jobs(db),
      crawlerConfig: config,
      engineConfig: readSettings(engineSettings, { FOSSICK_DATA_DIR: folder }),
    })
  const app = opened.use(await serveApp({ admin }))
  const ask = async (query = "", key = TEST_KEY) =>
    await answerOf(
      await fetch(`${app.url}/admin/outbound${query}`, { headers: { Authorization: `Bearer ${key}` } }),
    )
  const { body } = await ask()
  // Other test files in this process contacted servers of their own.
  const ours = (body.hosts as { purpose: string; host: string }[]).filter((one) =>
    [host, "127.0.0.1:9"].includes(one.host),
  )
  const told = ours.map((one) => `${one.purpose} ${one.host}`)
  expect(told.toSorted()).toEqual(["chat", "crawl", "live", "webhook"].map((purpose) => `${purpose} ${host}`))
  expect(JSON.stringify(body)).not.toContain("secret-mark")
  expect((await ask("?purpose=live")).body).toMatchObject({ total: 1, hosts: [{ host, purpose: "live" }] })
  expect((await ask("?purpose=none")).status).toBe(400)
  expect((await ask("", SEARCH_KEY)).status).toBe(403)
})
