import type { IncomingMessage, ServerResponse } from "node:http"
import type { Engine, PageUrl } from "#engine"
import type { Job } from "../job.ts"
import { runJob } from "../crawl/run-job.ts"
import { defineSource, type SourceSpec } from "../source.ts"
import { CrawlFixture, shareFor, testConfig } from "./crawl-fixture.ts"
import { DAY_MS } from "./daily-crawls.ts"
import { type Answer, article, startTestSite, type TestSite } from "./test-site.ts"

/** The secret of an account is the account's name backwards. */
export const secretOf = (user: string): string => Array.from(user).reverse().join("")

export const loginOf = (site: TestSite, user: string) =>
  ({
    kind: "form",
    url: site.url("/login"),
    fields: { user, password: `\${${user.toUpperCase()}_SECRET}` },
    proof: "signed in as",
  }) as const

/** Who a page is for, and its text; a plain string is for everyone. */
export interface SitePage {
  readonly for: readonly string[]
  readonly text?: string
  readonly links?: readonly string[]
  /** HTML for the page's head. */
  readonly head?: string
  /** The response to users who may not see the page. */
  readonly refusal?: Answer
}

/**
 * A site with sessions, as in many applications: it has a login form, a cookie for each session, and pages that only
 * some users may see. Each page says in a corner who is signed in.
 */
export class ObservedSite implements AsyncDisposable {
  readonly site: TestSite
  readonly pages = new Map<string, SitePage>()
  /** Users whose password the site accepts. */
  readonly users = new Set<string>()
  /** Session cookies with their users. */
  readonly sessions = new Map<string, string>()
  /** Each request for a page: who asked, for what, and with which validator. */
  readonly asked: { readonly user: string | null; readonly path: string; readonly etag: string | null }[] = []
  /** Users whose session ends whenever they request a page, except the first time. */
  readonly forgets = new Set<string>()
  /** Users who can log in one more time and are then refused. */
  readonly letsInOnce = new Set<string>()
  #count = 0

  static async open(users: readonly string[]): Promise<ObservedSite> {
    const opened: { one: ObservedSite | null } = { one: null }
    const site = await startTestSite({ "*": (request, response) => opened.one!.#answer(request, response) })
    opened.one = new ObservedSite(site, users)
    return opened.one
  }

  private constructor(site: TestSite, users: readonly string[]) {
    this.site = site
    for (const user of users) this.users.add(user)
  }

  url(path: string): PageUrl {
    return this.site.url(path) as PageUrl
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/"
    if (path === "/robots.txt" || path.endsWith(".xml") || path === "/llms.txt") {
      response.writeHead(404).end()
      return
    }
    if (path === "/login") return await this.#login(request, response)
    const session = /sid=(\w+)/.exec(request.headers.cookie ?? "")?.[1] ?? ""
    const user = this.sessions.get(session) ?? null
    this.asked.push({ user, path, etag: request.headers["if-none-match"] ?? null })
    if (user !== null && path !== "/" && this.forgets.has(user)) this.sessions.delete(session)
    const page = this.pages.get(path)
    if (page === undefined) {
      response.writeHead(404).end()
      return
    }
    if (page.for.length > 0 && !page.for.includes(user ?? "nobody")) {
      const { refusal = redirectToLogin } = page
      if (typeof refusal === "string") response.writeHead(200, HTML).end(refusal)
      else await refusal(request, response)
      return
    }
    const body = article(path.slice(1) || "Home", {
      ...(page.text !== undefined && { text: page.text }),
      ...(page.head !== undefined && { head: page.head }),
      links: page.links ?? [],
    })
    const corner = user === null ? `<a href="/login">Sign in</a>` : `<footer>signed in as ${user}</footer>`
    response.writeHead(200, HTML).end(body.replace("<nav>", `<nav>${corner}`))
  }

  async #login(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") {
      response.writeHead(200, HTML).end(FORM)
      return
    }
    let body = ""
    for await (const chunk of request) body += String(chunk)
    const given = new URLSearchParams(body)
    const user = given.get("user") ?? ""
    if (!this.users.has(user) || given.get("password") !== secretOf(user)) {
      response.writeHead(200, HTML).end(FORM)
      return
    }
    if (this.letsInOnce.has(user)) this.users.delete(user)
    const session = `s${++this.#count}`
    this.sessions.set(session, user)
    response.writeHead(303, { "set-cookie": `sid=${session}; Path=/`, location: "/" }).end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site[Symbol.asyncDispose]()
  }
}

const HTML = { "content-type": "text/html; charset=utf-8" }
export const FORM = `<html><body><main><h1>Sign in</h1><form method="post" action="/login">
  <input name="user"><input type="password" name="password"><button>Sign in</button></form></main></body></html>`
const redirectToLogin: Answer = (_, response) => void response.writeHead(302, { location: "/login" }).end()

/** Runs of a source, each a day after the previous one, with the source's logins and each followed by its judgement. */
export class ObservedRuns extends CrawlFixture {
  now = Date.UTC(2026, 0, 1)

  async runNextDay(spec: SourceSpec, options: DayOptions = {}): Promise<Job> {
    const { days = 1, visits = "all", engine = this.engine } = options
    this.now += days * DAY_MS
    const { db, jobs } = this
    const config = testConfig(options.settings)
    const { id } = await jobs.enqueue(defineSource(spec), { visits, trigger: "run" })
    const clock = () => this.now
    const share = shareFor(config)
    const { signal } = new AbortController()
    return (await runJob(id, { db, jobs, engine, config, signal, whenAborted: "queued", share, clock }))!
  }
}

interface DayOptions {
  /** Days since the previous run. Default: 1. */
  readonly days?: number
  readonly visits?: Job["visits"]
  /** Default: the fixture's. */
  readonly engine?: Engine
  readonly settings?: Parameters<typeof testConfig>[0]
}
