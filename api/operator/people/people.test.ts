import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { AuditLog } from "#base/audit/audit-log.ts"
import { readSettings } from "#base/settings.ts"
import { Jobs, openStateStore, type StateStore } from "#crawler"
import { aPage } from "#engine/testing/pages.ts"
import { Observations } from "#crawler/fetch/observe/observations.ts"
import { forgetPagesForNobody, notePagesForNobody } from "#crawler/sources/readers/pages-for-nobody.ts"
import { ReaderRules } from "#crawler/sources/readers/reader-rules.ts"
import { Sources } from "#crawler/sources/sources.ts"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { toPageUrl } from "#engine"
import { type PageReaders } from "#engine/index/page/readers.ts"
import { engineSettings } from "#engine/settings.ts"

import { openAccounts } from "../../identity/accounts/accounts.ts"
import { PersonKeys } from "../../identity/people/person-keys.ts"
import { type Person, PersonStore } from "../../identity/people/person-store.ts"
import type { RoleRule } from "../../identity/people/roles.ts"
import { SessionStore } from "../../identity/sessions/session-store.ts"
import { apiSettings } from "../../settings.ts"
import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import {
  type Answer,
  answerOf,
  expectDocumented,
  type ServedApp,
  serveApp,
  TEST_KEY,
} from "../../testing/serve-app.ts"
import { openAdmin } from "../admin/open-admin.ts"

// A company: Anna in HR, Ben in IT, Cleo the admin; a wiki for everyone who signed in, with a page for HR, and a source
// for HR.

const folder = mkdtempSync(join(tmpdir(), "fossick-people-"))
const opened = new AsyncDisposableStack()
const forHr: PageReaders[] = [{ source: "wiki", allow: [["group:hr"]], deny: [] }]
const page = (path: string, source: string, readers?: PageReaders[]) =>
  hit({ url: toPageUrl(`https://wiki.example/${path}`)!, title: path, source, ...(readers && { readers }) })
const pages = [
  page("home", "wiki"),
  page("news", "wiki"),
  page("salaries", "wiki", forHr),
  page("reviews", "reviews"),
  page("manual", "manual"),
]
const rule = (given: Partial<RoleRule>): RoleRule => ({
  groups: null,
  role: "reader",
  sources: null,
  collections: null,
  ...given,
})

let db: StateStore
let app: ServedApp
let audit: AuditLog
const people: Record<string, Person> = {}

beforeAll(async () => {
  db = opened.use(await openStateStore(folder))
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  const declare = (name: string, readers?: object) =>
    sources.put({ name, seeds: ["https://wiki.example/"], ...(readers && { readers }) })
  await declare("wiki", { allow: ["signed-in"] })
  await declare("reviews", { allow: ["group:hr"], deny: ["user:anna@example.com"] })
  await declare("manual")
  await new ReaderRules(db).register([aPage("pay", { readers: forHr })])
  const store = new PersonStore(db)
  for (const [user, groups] of [
    ["anna", ["hr"]],
    ["ben", ["it"]],
    ["cleo", ["admins"]],
    ["dora", ["guests"]],
  ] as const) {
    const email = `${user}@example.com`
    const name = `${user[0]!.toUpperCase()}${user.slice(1)} Example`
    const proof = { provider: "company", subject: user, user: email, name, email, groups, isRenewable: true }
    people[user] = await store.proved(proof, true)
  }
  const keys = new PersonKeys(store, {
    roles: [
      rule({ groups: ["hr", "it"] }),
      rule({ groups: ["admins"], role: "admin" }),
      rule({ groups: ["guests"], sources: ["manual"] }),
    ],
    providers: ["company"],
    refreshMs: 900_000,
    unrenewedMs: 900_000,
  })
  const accountsDb = opened.use(await openStateStore(folder))
  const config = readSettings(apiSettings, { FOSSICK_API_KEY: TEST_KEY })
  const accounts = opened.use(await openAccounts(accountsDb, config, () => {}))
  audit = accounts.audit
  const engine = new FakeEngine(pages)
  const engineConfig = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder })
  app = opened.use(
    await serveApp({
      engine,
      accounts,
      admin: () =>
        openAdmin({ db, engine, jobs, crawlerConfig: testConfig(), engineConfig, audit, people: keys }),
    }),
  )
})
afterAll(async () => {
  await opened.disposeAsync()
  rmSync(folder, { recursive: true })
})

