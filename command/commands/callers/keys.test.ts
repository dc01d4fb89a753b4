import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { afterEach, beforeEach, expect, test } from "vitest"

import { Jobs } from "#crawler/jobs/jobs.ts"
import { Sources } from "#crawler/sources/sources.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { readSettings } from "#base/settings.ts"

import { apiSettings, checkTogether } from "../../../api/settings.ts"
import { openCollections } from "../../../api/identity/accounts/reach/collections.ts"
import { CallLog } from "../../../api/identity/accounts/call-log.ts"
import { type Endpoint, UNLIMITED } from "../../../api/identity/accounts/keys/key-scope.ts"
import { PublicKeyStore } from "../../../api/identity/accounts/public-keys/public-key-store.ts"
import { openKeyStore } from "../../../api/identity/accounts/keys/keys.ts"
import { FOSSICK, refusalOf } from "../../testing/fossick.ts"

let dir: string
let db: StateStore

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "fossick-keys-"))
  db = await openStateStore(dir)
})
afterEach(async () => {
  db.close()
  await rm(dir, { recursive: true })
})

const run = (command: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [FOSSICK, command, ...args], {
    env: { PATH: process.env["PATH"], FOSSICK_DATA_DIR: dir },
  })

test("fossick keys makes, lists, disables and enables keys, and a running appliance follows at once", async () => {
  const keys = openKeyStore(db, "")
  // The key is the only thing on stdout, so that a script can read it.
  const { stdout } = await run("keys", "create", "--role", "admin", "--name", "console")
  const key = await keys.verify(stdout.trim())
  expect(key).toMatchObject({ role: "admin", mayMakeKeys: true, scope: UNLIMITED })

  expect(JSON.parse((await run("keys", "list", "--json")).stdout)).toMatchObject([
    { id: key!.id, role: "admin", name: "console", created_at: expect.any(String), disabled_at: null },
  ])
  expect((await run("keys", "disable", key!.id)).stdout).toContain(`fossick keys enable ${key!.id}`)
  expect(await keys.verify(stdout.trim())).toBeNull()
  expect((await run("keys", "list")).stdout).toMatch(/admin +made \S+, disabled \S+ +console/)
  await expect(run("keys", "disable", "nobody")).rejects.toMatchObject({ code: 1 })

  expect((await run("keys", "enable", key!.id)).stdout).toBe(`${key!.id} is accepted again.\n`)
  expect(await keys.verify(stdout.trim())).not.toBeNull()
  await keys.endBy(key!.id, new Date("2026-01-31T00:00:00Z"))
  expect((await run("keys", "enable", key!.id)).stdout).toContain(
    "still refused, since it expired on 2026-01-31",
  )
})

test("fossick keys public creates a key for web pages, which list shows in full and disable and enable switch", async () => {
  await new Sources(db, new Jobs(db)).put({ name: "docs", seeds: ["https://docs.example.com/"] })
  const store = new PublicKeyStore(db)
  const site = ["--source", "docs", "--origin", "https://docs.example.com", "--answers"]
  const text = (await run("keys", "public", ...site, "--rate-limits", "search=9/m")).stdout.trim()
  const key = await store.verify(text)
  expect(key).toMatchObject({ source: "docs", answers: true, origins: ["https://docs.example.com"] })
  expect((await run("keys", "list")).stdout).toContain(text)
  expect(JSON.parse((await run("keys", "list", "--json")).stdout)).toMatchObject([
    { role: "public", id: key!.id, key: text, rate_limits: "search=9/60s" },
  ])
  await run("keys", "disable", key!.id)
  expect(await store.verify(text)).toBeNull()
  await run("keys", "enable", key!.id)
  expect(await store.verify(text)).not.toBeNull()
  await expect(run("keys", "public", "--source", "docs")).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--origin must have 1 to 50 entries"),
  })
  await expect(run("keys", "public", "--source", "dosc", ...site.slice(2))).rejects.toMatchObject({
    stderr: expect.stringContaining('did you mean "docs"?'),
  })
})

