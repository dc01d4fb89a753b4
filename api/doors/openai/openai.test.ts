import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { serveTwoSources, type TwoSources } from "../../testing/two-sources.ts"

let garden: TwoSources
beforeAll(async () => {
  garden = await serveTwoSources()
})
afterAll(() => garden[Symbol.asyncDispose]())

const call = (path: string, body?: unknown, key = garden.all) => garden.app.call(`/v1/${path}`, key, body)
const urlsOf = ({ data }: { data: { file_id: string }[] }) => data.map((one) => one.file_id)

describe("vector stores", () => {
  test("list everything a key may see, and the collections it knows", async () => {
    const { body } = await call("vector_stores")
    expect(body).toMatchObject({ object: "list", first_id: "all", last_id: "seeds", has_more: false })
    expect(
      body.data.map(({ id, file_counts: { total } }: { id: string; file_counts: { total: number } }) => [
        id,
        total,
      ]),
    ).toEqual([
      ["all", 5],
      ["seeds", 2],
    ])
    expect((await call("vector_stores?limit=1")).body).toMatchObject({ last_id: "all", has_more: true })
    expect((await call("vector_stores?limit=1&after=all")).body).toMatchObject({
      first_id: "seeds",
      has_more: false,
    })
    expect((await call("vector_stores/seeds")).body).toMatchObject({
      id: "seeds",
      object: "vector_store",
      status: "completed",
    })
    expect((await call("vector_stores/none")).status).toBe(404)
  })

  test("can be searched, with filters by attribute", async () => {
    const { body } = await call("vector_stores/all/search", {
      query: "when are tulips planted",
      max_num_results: 3,
    })
    expect(body).toMatchObject({
      object: "vector_store.search_results.page",
      search_query: ["when are tulips planted"],
      has_more: false,
      next_page: null,
    })
    expect(body.data[0]).toMatchObject({
      file_id: garden.site.url("/tulips"),
      filename: "Tulips",
      score: expect.any(Number),
      attributes: { url: garden.site.url("/tulips"), source: "garden", type: "html", language: "en" },
      content: [{ type: "text", text: expect.stringContaining("autumn") }],
    })
    const seeds = await call("vector_stores/seeds/search", { query: ["tulips"] })
    expect(urlsOf(seeds.body)).toEqual([garden.site.url("/vault/")])
    const filters = {
      type: "and",
      filters: [
        { type: "eq", key: "source", value: "vault" },
        { type: "in", key: "type", value: ["html"] },
      ],
    }
    const filtered = await call("vector_stores/all/search", { query: "tulips", filters })
    expect(urlsOf(filtered.body)).toEqual([garden.site.url("/vault/")])
    const none = await call("vector_stores/all/search", {
      query: "tulips",
      ranking_options: { ranker: "auto", score_threshold: 1 },
    })
    expect(none.body.data).toEqual([])
  })

  test.each([
    [{}, "query"],
    [{ query: "x", filters: { type: "eq", key: "colour", value: "red" } }, "filters"],
    [{ query: "x", filters: { type: "or", filters: [] } }, "filters"],
    [{ query: "x", max_num_results: 51 }, "max_num_results"],
    [{ query: "x", rewrite_query: true }, "rewrite_query"],
  ])("reject %j, naming the field in OpenAI's format", async (body, field) => {
    const refused = await call("vector_stores/all/search", body)
    expect([refused.status, refused.body]).toEqual([
      400,
      { error: { message: expect.any(String), type: "invalid_request_error", param: field, code: null } },
    ])
  })

  test("show a key with a limited scope nothing outside it", async () => {
    const { narrow } = garden
    expect(
      (await call("vector_stores", undefined, narrow)).body.data.map(({ id }: { id: string }) => id),
    ).toEqual(["all"])
    expect((await call("vector_stores/all", undefined, narrow)).body.file_counts.total).toBe(3)
    expect((await call("vector_stores/seeds/search", { query: "tulips" }, narrow)).status).toBe(404)
    const found = await call("vector_stores/all/search", { query: "keys of the vault" }, narrow)
    expect(JSON.stringify(found.body.data)).not.toContain("/vault")
    const refused = await call("vector_stores", undefined, "nobody")
    expect([refused.status, refused.body.error.code]).toEqual([401, "invalid_api_key"])
  })
})

describe("embeddings", () => {
  test("come from the loaded model, as numbers or bytes", async () => {
    const model = (await call("models")).body.data[0].id
    const input = ["tulips", "roses"]
    const { body } = await call("embeddings", { model, input })
    expect(body).toMatchObject({ object: "list", model })
    const [first] = body.data
    expect(Math.hypot(...first.embedding)).toBeCloseTo(1, 5)
    const coded = await call("embeddings", { model: "default", input: "tulips", encoding_format: "base64" })
    const bytes = Buffer.from(coded.body.data[0].embedding, "base64")
    const numbers = Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4))
    expect(numbers).toEqual(first.embedding)
    expect((await call(`models/${encodeURIComponent(model)}`)).body.id).toBe(model)
  })

  test("are counted in tokens of that model", async () => {
    // The model in these tests also recognises the parts of a name.
    const input = ["tulips", "setPumpSpeed"]
    const { body } = await call("embeddings", { model: "default", input })
    expect(body.usage).toEqual({ prompt_tokens: 5, total_tokens: 5 })
  })

  test.each([
    [{ model: "default", input: [[1, 2]] }, 400, "input"],
    [{ model: "default", input: "" }, 400, "input"],
    [{ model: "default", input: "x", dimensions: 3 }, 400, "dimensions"],
    [{ model: "text-embedding-3-small", input: "x" }, 404, "model"],
  ])("refuse %j", async (body, status, param) => {
    const refused = await call("embeddings", body)
    expect([refused.status, refused.body.error.param]).toEqual([status, param])
  })

  test("cost what a search costs", async () => {
    const key = await garden.app.key()
    await call("embeddings", { model: "default", input: "tulips" }, key)
    expect((await garden.app.call("/usage", key)).body.key).toMatchObject({ search_usage: 1 })
  })
})
