import { afterAll, beforeAll, expect, test } from "vitest"

import { serveTwoSources, type TwoSources } from "../../testing/two-sources.ts"

let garden: TwoSources
beforeAll(async () => {
  garden = await serveTwoSources()
})
afterAll(() => garden[Symbol.asyncDispose]())

const call = (path: string, body: unknown, key = garden.all) =>
  garden.app.call(`/openwebui/${path}`, key, body)

test("the external search gives links, titles and snippets", async () => {
  const { body } = await call("search", { query: "when are tulips planted", count: 2 })
  expect(body.length).toBeLessThanOrEqual(2)
  expect(body[0]).toEqual({
    link: garden.site.url("/tulips"),
    title: "Tulips",
    snippet: expect.stringContaining("autumn"),
  })
  expect((await call("search", { query: "x", count: 0 })).status).toBe(400)
})

test("the external loader gives the pages that can be read", async () => {
  const { body } = await call("load", {
    urls: [garden.site.url("/roses/"), garden.site.url("/none"), "no address"],
  })
  expect(body).toEqual([
    {
      page_content: expect.stringContaining("Roses are pruned"),
      metadata: {
        source: garden.site.url("/roses/"),
        title: "Roses",
        description: "How roses are cared for.",
        language: "en",
      },
    },
  ])
  expect((await call("load", { urls: [] })).status).toBe(400)
})

test("a key with a limited scope sees nothing outside it, and a missing key gets 401", async () => {
  const found = await call("search", { query: "keys of the vault", count: 10 }, garden.narrow)
  expect(JSON.stringify(found.body)).not.toContain("/vault")
  expect((await call("load", { urls: [garden.site.url("/vault/keys")] }, garden.narrow)).body).toEqual([])
  for (const path of ["search", "load"]) expect((await call(path, {}, "nobody")).status).toBe(401)
})

test("both cost the same as Tavily's calls", async () => {
  const key = await garden.app.key()
  await call("search", { query: "tulips", count: 1 }, key)
  await call("load", { urls: [garden.site.url("/roses/")] }, key)
  const { body } = await garden.app.call("/logs", key, {})
  expect(body.logs.map((one: { endpoint: string }) => one.endpoint).toSorted()).toEqual(["extract", "search"])
})
