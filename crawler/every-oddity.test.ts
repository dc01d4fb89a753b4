import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { cutOffPages } from "./crawl/frontier/source-pages.ts"
import { KnownAddresses } from "./crawl/frontier/known-addresses.ts"
import { CrawlFixture, testConfig } from "./testing/crawl-fixture.ts"
import { docx, epub, wordParagraph } from "./testing/documents.ts"
import { eastAsianFont, lines, pdf, pdfInFont } from "./testing/pdf-file.ts"
import {
  type Answer,
  article,
  breaksOff,
  bytes,
  endless,
  hangs,
  html,
  redirect,
  startTestSite,
  status,
  textFile,
  tooManyRequests,
  unended,
} from "./testing/test-site.ts"

const PROSE =
  "The lock keeper opens the upper gate when the basin is full and the boats are tied to both of its walls."
const long = (subject: string) =>
  Array.from({ length: 8 }, (_, i) => `${subject}, part ${i}: ${PROSE}`).join(" ")
const document = (type: string) => ({ "content-type": type })
const OCTETS = document("application/octet-stream")

interface Oddity {
  readonly answer?: Answer
  /** How the first visit to the address ends; `null` if the address is never visited. */
  readonly outcome: string | null
  /** The title of the page, if the address becomes a page. */
  readonly title?: string
}

/** One page of each kind found on real sites that trips up crawlers. */
const ODDITIES: Readonly<Record<string, Oddity>> = {
  "/plain": { answer: article("Plain", { text: long("Plain") }), outcome: "indexed", title: "Plain" },
  "/notes.txt": { answer: textFile(long("Notes")), outcome: "indexed" },
  "/plan.pdf": {
    answer: bytes(pdf([{ texts: lines([PROSE], 72, 700) }], { title: "Plan" }), document("application/pdf")),
    outcome: "indexed",
    title: "Plan",
  },
  "/letter.docx": {
    answer: bytes(docx(wordParagraph(PROSE), { title: "Letter" }), OCTETS),
    outcome: "indexed",
    title: "Letter",
  },
  "/book.epub": {
    answer: bytes(epub([`<p>${PROSE}</p>`], { title: "The book" }), document("application/epub+zip")),
    outcome: "indexed",
    title: "The book",
  },
  "/scan.pdf": { answer: bytes(pdf([{ texts: [] }]), document("application/pdf")), outcome: "skipped:empty" },
  "/glyphs.pdf": {
    answer: bytes(
      pdfInFont(eastAsianFont("Identity", "Identity-H"), ["002500030028000300210003000c".repeat(3)]),
      document("application/pdf"),
    ),
    outcome: "skipped:undecodable",
  },
  "/picture.png": {
    answer: bytes("\x89PNG\r\n", document("image/png")),
    outcome: "skipped:unsupported-type",
  },
  "/binary-as-html": {
    answer: bytes(Buffer.from([0, 1, 2, 3, 0, 5]), document("text/html")),
    outcome: "skipped:unsupported-type",
  },
  "/latin-1": {
    answer: bytes(
      Buffer.from(
        `<html><title>Schleuse</title><main><p>Die Schlösser über der Mühle. ${PROSE}</p></main>`,
        "latin1",
      ),
      document("text/html; charset=iso-8859-1"),
    ),
    outcome: "indexed",
    title: "Schleuse",
  },
  "/torn-gzip": {
    answer: bytes(gzipSync(article("Torn")).subarray(0, 60), {
      ...document("text/html"),
      "content-encoding": "gzip",
    }),
    outcome: "failed:bad-encoding",
  },
  "/breaks-off": { answer: breaksOff(), outcome: "failed:bad-encoding" },
  "/unended": {
    answer: unended(article("Unended", { text: long("Unended") })),
    outcome: "indexed",
    title: "Unended",
  },
  "/asks-for-a-cookie": {
    answer: (request, response) => {
      if (request.headers.cookie === "seen=1")
        html(article("Cookie", { text: long("Cookie") }))(request, response)
      else response.writeHead(302, { location: "/asks-for-a-cookie", "set-cookie": "seen=1; Path=/" }).end()
    },
    outcome: "indexed",
    title: "Cookie",
  },
  "/hangs": { answer: hangs(), outcome: "failed:timeout" },
  "/endless": { answer: endless(5_000_000), outcome: "skipped:too-large" },
  "/loop": { answer: redirect("/loop/again"), outcome: "failed:redirect-loop" },
  "/loop/again": { answer: redirect("/loop"), outcome: null },
  "/moved": { answer: redirect("/plain", 301), outcome: "skipped:duplicate" },
  "/moved-by-a-tag": {
    answer: '<title>Moved</title><meta http-equiv="refresh" content="0; url=/plain"><p>It has moved.</p>',
    outcome: "skipped:duplicate",
  },
  "/leaves-by-a-tag": {
    answer: '<title>Moved</title><meta http-equiv="refresh" content="0; url=https://elsewhere.invalid/">',
    outcome: "skipped:out-of-scope",
  },
  "/leaves": { answer: redirect("https://elsewhere.invalid/"), outcome: "skipped:out-of-scope" },
  "/into-the-house": { answer: redirect("http://169.254.169.254/latest"), outcome: "skipped:out-of-scope" },
  "/not-found": { answer: status(404), outcome: "failed:http-status" },
  "/gone": { answer: status(410), outcome: "failed:http-status" },
  "/broken": { answer: status(500), outcome: "failed:http-status" },
  "/busy": {
    answer: tooManyRequests("1", 1, html(article("Busy", { text: long("Busy") }))),
    outcome: "indexed",
    title: "Busy",
  },
  "/says-not-found": {
    answer:
      "<html><title>Page not found</title><main><h1>404</h1><p>This page does not exist.</p></main></html>",
    outcome: "skipped:soft-404",
  },
  "/noindex": {
    answer: article("Noindex", { head: '<meta name="robots" content="noindex">', text: long("Noindex") }),
    outcome: "skipped:noindex",
  },
  "/tagged": {
    answer: html(article("Tagged", { text: long("Tagged") }), { "x-robots-tag": "noindex" }),
    outcome: "skipped:noindex",
  },
  "/secret": { answer: article("Secret"), outcome: "skipped:robots" },
  "/plain-copied": { answer: article("Plain", { text: long("Plain") }), outcome: "skipped:duplicate" },
  "/canonical": {
    answer: article("Plain", { text: long("Plain"), head: '<link rel="canonical" href="/plain">' }),
    outcome: "skipped:duplicate",
  },
  "/plain?utm_source=letter": { outcome: null },
  "/shell": {
    answer:
      '<html><title>App</title><body><div id="root"></div><script src="/app.js"></script></body></html>',
    outcome: "skipped:empty",
  },
  "/nothing": { answer: "<html><title>Nothing</title><body></body></html>", outcome: "skipped:empty" },
}

