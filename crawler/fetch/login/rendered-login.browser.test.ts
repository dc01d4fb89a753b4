import { afterEach, expect, test, vi } from "vitest"
import { openSourceReader } from "../visit/source-reader.ts"
import { defineSource } from "../../source.ts"
import { CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { html, startTestSite, status } from "../../testing/test-site.ts"

afterEach(() => {
  vi.unstubAllEnvs()
})

test("scripts of a page rendered in a browser get the login's cookies", { tags: ["chromium"] }, async () => {
  vi.stubEnv("WIKI_SESSION", "s3cret")
  await using fixture = await CrawlFixture.open()
  const words = "These words come from the site's own data, and only for somebody who is logged in. "
  await using site = await startTestSite({
    "/": html(`<html><head><title>App</title></head><body><div id=app></div><script>
      fetch("/data").then((r) => r.text()).then((t) => { app.innerHTML = "<h1>Data</h1><p>" + t + "</p>" })
    </script></body></html>`),
    "/data": (request, response) => {
      if (request.headers.cookie === "session=s3cret") html(words.repeat(5))(request, response)
      else status(401)(request, response)
    },
  })
  const source = defineSource({
    seeds: [site.url("/")],
    rendering: "browser",
    login: { kind: "cookies", cookies: { session: "${WIKI_SESSION}" } },
  })
  await using reader = await openSourceReader(source, testConfig(), {
    db: fixture.db,
    author: "operator",
    first: "unkept",
  })
  expect(await reader.read(site.url("/"))).toMatchObject({
    kind: "read",
    reading: { extracted: { markdown: expect.stringContaining("only for somebody") as string } },
  })
})
