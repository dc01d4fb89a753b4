import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { makeCertificate } from "../../fetch/connect/make-certificate.ts"
import { startSecureSite } from "../../testing/secure-site.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { readSourceSpec } from "../source-spec.ts"
import { CrawlFixture, temporaryFolder, testConfig } from "../../testing/crawl-fixture.ts"
import {
  article,
  bytes,
  html,
  redirect,
  startTestSite,
  status,
  type TestSite,
  textFile,
} from "../../testing/test-site.ts"
import { MAX_REQUESTS } from "./polite-visits.ts"
import { surveySite } from "./survey.ts"

async function survey(
  url: string,
  more: {
    trusted?: boolean
    ignoresRobots?: boolean
    taken?: string[]
    networks?: string
    caFile?: string
  } = {},
) {
  using folder = temporaryFolder()
  const db = await openStateStore(folder.path)
  try {
    // Creates the tables for runs, as every command does.
    expect(await new Jobs(db).count()).toBe(0)
    return await surveySite(url as PageUrl, {
      db,
      config: testConfig({
        FOSSICK_BROWSER_PATH: "/nonexistent",
        FOSSICK_ALLOWED_NETWORKS: more.networks ?? "127.0.0.0/8",
      }),
      trusted: more.trusted ?? true,
      ignoresRobots: more.ignoresRobots ?? false,
      taken: new Set(more.taken),
    })
  } finally {
    db.close()
  }
}

const sitemap = (site: TestSite, paths: readonly string[]) =>
  bytes(`<urlset>${paths.map((path) => `<url><loc>${site.url(path)}</loc></url>`).join("")}</urlset>`, {
    "content-type": "application/xml",
  })

const TOPICS = ["pumps", "seals", "valves", "motors", "pipes", "gauges", "filters"]

test("a documentation site is proposed with its scope, sitemap, languages, size and five pages, within a dozen requests", async () => {
  await using site = await startTestSite({ "/robots.txt": textFile("User-agent: *\nDisallow: /private/") })
  const head = `<meta name="generator" content="mkdocs-1.6.1"><link rel="stylesheet" href="/docs/assets/stylesheets/main.css">
    <link rel="alternate" type="application/rss+xml" href="/docs/feed.xml">
    <link rel="alternate" hreflang="de" href="/docs/de/">`
  const paths = TOPICS.flatMap((topic) => [`/docs/${topic}/`, `/docs/de/${topic}/`])
  site.serve({
    "/docs/": article("The plant", { head, links: ["/docs/pumps/", "/shop/"] }),
    "/docs/sitemap.xml": sitemap(site, [...paths, "/shop/", "/docs/404.html"]),
    ...Object.fromEntries(paths.map((path) => [path, article(path.replaceAll("/", " ").trim())])),
  })
  const found = await survey(site.url("/docs"), {})
  // Without the final slash, the folder's address doesn't exist.
  expect(found).toMatchObject({ url: null, outcome: "failed:http-status" })

  const before = site.requests.length
  const { source, ...rest } = await survey(site.url("/docs/"))
  expect(source).toEqual({
    name: `${site.authority}-docs`,
    seeds: [site.url("/docs/")],
    scope: "prefix",
    exclude: ["/**/404.html", "/**/search.html", "/**/search/**", "/**/print_page/**"],
    sitemaps: [site.url("/docs/sitemap.xml")],
    schedule: { everyHours: 24 },
  })
  expect(rest).toMatchObject({
    program: { name: "MkDocs", version: "1.6.1" },
    rendering: { rendering: "auto" },
    sitemap: { total: 14, isFound: false },
    feeds: [site.url("/docs/feed.xml")],
    languages: [
      { language: "de", from: "hreflang", path: "/docs/de/" },
      { language: "en", from: "page" },
    ],
    login: null,
    obstacles: [],
    estimate: { pages: 14, from: "sitemap" },
  })
  expect(rest.pages).toHaveLength(5)
  expect(rest.pages[0]?.page).toMatchObject({
    title: "The plant",
    markdown: expect.stringContaining("plain sentences"),
  })
  expect(site.requests.length - before).toBe(rest.requests)
  expect(rest.requests).toBeLessThanOrEqual(MAX_REQUESTS)
})

