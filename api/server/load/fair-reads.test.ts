import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"

import { expect, test } from "vitest"

import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { createReader } from "#crawler/fetch/visit/reader.ts"

import { SEARCH_KEY, serveApp } from "../../testing/serve-app.ts"

/** A site whose pages below /slow/ are answered once they are released, and all others immediately. */
async function site() {
  let slow = 0
  const held = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url!.startsWith("/slow/")) {
        slow += 1
        await held.promise
      }
      response.setHeader("Content-Type", "text/html")
      response.end(`<title>A page</title><main><p>Pumps move water through a hose.</p></main>`)
    })()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    slow: () => slow,
    letGo: held.resolve,
    async [Symbol.asyncDispose]() {
      held.resolve()
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

test("three extracts of twenty slow pages by one key delay no other key's page", async () => {
  await using pages = await site()
  await using reader = createReader(testConfig())
  await using app = await serveApp({ reader })
  const hog = Array.from({ length: 3 }, (_, call) =>
    app.post("/extract", {
      urls: Array.from({ length: 20 }, (_page, page) => `${pages.url}/slow/${call}-${page}`),
      timeout: 60,
    }),
  )
  // This client reads as many pages as one key may.
  await expect.poll(pages.slow).toBeGreaterThanOrEqual(8)
  const statuses: unknown[] = []
  for (let i = 0; i < 13; i++) {
    const { body } = await app.post(
      "/extract",
      { urls: [`${pages.url}/fast/${i}`], timeout: 30 },
      { headers: { "Content-Type": "application/json", Authorization: `Bearer ${SEARCH_KEY}` } },
    )
    statuses.push(body.failed_results[0]?.error ?? body.results[0].title)
    if (body.failed_results.length > 0) break
  }
  expect(statuses).toEqual(Array.from({ length: 13 }, () => "A page"))
  expect(pages.slow()).toBe(8)
  pages.letGo()
  for (const { body } of await Promise.all(hog)) expect(body.results).toHaveLength(20)
})
