import { randomUUID } from "node:crypto"

import { pino } from "pino"
import { afterAll, beforeAll, expect, test } from "vitest"

import { Jobs, openStateStore, Sources, type StateStore } from "#crawler"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { crawlerSettings } from "#crawler/settings.ts"
import { sourceNames } from "#crawler/sources/source-names.ts"
import { startMailServer } from "#crawler/testing/mail-server.ts"
import { runSource, shareOfRuns } from "#crawler/testing/run-source.ts"
import { article, html, startTestSite, status, type TestSite } from "#crawler/testing/test-site.ts"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { leaveOut } from "#base/flow/degraded.ts"
import { readSettings } from "#base/settings.ts"
import { until } from "#base/testing/until.ts"

import { openAccounts } from "../../identity/accounts/accounts.ts"
import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { sourceSites } from "../../identity/accounts/reach/source-sites.ts"
import { openPageKnowledge } from "../pages/page-knowledge.ts"
import { apiSettings } from "../../settings.ts"
import { type Answer, answerOf, expectDocumented, serveApp } from "../../testing/serve-app.ts"
import { openWatches } from "./open-watches.ts"
import { startReceiver } from "./testing/receiver.ts"
import { statement } from "#base/store/testing/statement.ts"

// Two sources that change, a garden and a cellar, and the reports about them.

const opened = new AsyncDisposableStack()
const share = opened.use(shareOfRuns())
const run = (name: string) => runSource(name, db, engine, share)
let db: StateStore
let engine: EmbeddedEngine
let site: TestSite
let url: string
let admin: string
let makeKey: (spec: object) => Promise<string>
let disableAll: () => Promise<void>
const logged: string[] = []
let mail: Awaited<ReturnType<typeof startMailServer>>

/** Whether the engine answers questions only in part, and the number of times it has done so. */
let isBusy = false
let missed = 0

const page = (title: string, text: string) => article(title, { text: `${text} `.repeat(6) })

beforeAll(async () => {
  const data = await openDataFolder(opened)
  const { dir, embedder } = data
  ;({ db, engine } = data)
  const whole = engine.search.bind(engine)
  engine.search = async (...given) => {
    if (!isBusy) return await whole(...given)
    missed++
    leaveOut("meaning")
    return { hits: [] }
  }
  site = opened.use(
    await startTestSite({
      "/garden/": article("Garden", { links: ["/garden/roses", "/garden/beds", "/garden/oak"] }),
      "/garden/roses": page("Roses", "Roses are pruned in winter."),
      "/garden/beds": page("Beds", "The beds are dug in spring."),
      "/garden/oak": page("Oak", "The oak is older than the house."),
      "/cellar/": article("Cellar", { links: ["/cellar/wine"] }),
      "/cellar/wine": page("Wine", "The wine lies on its side."),
    }),
  )
  mail = await startMailServer()
  opened.defer(() => mail[Symbol.asyncDispose]())
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  for (const name of ["garden", "cellar"]) {
    await sources.put({ name, seeds: [site.url(`/${name}/`)], scope: "prefix", removal: { maxShare: 1 } })
    await run(name)
  }
  const config = {
    ...readSettings(apiSettings, {}),
    watchesPerKey: 4,
    watchEntries: 10,
    watchEmails: ["@example.org"],
  }
  const accountsDb = await openStateStore(dir)
  const accounts = await openAccounts(accountsDb, config, () => {})
  opened.defer(async () => {
    await accounts[Symbol.asyncDispose]()
    accountsDb.close()
  })
  const watches = opened.use(
    await openWatches({
      db,
      engine,
      keys: accounts.keys,
      config,
      crawlerConfig: readSettings(crawlerSettings, {
        FOSSICK_WEBHOOK_NETWORKS: "127.0.0.0/8",
        FOSSICK_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      }),
      log: pino({ level: "warn" }, { write: (line: string) => void logged.push(line) }),
      pollMs: 20,
    }),
  )
  const app = opened.use(
    await serveApp({
      engine,
      embedder,
      accounts,
      watches,
      pages: openPageKnowledge(db, jobs),
      sourceNames: () => sourceNames(db),
      sites: sourceSites(db, jobs),
      config,
    }),
  )
  url = app.url
  admin = await accounts.keys.create({ role: "admin" })
  makeKey = (spec) => accounts.keys.create({ role: "search", ...spec })
  disableAll = async () => {
    for (const { id, role } of await accounts.keys.list())
      if (role !== "admin") await accounts.keys.disable(id)
  }
})
afterAll(() => opened.disposeAsync())

