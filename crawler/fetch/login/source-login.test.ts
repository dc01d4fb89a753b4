import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { PageUrl } from "#engine"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { runJob } from "../../crawl/run-job.ts"
import { openSourceReader } from "../visit/source-reader.ts"
import { defineSource, type Login } from "../../source.ts"
import { CrawlFixture, shareFor, testConfig } from "../../testing/crawl-fixture.ts"
import {
  type Answer,
  article,
  html,
  redirect,
  startTestSite,
  status,
  type TestSite,
} from "../../testing/test-site.ts"

const PASSWORD = "correct-horse-battery"
let site: TestSite
let fixture: CrawlFixture

beforeEach(async () => {
  vi.stubEnv("WIKI_PASSWORD", PASSWORD)
  fixture = await CrawlFixture.open()
  site = await startTestSite({})
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await fixture[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

async function crawl(login: Login, seed = "/") {
  const source = defineSource({ name: "wiki", seeds: [site.url(seed)], login, removal: { maxShare: 1 } })
  const { id } = await fixture.jobs.enqueue(source)
  const { db, jobs, engine } = fixture
  const config = testConfig()
  const signal = new AbortController().signal
  const share = shareFor(config)
  const job = await runJob(id, { db, jobs, engine, config, signal, whenAborted: "queued", share })
  return { state: job?.state, error: job?.error, outcomes: job?.outcomes }
}

const titles = () => [...fixture.engine.pages.values()].map(({ title }) => title).sort()
const outcomeOf = async (path: string) =>
  (await new KnownAddresses(fixture.db).get(site.url(path) as PageUrl))?.outcome

/** Serves `then` to requests that pass the check, and `otherwise` to all other requests. */
const only =
  (passes: (request: IncomingMessage) => boolean, then: Answer, otherwise: Answer): Answer =>
  (request, response) => {
    const answer = passes(request) ? then : otherwise
    if (typeof answer === "string") html(answer)(request, response)
    else return answer(request, response)
  }

describe("credentials in headers", () => {
  it("work with basic authentication", async () => {
    const expected = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString("base64")}`
    const guarded = (page: string) => only((r) => r.headers.authorization === expected, page, status(401))
    site.serve({ "/": guarded(article("Home", { links: ["/a"] })), "/a": guarded(article("Inside")) })
    expect(await crawl({ kind: "basic", user: "ada", password: "${WIKI_PASSWORD}" })).toMatchObject({
      state: "finished",
      outcomes: { indexed: 2 },
    })
  })

  it("can be a token or cookies", async () => {
    const file = join(fixture.folder, "token")
    writeFileSync(file, "s3cret\n")
    site.serve({
      "/": only((r) => r.headers.authorization === "Bearer s3cret", article("By token"), status(401)),
      "/c": only((r) => r.headers.cookie === `sid=${PASSWORD}; lang=en`, article("By cookie"), status(401)),
    })
    await crawl({ kind: "headers", headers: { Authorization: `Bearer file:${file}` } })
    await crawl({ kind: "cookies", cookies: { sid: "${WIKI_PASSWORD}", lang: "en" } }, "/c")
    expect(titles()).toEqual(["By cookie", "By token"])
  })

  it("end the run when rejected, before any page is visited or removed", async () => {
    site.serve({ "/": article("Home", { links: ["/a"] }), "/a": article("Inside") })
    const login: Login = { kind: "basic", user: "ada", password: "${WIKI_PASSWORD}" }
    await crawl(login)
    site.serve({ "/": status(401), "/a": status(401) })
    for (let run = 0; run < 3; run += 1) {
      const { state, error } = await crawl(login)
      expect(state).toBe("failed")
      expect(error).toBe(`login: the site rejected the credentials: ${site.url("/")} answered 401`)
    }
    expect(titles()).toEqual(["Home", "Inside"])
  })

  it("end the run when they expire midway, but not for a single page meant for others", async () => {
    const form = `<form method=post><input type=password name=p></form>`
    const mine = only((r) => r.headers.cookie === `sid=${PASSWORD}`, article("Mine"), redirect("/signin"))
    const pages = {
      "/": only(
        (r) => r.headers.cookie === `sid=${PASSWORD}`,
        article("Home", { links: ["/a", "/admin"] }),
        redirect("/signin"),
      ),
      "/a": mine,
      "/admin": redirect("/signin"),
      "/signin": form,
    }
    site.serve(pages)
    const login: Login = { kind: "cookies", cookies: { sid: "${WIKI_PASSWORD}" } }
    expect(await crawl(login)).toMatchObject({ state: "finished", outcomes: { indexed: 2 } })
    expect(await outcomeOf("/admin")).toBe("failed:http-status")
    site.serve({ "/": redirect("/signin"), "/a": redirect("/signin") })
    expect(await crawl(login)).toMatchObject({
      state: "failed",
      error: `login: ${site.url("/")} leads to a form that asks for a password: the session may have expired`,
    })
    expect(titles()).toEqual(["Home", "Mine"])
  })

  it("are sent to no other site, not even after a redirect", async () => {
    const seen: string[] = []
    const spy: Answer = (request, response) => {
      seen.push(JSON.stringify(request.headers))
      html(article("Elsewhere"))(request, response)
    }
    await using other = await startTestSite({ "/": spy, "/robots.txt": spy, "/moved": spy })
    site.serve({
      "/": article("Home", { links: [other.url("/"), "/away"] }),
      "/away": redirect(other.url("/moved")),
    })
    const source = defineSource({
      seeds: [site.url("/")],
      login: { kind: "headers", headers: { "x-api-key": "${WIKI_PASSWORD}" } },
    })
    await using reader = await openSourceReader(source, testConfig(), {
      db: fixture.db,
      author: "operator",
      first: "unkept",
    })
    for (const url of [site.url("/away"), other.url("/")]) expect((await reader.read(url)).kind).toBe("read")
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.join()).not.toContain(PASSWORD)
  })
})

/** A wiki behind a form, with a single-use token and sessions that end after a few pages. */
class Wiki {
  password = PASSWORD
  pagesPerSession = Infinity
  logins = 0
  readonly #sessions = new Map<string, number>()
  readonly #tokens = new Set<string>()

  serve(pages: Readonly<Record<string, string>>, strangers: Answer = redirect("/login?next=%2F")): void {
    site.serve({ "/login": (request, response) => this.#login(request, response) })
    for (const [path, page] of Object.entries(pages)) {
      site.serve({ [path]: only((request) => this.#admits(request), page, strangers) })
    }
  }

  #admits(request: IncomingMessage): boolean {
    const id = /session=(\w+)/.exec(request.headers.cookie ?? "")?.[1] ?? ""
    const left = this.#sessions.get(id) ?? 0
    this.#sessions.set(id, left - 1)
    return left > 0
  }

  async #login(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") {
      this.#form(request, response)
      return
    }
    let body = ""
    for await (const chunk of request) body += String(chunk)
    const sent = new URLSearchParams(body)
    const knowsToken =
      this.#tokens.delete(sent.get("csrf") ?? "") && request.headers.cookie?.includes("csrf=1")
    if (!knowsToken) status(403)(request, response)
    else if (
      sent.get("user") !== "ada" ||
      sent.get("password") !== this.password ||
      sent.get("keep") !== "yes"
    )
      this.#form(request, response)
    else {
      this.logins += 1
      const id = `s${this.logins}`
      this.#sessions.set(id, this.pagesPerSession)
      response.writeHead(303, { location: "/", "set-cookie": `session=${id}; HttpOnly; Path=/` }).end()
    }
  }

  #form(request: IncomingMessage, response: ServerResponse): void {
    const token = `t${Math.random()}`
    this.#tokens.add(token)
    html(
      `<form action="/search"><input name=q></form>
       <form method=post><input type=hidden name=csrf value="${token}"><input name=user>
       <input type=password name=password><input type=checkbox name=keep value=yes checked><button name=go>Go</button></form>`,
      { "set-cookie": "csrf=1" },
    )(request, response)
  }
}

describe("a login form", () => {
  const login = (more: Partial<Extract<Login, { kind: "form" }>> = {}): Login => ({
    kind: "form",
    url: site.url("/login"),
    fields: { user: "ada", password: "${WIKI_PASSWORD}" },
    proof: null,
    ...more,
  })
  const pages = () => ({
    "/": article("Home", { links: ["/a", "/b", "/c", "/logout"] }),
    "/a": article("A"),
    "/b": article("B"),
    "/c": article("C"),
  })

  it("is filled in with the page's token, and the crawler never logs out", async () => {
    const wiki = new Wiki()
    wiki.serve(pages())
    site.serve({ "/logout": article("Bye") })
    expect(await crawl(login({ proof: "Home is explained" }))).toMatchObject({
      state: "finished",
      error: null,
    })
    expect(titles()).toEqual(["A", "B", "C", "Home"])
    expect(wiki.logins).toBe(1)
    expect(await outcomeOf("/logout")).toBe("skipped:logout")
  })

  it.each([
    ["redirect", undefined],
    ["tag", '<meta http-equiv="refresh" content="0; url=/login"><p>Your session is over.</p>'],
  ])("is filled in again when the session ends with a %s", async (_, strangers) => {
    const wiki = new Wiki()
    wiki.pagesPerSession = 3
    wiki.serve(pages(), strangers)
    expect(await crawl(login())).toMatchObject({ state: "finished", outcomes: { indexed: 4 } })
    expect(wiki.logins).toBeGreaterThan(1)
  })

  it("is not filled in endlessly", async () => {
    const wiki = new Wiki()
    // Loading the page behind the form uses up the only visit of each session.
    wiki.pagesPerSession = 1
    wiki.serve(pages())
    const source = defineSource({ seeds: [site.url("/")], login: login() })
    await using reader = await openSourceReader(source, testConfig(), {
      db: fixture.db,
      author: "operator",
      first: "unkept",
    })
    const visits = async () => {
      for (let visit = 0; visit < 20; visit += 1) {
        expect(await reader.read(site.url("/a"))).toMatchObject({ kind: "failed", because: "http-status" })
      }
    }
    await expect(visits()).rejects.toThrow("login: the site ended the session 5 times")
    expect(wiki.logins).toBe(5)
  })

  it("on every page does not cause endless logins", async () => {
    const wiki = new Wiki()
    const box = `<form><input name=user><input name=password></form>`
    wiki.serve({ "/": article("Home", { links: ["/a"] }) + box, "/a": article("A") + box })
    // Here the form also appears on the pages behind it.
    await expect(crawl(login())).resolves.toMatchObject({ state: "failed" })
    await expect(crawl(login({ proof: "Home is explained" }))).resolves.toMatchObject({ state: "finished" })
    expect(titles()).toEqual(["A", "Home"])
  })

  it("that comes back fails the login, and the password is never shown", async () => {
    const wiki = new Wiki()
    wiki.serve(pages())
    await crawl(login())
    wiki.password = "another"
    const { state, error } = await crawl(login())
    expect(state).toBe("failed")
    expect(error).toBe(
      `login: the site shows the form on ${site.url("/login")} again: the user or password may be wrong`,
    )
    expect(titles()).toEqual(["A", "B", "C", "Home"])
    const telling = readdirSync(fixture.folder).filter((file) =>
      readFileSync(join(fixture.folder, file)).includes(PASSWORD),
    )
    expect(telling).toEqual([])
  })

  it("fails as a login when the proof or its fields are missing, or when it is on another site", async () => {
    new Wiki().serve(pages())
    const fails = async (more: Parameters<typeof login>[0]) => (await crawl(login(more))).error
    expect(await fails({ proof: "Welcome back" })).toMatch(/doesn't contain the text that proves the login/)
    expect(await fails({ fields: { mail: "x", password: "${WIKI_PASSWORD}" } })).toMatch(
      /no form on .* has the fields mail, password; it has q, csrf, user, password, keep/,
    )
    site.serve({
      "/login": `<form method=post action="http://127.0.0.1:9/"><input name=user><input name=password></form>`,
    })
    expect(await fails({})).toMatch(/to another site, http:\/\/127.0.0.1:9/)
    site.serve({ "/login": `<form><input name=user><input name=password></form>` })
    expect(await fails({})).toMatch(/into the address/)
  })
})

describe("secrets", () => {
  it("end the run when missing, and are named", async () => {
    site.serve({ "/": article("Home") })
    expect(await crawl({ kind: "basic", user: "ada", password: "${NOT_THERE}" })).toMatchObject({
      state: "failed",
      error: "login: the secret ${NOT_THERE} is not set in the crawler's environment",
    })
    expect(site.requests).toEqual([])
  })

  it("are rejected when written in plain text, and not repeated", async () => {
    const { state, error } = await crawl({ kind: "basic", user: "ada", password: PASSWORD })
    expect(state).toBe("failed")
    expect(error).toBe(
      "login: password must name a secret, not contain it: ${NAME} for an environment variable, or file:/path",
    )
  })
})
