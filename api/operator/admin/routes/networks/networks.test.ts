import { expect, test, vi } from "vitest"

import { readSettings } from "#base/settings.ts"
import { Jobs } from "#crawler"
import { runJob } from "#crawler/crawl/run-job.ts"
import { createReader } from "#crawler/fetch/visit/reader.ts"
import { shareFor, testConfig } from "#crawler/testing/crawl-fixture.ts"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { article, startTestSite } from "#crawler/testing/test-site.ts"
import { engineSettings } from "#engine/settings.ts"

import { answerOf, expectDocumented, SEARCH_KEY, serveApp, TEST_KEY } from "../../../../testing/serve-app.ts"
import { openAdmin } from "../../open-admin.ts"

/** An appliance without any allowed private network, and a site on this machine. */
async function serve(opened: AsyncDisposableStack, env: NodeJS.ProcessEnv = {}) {
  const { dir, db, engine } = await openDataFolder(opened)
  const site = opened.use(
    await startTestSite({ "/": article("Home", { links: ["/pumps"] }), "/pumps": article("Pumps") }),
  )
  const config = testConfig({ FOSSICK_ALLOWED_NETWORKS: "", FOSSICK_HOST_DELAY_MS: "0", ...env })
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: dir })
  const jobs = new Jobs(db)
  const app = opened.use(
    await serveApp({
      engine,
      admin: () => openAdmin({ db, engine, jobs, crawlerConfig: config, engineConfig }),
    }),
  )
  const call = async (method: string, path: string, body?: object, key = TEST_KEY) => {
    const response = await fetch(`${app.url}/admin${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body && { "Content-Type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = await answerOf(response)
    expectDocumented(method, `/admin${path}`, answer)
    return answer
  }
  return { db, site, config, jobs, engine, call, url: site.url("/"), port: Number(new URL(site.origin).port) }
}

test("a site in a private network is reported as such, and is crawled once an admin has allowed its network", async () => {
  await using opened = new AsyncDisposableStack()
  const { db, site, config, jobs, engine, call, url, port } = await serve(opened)
  const propose = async () => (await call("POST", "/sources/propose", { url })).body
  const before = await propose()
  expect(before).toMatchObject({
    outcome: "failed:blocked-address",
    robots: null,
    obstacles: [{ kind: "network", text: expect.stringContaining("127.0.0.1 isn't a public address") }],
  })
  const source = { seeds: [url], rendering: "http" }
  expect((await call("PUT", "/sources/near", source)).status).toBe(422)
  const preview = await call("POST", "/sources/preview", { source: { name: "near", ...source } })
  expect(preview.body).toMatchObject({ fits_file: true, closed_addresses: [url] })

  const look = { host: "127.0.0.1", port, addresses: ["127.0.0.1"], is: "private", choices: ["127.0.0.1/32"] }
  expect((await call("POST", "/networks/look", { url })).body).toEqual({ ...look, open: false })
  const made = await call("POST", "/networks", { url, network: "127.0.0.1/32", confirmed: true })
  expect([made.status, made.body]).toMatchObject([201, { network: "127.0.0.1/32", port, host: "127.0.0.1" }])
  expect((await call("POST", "/networks/look", { url })).body).toEqual({ ...look, open: true })
  expect((await call("GET", "/networks")).body).toEqual({ on: true, networks: [made.body] })

  expect(await propose()).toMatchObject({ outcome: "indexed", title: "Home", obstacles: [] })
  expect((await call("PUT", "/sources/near?run=true", source)).status).toBe(201)
  const run = async () => {
    const [job] = await jobs.open("near")
    const signal = new AbortController().signal
    await runJob(job!.id, {
      db,
      jobs,
      engine,
      config,
      share: shareFor(config),
      signal,
      whenAborted: "queued",
    })
    return await jobs.get(job!.id)
  }
  expect(await run()).toMatchObject({ result: "finished", outcomes: { indexed: 2 } })
  // Callers' live reads still cannot reach the site.
  await using reader = createReader(config)
  expect(await reader.read(url)).toMatchObject({ kind: "failed", because: "blocked-address" })

  expect((await call("DELETE", `/networks/${made.body.id}`)).body).toEqual({ id: made.body.id, closed: true })
  expect((await call("DELETE", `/networks/${made.body.id}`)).status).toBe(404)
  const reads = site.requests.length
  await call("POST", "/sources/near/run")
  expect(await run()).toMatchObject({ result: "failed" })
  expect(site.requests).toHaveLength(reads)
})

test("only an admin who confirms it can open a network, and only the one the host is in", async () => {
  await using opened = new AsyncDisposableStack()
  vi.stubEnv("FOSSICK_MEILI_URL", "http://localhost:7799")
  opened.defer(() => void vi.unstubAllEnvs())
  const { call, url } = await serve(opened)
  const open = async (body: object, key = TEST_KEY) => (await call("POST", "/networks", body, key)).status
  const right = { url, network: "127.0.0.1/32", confirmed: true }
  expect(await open(right, SEARCH_KEY)).toBe(403)
  const { confirmed: _, ...unconfirmed } = right
  const wrong = [
    unconfirmed,
    { ...right, confirmed: false },
    { ...right, network: "127.0.0.0/8" },
    { ...right, network: "127.0.0.2/32" },
    { ...right, network: "10.0.0.0/24" },
    { ...right, url: "http://169.254.169.254/", network: "169.254.169.254/32" },
    { ...right, url: "http://169.254.1.1/", network: "169.254.1.1/32" },
    { ...right, url: "http://[fe80::1]/", network: "fe80::1/128" },
    // The addresses the appliance itself listens on, and a service that its settings name.
    { ...right, url: "http://127.0.0.1:8080/" },
    { ...right, url: "http://127.0.0.1:8402/" },
    { ...right, url: "http://127.0.0.1:7799/" },
  ]
  for (const body of wrong) expect([body, await open(body)]).toEqual([body, 422])
  for (const address of [
    "http://127.0.0.1:7799/",
    "http://169.254.169.254/",
    "http://metadata.google.internal/",
  ])
    expect((await call("POST", "/networks/look", { url: address })).body).toMatchObject({ choices: [] })
  expect((await call("GET", "/networks")).body.networks).toEqual([])
})

test("if the operator reserves that right, nothing is opened and private names look like unknown ones", async () => {
  await using opened = new AsyncDisposableStack()
  const { call, url } = await serve(opened, { FOSSICK_ADMIN_NETWORKS: "off" })
  const refused = await call("POST", "/networks", { url, network: "127.0.0.1/32", confirmed: true })
  expect([refused.status, refused.body.detail.error]).toEqual([
    409,
    expect.stringContaining("FOSSICK_ADMIN_NETWORKS is off"),
  ])
  expect((await call("POST", "/networks/look", { url })).status).toBe(409)
  const proposed = (await call("POST", "/sources/propose", { url })).body
  expect(proposed).toMatchObject({ outcome: "failed:dns", obstacles: [{ kind: "address" }] })
})