test("every oddity of a site gets its own outcome, and none affects another", async () => {
  const answers = Object.entries(ODDITIES).flatMap(([path, { answer }]) => (answer ? [[path, answer]] : []))
  await using site = await startTestSite({
    ...(Object.fromEntries(answers) as Record<string, Answer>),
    "/": article("Canal", { links: Object.keys(ODDITIES).filter((path) => path !== "/loop/again") }),
    "/from-the-sitemap": article("Listed", { text: long("Listed") }),
  })
  site.serve({
    "/robots.txt": textFile(`User-agent: *\nDisallow: /secret\nSitemap: ${site.url("/map.xml")}`),
    "/map.xml": bytes(
      `<urlset><url><loc>${site.url("/from-the-sitemap")}</loc></url></urlset>`,
      document("application/xml"),
    ),
  })
  await using fixture = await CrawlFixture.open()
  const config = testConfig({
    FOSSICK_FETCH_TIMEOUT_MS: "8000",
    FOSSICK_MAX_TRIES: "2",
    FOSSICK_MAX_PAGE_BYTES: "1000000",
  })
  const job = await fixture.crawl({ name: "canal", seeds: [site.url("/")], rendering: "http" }, { config })
  expect(job).toMatchObject({ state: "finished", queued: 0, error: null })

  const known = new KnownAddresses(fixture.db)
  const ended = await Promise.all(
    Object.keys(ODDITIES).map(async (path) => [
      path,
      (await known.get(site.url(path) as PageUrl))?.outcome ?? null,
    ]),
  )
  expect(Object.fromEntries(ended)).toEqual(
    Object.fromEntries(Object.entries(ODDITIES).map(([path, { outcome }]) => [path, outcome])),
  )
  for (const [path, leadsTo] of [
    ["/moved", site.url("/plain")],
    ["/moved-by-a-tag", site.url("/plain")],
    ["/leaves-by-a-tag", "https://elsewhere.invalid/"],
  ] as const)
    expect(await known.get(site.url(path) as PageUrl)).toMatchObject({
      detail: `redirects to ${leadsTo}`,
      leadsTo,
    })
  expect((await known.get(site.url("/unended") as PageUrl))?.detail).toMatch(
    /^the answer was cut off after \d+ bytes$/,
  )
  expect(await cutOffPages(fixture.db, "canal", job.id)).toEqual([site.url("/unended")])
  const titles = Object.fromEntries(
    [...fixture.engine.pages.values()].map(({ url, title }) => [new URL(url).pathname, title]),
  )
  const named = Object.entries(ODDITIES).flatMap(([path, { title }]) => (title ? [[path, title]] : []))
  expect(titles).toMatchObject(Object.fromEntries(named))
  expect(titles["/from-the-sitemap"]).toBe("Listed")
  expect(site.requests).not.toContain("/secret")
  expect(site.requests).not.toContain("/plain?utm_source=letter")
})