test("fossick keys usage shows each key's usage by day and month, including earlier logs", async () => {
  const keys = openKeyStore(db, "")
  const id = (await keys.verify(await keys.create({ role: "search", name: "chat" })))!.id
  const other = (await keys.verify(await keys.create({ role: "search", name: "old" })))!.id
  const log = new CallLog(db)
  const now = Date.now()
  const day = (ago: number) => new Date(now - ago * 86_400_000).toISOString().slice(0, 10)
  const add = (keyId: string, endpoint: Endpoint, ago: number, credits: number) =>
    log.add({
      at: now - ago * 86_400_000,
      requestId: `${endpoint}-${ago}`,
      endpoint,
      depth: "basic",
      seconds: 0.1,
      credits,
      keyId,
      keyHint: "x",
      project: "",
      session: "",
      human: "",
      query: null,
    })
  await add(id, "search", 0, 1)
  await add(id, "search", 0, 2)
  await add(id, "extract", 0, 0)
  await add(id, "search", 40, 1)
  await add(other, "search", 0, 1)
  // The log may drop a call, but its usage is still counted.
  await log.prune(now + 1, 1000)

  const lines = (await run("keys", "usage", "chat")).stdout.trimEnd().split("\n")
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatch(/^DAY +KEY +NAME +CALLS +CREDITS +SEARCH +EXTRACT/)
  expect(lines[1]).toMatch(new RegExp(`^${day(0)} +${id} +chat +3 +3 +2 \\(3 cr\\) +1 +0`))
  const all = (await run("keys", "usage", "--days", "60", "--json")).stdout.trimEnd().split("\n")
  expect(all.map((line) => JSON.parse(line) as object)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ time: day(40), key_id: id, name: "chat", calls: 1, credits: 1 }),
      expect.objectContaining({ time: day(0), key_id: other, calls: 1 }),
    ]),
  )
  expect((await run("keys", "usage", "--by", "month", "--days", "1", "--json")).stdout).toContain(
    `"time":"${day(0).slice(0, 7)}"`,
  )
  expect(await refusalOf("keys", "usage", "--days", "0")).toContain("--days must be a whole number")
  await expect(run("keys", "usage", "chta")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('did you mean "chat"?'),
  })

  // Days that are too old are deleted, and the number of rows stays within the limit.
  await add(id, "search", 500, 1)
  await log.prune(0, 1000)
  expect((await log.use({ days: 1000, by: "day", keyId: id })).map(({ time }) => time)).toEqual([
    day(0),
    day(40),
  ])
})

test("a key is created with all its limits, for existing collections", async () => {
  await run("collections", "set", "staff", "wiki", "handbook")
  const limits =
    "--expires 30d --credits 50 --per total --rate-limits search=5/m --make-keys --endpoint search"
  const scope =
    "--endpoint map --source docs --collection staff --domain www.Example.com --reads group:HR --project pumps"
  const { stdout } = await run("keys", "create", ...`${limits} ${scope}`.split(" "))
  const keys = openKeyStore(db, "")
  expect(await keys.verify(stdout.trim())).toMatchObject({
    role: "search",
    hint: stdout.trim().slice(-4),
    scope: {
      endpoints: ["search", "map"],
      sources: ["docs"],
      collections: ["staff"],
      domains: ["example.com"],
    },
    principals: ["group:hr"],
    projects: ["pumps"],
    creditLimit: { credits: 50, per: "total" },
    rateLimits: { search: { calls: 5, seconds: 60 } },
    mayMakeKeys: true,
  })
  const { expiresAt } = (await keys.list())[0]!
  expect(Math.abs(expiresAt!.getTime() - Date.now() - 30 * 86_400_000)).toBeLessThan(600_000)
  const listed = (await run("keys", "list")).stdout
  expect(JSON.parse((await run("keys", "list", "--json")).stdout)).toMatchObject([
    { principals: ["group:hr"] },
  ])
  expect(listed).toContain("reads as group:hr")
  expect(listed).toMatch(
    /expires \S+ \d\d:\d\d UTC +50 credits in all; at most search=5\/60s; endpoints search, map; sources docs; collections staff; domains/,
  )
})

test("a key that acts for people is made with the secret of its service", async () => {
  const args = ["keys", "create", "--acts-for-people", "headers", "--name", "chat"]
  const { stdout, stderr } = await run(...(args as ["keys"]))
  const keys = openKeyStore(db, "")
  expect(await keys.verifyService(stdout.trim())).toMatchObject({ actsForPeople: "headers" })
  expect(stderr).toMatch(/signs user names with, also shown only once: [\w-]{43}\n/)
  expect(JSON.parse((await run(...(args as ["keys"]), "--json")).stdout)).toMatchObject({
    acts_for_people: "headers",
    signing_secret: expect.any(String),
  })
  expect((await run("keys", "list")).stdout).toContain("chat  acts for people, named in headers")
})