async function ask(path: string, method = "GET"): Promise<Answer> {
  const answer = await answerOf(
    await fetch(app.url + path, { method, headers: { Authorization: `Bearer ${TEST_KEY}` } }),
  )
  expectDocumented(method, path.split("?")[0]!, answer)
  return answer
}
const get = async (path: string) => (await ask(path)).body
const about = (url: string, who = "") =>
  get(`/admin/readers?url=${encodeURIComponent(`https://wiki.example/${url}`)}${who}`)
const lastEntry = async () => (await audit.list({}, { limit: 1, offset: 0 }))[0]!

describe("people who signed in", () => {
  test("are listed with what they may do, and are found by their names and groups", async () => {
    const { people: all, total } = await get("/admin/people")
    expect(total).toBe(4)
    const roles = all.map((one: { user: string; role: string | null }) => `${one.user} ${one.role}`)
    expect(roles.sort()).toEqual([
      "anna@example.com search",
      "ben@example.com search",
      "cleo@example.com admin",
      "dora@example.com search",
    ])
    const users = async (query: string) =>
      (await get(`/admin/people?${query}`)).people.map((one: { user: string }) => one.user)
    expect(await users("search=BEN%20ex")).toEqual(["ben@example.com"])
    expect(await users("search=%25")).toEqual([])
    expect(await users("group=hr")).toEqual(["anna@example.com"])
    expect(await users("limit=1&offset=4")).toEqual([])
  })

  test("can do nothing once disabled, and are signed out; the audit log names them", async () => {
    const { id } = people["ben"]!
    const sessions = new SessionStore(db)
    for (const token of ["first", "second"]) await sessions.add(token, id, Date.now(), 60_000)
    const [newest] = (await get(`/admin/people/${id}/sign-ins`)).sign_ins
    expect((await ask(`/admin/people/${id}/sign-ins/${newest.id}`, "DELETE")).status).toBe(200)
    expect((await ask(`/admin/people/${id}/sign-ins/${newest.id}`, "DELETE")).status).toBe(404)
    expect(await get(`/admin/people/${id}`)).toMatchObject({ sign_ins: 1, role: "search" })
    const { body: disabled } = await app.post(`/admin/people/${id}/disable`, {})
    expect(disabled).toMatchObject({ sign_ins: 0, role: null, disabled_at: expect.any(String) })
    expect(disabled.refusal).toContain("disabled")
    expect(await lastEntry()).toMatchObject({
      action: "POST /admin/people/{id}/disable",
      object: `people/${id}`,
      changes: [{ field: "ben@example.com", before: '"enabled"', after: '"disabled"' }],
    })
    expect((await app.post(`/admin/people/${id}/enable`, {})).body).toMatchObject({ role: "search" })
  })

  test("are counted by their groups, with the sources whose readers name them", async () => {
    const { groups } = await get("/admin/groups")
    expect(groups).toContainEqual({ name: "hr", people: 1, sources: ["reviews", "wiki"] })
    expect(groups).toContainEqual({ name: "it", people: 1, sources: [] })
    expect((await get("/admin/groups?search=H")).groups).toHaveLength(1)
  })
})

describe("the readers of a page", () => {
  test("follow from the readers of its sources and its own", async () => {
    const found = await about("salaries")
    expect(found.effective).toEqual({ allow: [["signed-in"], ["group:hr"]], deny: [] })
    expect(found.people).toEqual({ of: 4, total: 2, users: ["anna@example.com", "cleo@example.com"] })
    expect(found).toMatchObject({ may_read: null, because: null, asked: null })
    expect(
      found.rules.map(({ kind, lets_in }: { kind: string; lets_in: unknown }) => [kind, lets_in]),
    ).toEqual([
      ["source", null],
      ["page", null],
    ])
    const seen = { identity: "", text: "", reason: "it was shown the same text", at: 1000 }
    await new Observations(db, { name: "wiki" }).keep(pages[2]!.url, [
      { observer: "hr", shown: true, ...seen },
    ])
    expect((await about("salaries")).observed).toEqual([
      { source: "wiki", observer: "hr", shown: true, reason: seen.reason, at: "1970-01-01T00:00:01.000Z" },
    ])
    expect(await about("missing")).toMatchObject({ in_index: false, rules: [] })
  })

  test.each([
    ["salaries", "person=anna@example.com", null],
    ["salaries", "person=ben@example.com", "The page (from source wiki) lets in only group:hr."],
    ["reviews", "person=anna@example.com", "Source reviews keeps out user:anna@example.com."],
    ["reviews", "person=ben@example.com", "Source reviews lets in only group:hr."],
    ["reviews", "person=cleo@example.com", null],
    ["home", "person=dora@example.com", "This person's role doesn't allow any of the page's sources."],
    ["manual", "person=dora@example.com", null],
    ["home", "principals=group:hr", "Source wiki lets in only everybody who has signed in."],
    ["salaries", "principals=group:hr,signed-in", null],
  ])("%s for %s: %j", async (url, who, because) => {
    const { may_read: mayRead, because: told } = await about(url, `&${who}`)
    expect([mayRead, told]).toEqual([because === null, because])
  })

  test("are not shown for an unknown person", async () => {
    for (const who of ["person=nobody", "principals=hr", "person=anna@example.com&principals=signed-in"])
      expect((await ask(`/admin/readers?url=https://wiki.example/&${who}`)).status).toBe(400)
    expect((await ask("/admin/readers/seen-by")).status).toBe(400)
  })
})

test("pages without readers are listed", async () => {
  const closed = { source: "wiki", allow: [["group:hr"]], deny: ["group:hr"] }
  const page = { url: toPageUrl("https://wiki.example/lost")!, source: "wiki", readers: [closed] }
  await notePagesForNobody(db, [page])
  expect(await get("/admin/readers/for-nobody")).toEqual({
    pages: [{ url: page.url, source: "wiki" }],
    total: 1,
  })
  await forgetPagesForNobody(db, [page.url])
  expect((await get("/admin/readers/for-nobody")).total).toBe(0)
})

describe("what a person sees", () => {
  const reach = async (who: string) => {
    const { sources, pages: all, readable } = await get(`/admin/readers/seen-by?${who}`)
    const named = sources.map((one: { source: string; reach: string }) => [one.source, one.reach])
    return { ...Object.fromEntries(named), of: `${readable} of ${all}` }
  }

  test("is listed source by source", async () => {
    expect(await reach("person=anna@example.com")).toEqual({
      manual: "all",
      reviews: "none",
      wiki: "all",
      of: "4 of 5",
    })
    expect(await reach("person=ben@example.com")).toEqual({
      manual: "all",
      reviews: "none",
      wiki: "some",
      of: "3 of 5",
    })
    expect(await reach("person=dora@example.com")).toEqual({
      manual: "all",
      reviews: "none",
      wiki: "none",
      of: "1 of 5",
    })
    expect((await reach("person=cleo@example.com")).of).toBe("5 of 5")
  })

  test("can be checked by a search as them, which is recorded in the audit log", async () => {
    const as = async (who: object) => {
      const { body } = await app.post("/admin/readers/search", { query: "pumps", ...who })
      return body.results.map(({ title }: { title: string }) => title)
    }
    expect(await as({ person: people["ben"]!.id })).toEqual(["home", "news", "manual"])
    expect(await as({ principals: "group:hr" })).toEqual(["reviews", "manual"])
    expect(await lastEntry()).toMatchObject({
      action: "POST /admin/readers/search",
      changes: expect.arrayContaining([{ field: "principals", before: null, after: '"group:hr"' }]),
    })
  })

  test("matches the rules for every page", async () => {
    for (const user of Object.keys(people)) {
      const person = people[user]!.id
      const { body } = await app.post("/admin/readers/search", { query: "pumps", person })
      const found = body.results.map(({ title }: { title: string }) => title)
      for (const { title, url } of pages) {
        const { may_read: mayRead, people: readers } = await get(
          `/admin/readers?url=${encodeURIComponent(url)}&person=${person}`,
        )
        const told = [mayRead, readers.users.includes(`${user}@example.com`)]
        expect([user, title, ...told]).toEqual([user, title, found.includes(title), found.includes(title)])
      }
    }
  })

  test("is laid out by groups and sources", async () => {
    const { sources, rows } = await get("/admin/readers/matrix")
    expect(sources.map(({ source }: { source: string }) => source)).toEqual(["manual", "reviews", "wiki"])
    const lines = rows.map((row: { principal: string | null; cells: { reach: string }[] }) => [
      row.principal,
      row.cells.map((cell) => cell.reach).join(" "),
    ])
    expect(Object.fromEntries(lines)).toEqual({
      null: "all none none",
      "signed-in": "all none some",
      "group:admins": "all none some",
      "group:guests": "all none some",
      "group:hr": "all all all",
      "group:it": "all none some",
    })
  })
})

describe("a preview of changed readers", () => {
  const preview = async (source: string, readers: object | null) =>
    (await app.post("/admin/readers/preview", { source, readers })).body

  test("lists who gains and who loses access", async () => {
    expect(await preview("reviews", { allow: ["group:hr"] })).toMatchObject({
      pages: 1,
      pages_gained: 1,
      pages_lost: 0,
      people: 3,
      gaining: { total: 1, users: ["anna@example.com"] },
      losing: { total: 0, users: [] },
      warnings: ["1 of 3 people could read pages of reviews that they can't read now."],
    })
    expect(await preview("wiki", { allow: ["group:it"] })).toMatchObject({
      pages_lost: 3,
      losing: { total: 1, users: ["anna@example.com"] },
      warnings: [],
    })
  })

  test("warns if the change opens a lot", async () => {
    const { warnings, everybody, gaining } = await preview("wiki", null)
    expect(everybody).toEqual({ before: 0, after: 2 })
    expect(warnings).toEqual(["Everybody could read 2 of the 3 pages of wiki; now they can read none."])
    // Both people may read the wiki already, and the third has access only to another source.
    expect(gaining.total).toBe(0)
    const same = await preview("wiki", { allow: ["signed-in"] })
    expect(same).toMatchObject({ pages_gained: 0, pages_lost: 0, warnings: [] })
  })
})