async function call(method: string, path: string, key: string, body?: unknown): Promise<Answer> {
  const answer = await answerOf(
    await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
  const documented = path.replace(/\?.*$/, "").replace(/^\/watches\/[^/]+/, "/watches/{id}")
  expectDocumented(method, documented, answer)
  return answer
}

async function watch(body: object, key = admin) {
  const made = await call("POST", "/watches", key, body)
  expect([made.status, made.body.detail]).toEqual([201, undefined])
  await until(async () => (await call("GET", `/watches/${made.body.id}`, key)).body.ready_at !== null, 50)
  return made.body
}

async function entries({ id }: { id: string }, count: number, key = admin) {
  const now = async () => (await call("GET", `/watches/${id}/entries?after=0`, key)).body.entries
  await expect.poll(now).toHaveLength(count)
  return await now()
}

test("a watch of a source reports page by page: new, changed with the difference, and gone", async () => {
  let secret = ""
  await using receiver = await startReceiver(() => secret)
  const garden = await watch({ source: "garden", name: "The garden", webhook: receiver.url })
  secret = garden.webhook_secret
  site.serve({
    "/garden/": article("Garden", {
      links: ["/garden/roses", "/garden/beds", "/garden/oak", "/garden/fern"],
    }),
    "/garden/fern": page("Fern", "Ferns like the shade of walls."),
    "/garden/roses": page("Roses", "Roses are pruned in spring."),
    "/garden/oak": status(410),
  })
  await run("garden")
  const told = await entries(garden, 3)
  const byPath = Object.fromEntries(
    told.map((one: { url: string }) => [one.url.slice(site.origin.length), one]),
  )
  expect(byPath["/garden/fern"]).toMatchObject({ change: "new", title: "Fern", diff: null })
  expect(byPath["/garden/oak"]).toMatchObject({ change: "gone", title: "Oak", diff: null })
  expect(byPath["/garden/roses"].change).toBe("changed")
  expect(byPath["/garden/roses"].diff).toMatch(
    /^@@ .*\n[^]*^-Roses are pruned in winter\.[^]*^\+Roses are pruned in spring\./m,
  )
  // Only the page's links changed, and these are not part of its text.
  expect(byPath["/garden/"]).toBeUndefined()
  await expect
    .poll(() => receiver.entries().map(({ id }) => id))
    .toEqual(told.map(({ id }: { id: string }) => id))
  expect(receiver.messages[0]).toMatchObject({
    type: "watch.changed",
    isGenuine: true,
    data: { watch: { name: "The garden" } },
  })
  // A run that finds no changes reports nothing.
  await run("garden")
  await run("cellar")
  const probe = await watch({ url: site.url("/cellar/wine") })
  site.serve({ "/cellar/wine": page("Wine", "The wine is drunk.") })
  await run("cellar")
  await entries(probe, 1)
  await entries(garden, 3)
})

test("entries beyond the limit are deleted when the next one arrives", async () => {
  const key = await makeKey({})
  const garden = await watch({ source: "garden" }, key)
  const { key: holder } = (await statement(db, "select key from watch where id = ?").get(garden.id)) as {
    key: string
  }
  for (let at = 0; at < 20; at++) {
    await statement(
      db,
      "insert into watch_entry (id, watch, change, url, title, sources, at, key) values (?, ?, 'new', 'https://a.example/', '', '[]', 0, ?)",
    ).run(randomUUID(), garden.id, holder)
  }
  site.serve({ "/garden/oak": page("Oak", "The oak fell in a storm.") })
  await run("garden")
  expect((await entries(garden, 10, key)).at(-1)).toMatchObject({ url: site.url("/garden/oak") })
})

test("a watch of a question reports pages that begin to answer it, in a feed that needs no key", async () => {
  const key = await makeKey({})
  const beetles = await watch({ question: "how are beetles kept away", changes: ["new", "gone"] }, key)
  site.serve({ "/garden/beds": page("Beetles in beds", "Beetles are kept away from the beds by nets.") })
  await run("garden")
  const [entry] = await entries(beetles, 1, key)
  expect(entry).toMatchObject({ change: "new", title: "Beetles in beds" })
  const feed = await fetch(beetles.feed_url)
  expect(feed.headers.get("content-type")).toBe("application/atom+xml")
  const atom = await feed.text()
  expect(atom).toContain(`<id>urn:uuid:${entry.id}</id>`)
  expect(atom.match(/<entry>/g)).toHaveLength(1)
  const withoutToken = await fetch(beetles.feed_url.replace(/token=.*/, "token=AAAA"))
  expect(withoutToken.status).toBe(404)
  await disableAll()
  expect((await fetch(beetles.feed_url)).status).toBe(404)
})

test("a question that was only partly answered is asked again, so that missed pages are not reported as new", async () => {
  isBusy = true
  const roses = await call("POST", "/watches", admin, { question: "when are roses pruned", changes: ["new"] })
  const readyAt = async () => (await call("GET", `/watches/${roses.body.id}`, admin)).body.ready_at
  await until(async () => missed > 2, 50)
  expect(await readyAt()).toBeNull()
  isBusy = false
  await until(async () => (await readyAt()) !== null, 50)
  site.serve({ "/garden/roses": page("Roses", "Roses are pruned in winter, and in summer.") })
  const oak = await watch({ source: "garden", changes: ["changed"] })
  await run("garden")
  await entries(oak, 1)
  await entries(roses.body, 0)
})

test("what a key may no longer see is neither sent nor shown, even if it was found before", async () => {
  const key = await makeKey({ scope: readScope({ collections: ["wine"] }) })
  const { openCollections } = await import("../../identity/accounts/reach/collections.ts")
  const collections = openCollections(db)
  await collections.set("wine", ["cellar"])
  const wine = await watch({ source: "cellar" }, key)
  site.serve({ "/cellar/wine": page("Wine", "The wine is vinegar now.") })
  await run("cellar")
  await entries(wine, 1, key)
  await collections.set("wine", ["garden"])
  await entries(wine, 0, key)
  expect(await (await fetch(wine.feed_url)).text()).not.toContain("<entry>")
  expect((await call("POST", "/watches", key, { source: "cellar" })).status).toBe(400)
  const outside = await call("POST", "/watches", key, { url: site.url("/cellar/wine") })
  expect(outside.body.detail.error).toContain("This key may not see it")
})

test("a watch shows nothing more of a page that its holder may no longer read: no earlier changes, and not its removal", async () => {
  const key = await makeKey({})
  const wine = await watch({ source: "cellar" }, key)
  const reader = await makeKey({ principals: ["group:cellar"] })
  const all = await watch({ source: "cellar" }, reader)
  const text = page("Wine", "The wine is sold.")
  site.serve({ "/cellar/wine": text })
  await run("cellar")
  await entries(wine, 1, key)
  // Only the readers change, not the text.
  site.serve({ "/cellar/wine": html(text, { "x-fossick-readers": "allow=group:cellar" }) })
  await run("cellar")
  await entries(wine, 0, key)
  expect(await (await fetch(wine.feed_url)).text()).not.toContain("<entry>")
  // The stored readers decide who is told that the page is gone.
  const seen = () => statement(db, "select count(*) as n from watch_seen where readers is not null").get()
  await until(async () => ((await seen()) as { n: number }).n >= 2, 50)
  site.serve({ "/cellar/wine": status(410) })
  await run("cellar")
  await entries(all, 2, reader)
  await entries(wine, 0, key)
})

test("an e-mail is sent once, to a recipient that the operator allows", async () => {
  const key = await makeKey({})
  const refused = await call("POST", "/watches", key, { source: "garden", emails: ["ada@elsewhere.example"] })
  expect(refused.body.detail.error).toContain("FOSSICK_WATCH_EMAILS")
  const beds = await watch({ url: site.url("/garden/beds"), emails: ["ada@example.org"] }, key)
  site.serve({ "/garden/beds": page("Beds", "The beds lie fallow this year.") })
  await run("garden")
  await entries(beds, 1, key)
  await until(async () => mail.received.length > 0)
  expect(mail.received).toHaveLength(1)
  expect(mail.received[0]!.recipients).toEqual(["ada@example.org"])
  expect(mail.received[0]!.text).toContain("1 changed")
  expect(mail.received[0]!.text).toContain("+The beds lie fallow this year.")
})

test("why a receiver in a private network gets nothing is logged, and never returned", async () => {
  const key = await makeKey({})
  const beds = await watch({ url: site.url("/garden/beds"), webhook: site.url("/hook") }, key)
  site.serve({ "/garden/beds": page("Beds", "The beds are dug over.") })
  await run("garden")
  const deliveries = async () => (await call("GET", `/watches/${beds.id}`, key)).body.deliveries
  await expect.poll(deliveries).toMatchObject([{ attempts: 1 }])
  const [told] = await deliveries()
  expect(told.last_error).toContain("FOSSICK_WEBHOOK_NETWORKS doesn't allow")
  const lineOf = () =>
    logged.map((one) => JSON.parse(one) as { id: string; error: string }).find(({ id }) => id === told.id)
  await until(async () => lineOf() !== undefined)
  const line = lineOf()
  expect(line?.error).not.toBe(told.last_error)
  expect(line?.error).toContain("127.0.0.1")
})

test("watches belong to their key, which may have a limited number", async () => {
  const key = await makeKey({})
  const mine = await watch({ source: "garden" }, key)
  for (let at = 1; at < 4; at++) await watch({ source: "cellar" }, key)
  expect((await call("POST", "/watches", key, { source: "garden" })).status).toBe(403)
  const other = await makeKey({})
  expect((await call("GET", `/watches/${mine.id}`, other)).status).toBe(404)
  expect((await call("GET", "/watches", other)).body.watches).toEqual([])
  expect((await call("GET", "/watches?all=true", other)).status).toBe(403)
  expect((await call("GET", "/watches?all=true", admin)).body.watches.length).toBeGreaterThanOrEqual(4)
  const renamed = await call("PUT", `/watches/${mine.id}`, key, { name: "Mine", every_minutes: 60 })
  expect(renamed.body).toMatchObject({ name: "Mine", every_minutes: 60, source: "garden" })
  expect((await call("DELETE", `/watches/${mine.id}`, key)).body).toEqual({ id: mine.id, deleted: true })
  expect((await call("GET", `/watches/${mine.id}`, key)).status).toBe(404)
})

test("errors in a request are named", async () => {
  const error = async (body: object) => (await call("POST", "/watches", admin, body)).body.detail.error
  expect(await error({})).toContain("exactly one of question, source and url")
  expect(await error({ source: "gardn" })).toContain('"garden"')
  expect(await error({ question: { query: "x", search_depth: "deep" } })).toContain("search_depth")
  expect(await error({ source: "garden", webhook: "ftp://x" })).toContain("webhook")
  expect(await error({ source: "garden", include: ["re:("] })).toContain("include")
  expect(await error({ source: "garden", colour: "red" })).toContain("colour")
})