test("fossick collections sets, lists and deletes collections, and keys require existing ones", async () => {
  await openCollections(db).set("staff", ["wiki", "tickets"])
  await run("collections", "set", "staff", "wiki", "handbook")
  expect((await run("collections", "list")).stdout).toBe("staff: handbook, wiki\n")
  await run("collections", "delete", "staff")
  expect(await openCollections(db).list()).toEqual([])
  await expect(run("keys", "create", "--collection", "staff")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no collection "staff"'),
  })
})

test("unknown source names are rejected with the nearest match, and listed once they are gone", async () => {
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  await sources.put({ name: "docs", seeds: "https://docs.example.com/" })
  await sources.put({ name: "wiki", seeds: "https://wiki.example.com/" })
  for (const args of [
    ["keys", "create", "--source", "dcos"],
    ["collections", "set", "public", "wiki", "dcos"],
  ] as const) {
    const [command, ...rest] = args
    await expect(run(command, ...rest)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no source "dcos"; did you mean "docs"?'),
    })
  }
  expect(await openKeyStore(db, "").list()).toEqual([])
  await run("keys", "create", "--source", "docs")
  await run("collections", "set", "public", "docs", "wiki")
  await sources.delete("docs")
  expect((await run("keys", "list")).stdout).toContain("sources docs  (deleted: docs)")
  expect((await run("collections", "list")).stdout).toBe("public: docs, wiki (deleted: docs)\n")
})

test.each([
  [["create", "--role", "root"], "Allowed choices are search, write, operator, admin."],
  [
    ["create", "--role", "operator", "--source", "wiki"],
    "--source can't limit a key with the role operator: it runs all sources",
  ],
  [["create", "--role", "operator", "--make-keys"], "A key with the role operator can't make keys"],
  [
    ["create", "--role", "admin", "--source", "wiki"],
    "--source can't limit a key with the role admin: it sees everything",
  ],
  [["create", "--role", "write", "--domain", "a.example"], "only sources can limit where it sends documents"],
  [["create", "--role", "write", "--make-keys"], "A key with the role write can't make keys"],
  [["create", "--reads", "hr"], '--reads must be user:NAME, group:NAME or signed-in, not "hr"'],
  [
    ["create", "--role", "admin", "--reads", "group:hr"],
    "--reads must be left out for a key with the role admin: it reads every page",
  ],
  [
    ["create", "--acts-for-people", "tokens", "--reads", "group:hr"],
    "--acts-for-people must be left out for a key that reads as users or groups of its own",
  ],
  [["create", "--acts-for-people", "all"], "Allowed choices are tokens, headers."],
  [["create", "--expires", "2001-01-01"], "--expires must be a future time"],
  [["create", "--credits", "-1"], "--credits"],
  [["create", "--per", "day"], "Allowed choices are month, total."],
  [["create", "--rate-limits", "search"], "--rate-limits must be a list such as"],
  [["create", "--domain", "co.uk"], "'co.uk' is a public suffix"],
  [["create", "--endpoint", "usage"], "Allowed choices are search, extract, crawl, map, research."],
  [["create", "more"], "too many arguments"],
  [["forget"], "unknown command 'forget'"],
  [[], "Usage: fossick keys"],
] as const)("%j is refused with what is expected", async (args, text) => {
  expect(await refusalOf("keys", ...args)).toContain(text)
})

test.each([
  [{ FOSSICK_RATE_LIMITS: "search=much" }, "FOSSICK_RATE_LIMITS must be a list such as search=100/m"],
  [{ FOSSICK_PLAN_CREDITS: "-1" }, "FOSSICK_PLAN_CREDITS must be a whole number from 0"],
  [{ FOSSICK_LOG_DAYS: "0" }, "FOSSICK_LOG_DAYS must be a whole number from 1 to 3650"],
  [{ FOSSICK_LOG_QUERIES: "yes" }, "FOSSICK_LOG_QUERIES must be on or off"],
  [
    { FOSSICK_HUMAN_ID_SECRET: "hunter2" },
    /^(?!.*hunter2).*FOSSICK_HUMAN_ID_SECRET must be hard to guess: at least 16 characters/s,
  ],
])("a wrong setting is named with what is expected: %j", (env, text) => {
  expect(() => readSettings(apiSettings, env)).toThrow(text)
})

test("credits beyond a plan need a plan", () => {
  const config = readSettings(apiSettings, { FOSSICK_PAYGO_CREDITS: "5" })
  expect(() => checkTogether(config)).toThrow(
    "FOSSICK_PLAN_CREDITS must be set together with FOSSICK_PAYGO_CREDITS",
  )
})
