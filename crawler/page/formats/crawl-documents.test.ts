import { expect, it } from "vitest"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { docx, epub, wordParagraph, xlsx } from "../../testing/documents.ts"
import { lines, pdf } from "../../testing/pdf-file.ts"
import { article, bytes, startTestSite } from "../../testing/test-site.ts"

const PROSE = "The pump stands on a level floor, and its inlet is below the water, so that it draws no air."
const OCTETS = { "content-type": "application/octet-stream" }

it("a crawl reads a site's documents along with its pages, and a bad one fails alone", async () => {
  const locked = docx(wordParagraph("secret"))
  locked[6] = locked[6]! | 1
  const linked = [
    "/plan.pdf",
    "/scan.pdf",
    "/torn.pdf",
    "/letter",
    "/locked.docx",
    "/prices.xlsx",
    "/book.epub",
    "/x.xml",
  ]
  await using site = await startTestSite({
    "/": article("Pumps", { links: linked }),
    "/plan.pdf": bytes(
      pdf(
        [
          {
            texts: lines([PROSE, "See our website for more."], 72, 700),
            links: [{ url: "http://127.0.0.1:1/found", rect: [72, 680, 200, 696] }],
          },
        ],
        { title: "The plan" },
      ),
      { "content-type": "application/pdf" },
    ),
    "/scan.pdf": bytes(pdf([{ texts: [] }]), { "content-type": "application/pdf" }),
    "/torn.pdf": bytes(pdf([{ texts: [] }]).slice(0, 40), { "content-type": "application/pdf" }),
    "/letter": bytes(docx(wordParagraph(PROSE), { title: "A letter" }), OCTETS),
    "/locked.docx": bytes(locked, { "content-type": "application/zip" }),
    "/prices.xlsx": bytes(xlsx({ Prices: [["Pump", 12.5]] }), OCTETS),
    "/book.epub": bytes(epub([`<p>${PROSE}</p>`], { title: "A book" }), {
      "content-type": "application/epub+zip",
    }),
    "/x.xml": bytes(
      `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Strict</title><script src="x.js"/></head><body><p>${PROSE}</p></body></html>`,
      { "content-type": "application/xml" },
    ),
  })
  await using fixture = await CrawlFixture.open()
  const job = await fixture.crawl({ name: "pumps", seeds: [site.url("/")] }, { config: testConfig() })

  const titles = [...fixture.engine.pages.values()].map(({ title }) => title)
  expect(titles.sort()).toEqual(["A book", "A letter", "Pumps", "Strict", "The plan", "prices"])
  const known = new KnownAddresses(fixture.db)
  const outcome = async (path: string) => {
    const found = await known.get(site.url(path) as never)
    return [found?.outcome, found?.detail]
  }
  expect(await outcome("/scan.pdf")).toEqual(["skipped:empty", "no text layer in its page"])
  expect((await outcome("/torn.pdf"))[0]).toBe("failed:unreadable")
  expect(await outcome("/locked.docx")).toEqual([
    "skipped:unsupported-type",
    "the file is password protected",
  ])
  expect(job.outcomes["indexed"]).toBe(6)
})