test("the proposal, unchanged, crawls the site", async () => {
  await using site = await startTestSite({})
  const wiki = (title: string, links: readonly string[]) =>
    article(title, { links, head: '<meta name="generator" content="DokuWiki">' })
  const links = [
    "/doku.php?id=mail",
    "/doku.php?id=start&do=edit",
    "/doku.php?id=mail&rev=17",
    "/doku.php?id=web",
  ]
  site.serve({
    "/": redirect("/doku.php?id=start"),
    "/doku.php?id=start": wiki("Start", links),
    "/doku.php?id=mail": wiki("Mail", links),
    "/doku.php?id=web": wiki("Web", links),
    "/doku.php": wiki("Another form of it", links),
  })
  const { source } = await survey(site.url("/"))
  await using story = await CrawlFixture.open()
  const spec = readSourceSpec(source)
  site.requests.length = 0
  const job = await story.crawl({ ...spec, schedule: null })
  expect(job.outcomes).toMatchObject({ indexed: 3 })
  expect(site.requests.filter((path) => /do=|rev=/.test(path))).toEqual([])
})

test("a site behind a login form is proposed with its fields and a reference to the password", async () => {
  await using site = await startTestSite({
    "/": redirect("/sign-in?next=/"),
    "/sign-in":
      html(`<title>Sign in</title><form method="post" action="/sign-in"><input name="user"><input type="password"
      name="pass"><input type="hidden" name="csrf" value="x"><button>Sign in</button></form>`),
  })
  const { source, login, obstacles, pages } = await survey(site.url("/"), { taken: [site.authority] })
  expect(source).toMatchObject({
    name: `${site.authority}-2`,
    seeds: [site.url("/")],
    login: {
      kind: "form",
      url: site.url("/sign-in?next=/"),
      fields: { user: "crawler", pass: expect.stringMatching(/^\$\{SITE_127_0_0_1_\d+_2_PASSWORD\}$/) },
    },
  })
  expect(readSourceSpec(source).login).toMatchObject({ kind: "form", proof: null })
  expect(login).toMatchObject({ isNeeded: true, hidden: ["csrf"], isPlain: true })
  expect(obstacles).toMatchObject([{ kind: "login" }])
  expect(pages).toEqual([])
})

test("a form linked from a public page is mentioned, but not proposed", async () => {
  await using site = await startTestSite({
    "/": article("Open", { links: ["/about"] }).replace("<nav>", '<nav><a href="/account">Log in</a>'),
    "/about": article("About"),
    "/account": html(
      `<form method="get" action="https://other.example/"><input name="u" type="email"><input name="p" type="password"></form>`,
    ),
  })
  const { source, login } = await survey(site.url("/"))
  expect(source.login).toBeUndefined()
  expect(login).toMatchObject({
    url: site.url("/account"),
    isNeeded: false,
    user: "u",
    password: "p",
    isPlain: false,
  })
})

test.each([
  [401, { kind: "basic", user: "crawler", password: expect.stringMatching(/^\$\{\w+\}$/) }, "login"],
  [403, undefined, "server"],
])("a site that answers %i gets helpful advice", async (code, login, kind) => {
  await using site = await startTestSite({ "/": status(code) })
  const found = await survey(site.url("/"))
  expect(found.source.login).toEqual(login)
  expect(found.obstacles).toMatchObject([{ kind, help: expect.any(String) }])
})

test("robots.txt is obeyed unless the site is the operator's own; the result says how to ignore it", async () => {
  await using site = await startTestSite({
    "/robots.txt": textFile("User-agent: *\nDisallow: /"),
    "/": article("Closed"),
  })
  const closed = await survey(site.url("/"))
  expect(closed).toMatchObject({ url: null, outcome: "skipped:robots" })
  expect(closed.obstacles).toMatchObject([
    { kind: "robots", help: expect.stringContaining("--ignore-robots") },
  ])
  expect(site.requests).toEqual(["/robots.txt"])
  const open = await survey(site.url("/"), { ignoresRobots: true })
  expect(open.source.politeness).toEqual({ robots: false })
  expect(open.pages).toMatchObject([{ outcome: "indexed", page: { title: "Closed" } }])
})

