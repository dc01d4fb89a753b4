import { expect, test } from "vitest"
import { CrawlFixture } from "../../testing/crawl-fixture.ts"
import { article, html, startTestSite } from "../../testing/test-site.ts"
import { TrapStore } from "./trap-store.ts"

test("a crawl stops at a calendar and a loop, and reads the rest of the site", async () => {
  const products = Array.from({ length: 120 }, (_, at) => `/product/${at}`)
  await using site = await startTestSite({
    "/": article("Home", { links: ["/cal?month=2031-01", "/loop/", "/products"] }),
    "/products": article("Products", { links: products }),
    ...Object.fromEntries(products.map((path) => [path, article(`Bolt ${path}`)])),
    "*": (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://site")
      const [year, month] = (searchParams.get("month") ?? "").split("-").map(Number)
      if (pathname === "/cal" && year && month) {
        const next = Array.from({ length: 24 }, (_, at) => {
          const to = new Date(Date.UTC(year, month + at))
          return `/cal?month=${to.toISOString().slice(0, 7)}`
        })
        const text = `These are the days of month ${month} in the year ${year}. There are no events.`
        html(article(`Calendar ${year}-${month}`, { links: next, text }))(request, response)
      } else if (pathname.startsWith("/loop/")) {
        html(article("Loop", { links: ["again/", "other/"] }))(request, response)
      } else {
        response.writeHead(404).end()
      }
    },
  })
  await using fixture = await CrawlFixture.open()
  const job = await fixture.crawl({ seeds: [site.origin], limits: { depth: 400 } })
  expect(job.state).toBe("finished")
  expect([...fixture.engine.pages.keys()].filter((url) => url.includes("/product/"))).toHaveLength(120)
  expect(site.requests.filter((path) => path.startsWith("/cal")).length).toBeLessThan(140)
  expect(site.requests.filter((path) => path.startsWith("/loop")).length).toBeLessThan(180)
  const found = await new TrapStore(fixture.db).of(job.source.name)
  expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(["calendar", "loop"]))
  expect(found.every((trap) => trap.job === job.id)).toBe(true)
})