test("noindex is mentioned; on the operator's own network the proposal reads such pages anyway", async () => {
  const head = '<meta name="robots" content="noindex,nofollow">'
  await using site = await startTestSite({
    "/": article("Young", { head, links: ["/a"] }),
    "/a": article("A", { head }),
  })
  const own = await survey(site.url("/"))
  expect(own.source.politeness).toEqual({ robots: false })
  expect(own.obstacles).toMatchObject([{ kind: "noindex" }])
  expect(own.pages.map(({ outcome }) => outcome)).toEqual(["indexed", "indexed"])
  // If links may be followed, only noindex is ignored.
  site.serve({ "/": article("Young", { head: '<meta name="robots" content="noindex">', links: ["/a"] }) })
  const followed = (await survey(site.url("/"))).source
  expect(followed).toMatchObject({ ignoreNoindex: true })
  expect(followed.politeness).toBeUndefined()
  site.serve({ "/": article("Young", { head, links: ["/a"] }) })
  // Over the API, callers can't claim that a network is their own.
  const over = await survey(site.url("/"), { trusted: false })
  expect(over.source.politeness).toBeUndefined()
  expect(over.obstacles.map(({ kind }) => kind)).toEqual(["noindex", "robots"])
})

test("a page filled by scripts needs a browser, and the proposal says what to install", async () => {
  await using site = await startTestSite({
    "/": html('<title>App</title><div id="root"></div><script type="module" src="/app.js"></script>'),
  })
  const { source, rendering, program, obstacles } = await survey(site.url("/"))
  expect(source.rendering).toBe("browser")
  expect(rendering).toMatchObject({
    rendering: "browser",
    missing: expect.stringContaining("FOSSICK_BROWSER_PATH"),
  })
  expect(program?.name).toBe("JavaScript application")
  expect(obstacles[0]).toMatchObject({ kind: "browser" })
})

test("a sitemap with another site's addresses is mentioned, and its pages are not counted", async () => {
  await using site = await startTestSite({
    "/": article("Home", { links: ["/a"] }),
    "/a": article("A"),
    "/sitemap.xml": textFile("https://docs.example.com/a\nhttps://docs.example.com/b"),
  })
  const { source, estimate, obstacles } = await survey(site.url("/"))
  expect(source.sitemaps).toBeUndefined()
  expect(estimate).toMatchObject({ pages: 2, from: "links" })
  expect(obstacles).toMatchObject([{ kind: "sitemap", text: expect.stringContaining("docs.example.com/a") }])
})

test("a large site gets a limit for all its pages, and a time that includes the pauses", async () => {
  await using site = await startTestSite({ "/": article("Home") })
  const paths = Array.from({ length: 12_000 }, (_, number) => `/page-${number}`)
  site.serve({ "/sitemap.xml": sitemap(site, paths), "*": article("A page") })
  const { source, estimate } = await survey(site.url("/"))
  expect(source.limits).toEqual({ pages: 15_000 })
  expect(estimate).toMatchObject({ pages: 12_000, from: "sitemap" })
})

test("an unknown certificate authority is answered with the setting to use", async () => {
  const root = makeCertificate({ subject: "root", isAuthority: true })
  const certificate = makeCertificate({ subject: "site", names: ["127.0.0.1"], issuer: root })
  await using site = await startSecureSite(certificate)
  expect((await survey(site.url("/"))).obstacles).toMatchObject([
    {
      kind: "certificate",
      text: expect.not.stringContaining("FOSSICK"),
      help: expect.stringMatching(/FOSSICK_CA_FILE.*caFile/),
    },
  ])
  // A server without TLS is not reported as untrusted.
  await using plain = await startTestSite({ "/": article("Plain") })
  expect((await survey(plain.url("/").replace("http:", "https:"))).obstacles).toMatchObject([
    { kind: "server", help: expect.stringContaining(`http://${plain.authority}/`) },
  ])
})

test("over the API, unknown and private hosts get the same message", async () => {
  await using site = await startTestSite({ "/": article("Inside") })
  const inside = await survey(site.url("/"), { trusted: false, networks: "" })
  const nowhere = await survey("https://nowhere.invalid/", { trusted: false, networks: "" })
  for (const one of [inside, nowhere]) expect(one).toMatchObject({ url: null, outcome: "failed:dns" })
  expect(inside.obstacles).toEqual(nowhere.obstacles)
  expect(site.requests).toEqual([])
  // An operator who names a private address does so on purpose.
  expect((await survey(site.url("/"), { networks: "" })).pages).toHaveLength(1)
})
