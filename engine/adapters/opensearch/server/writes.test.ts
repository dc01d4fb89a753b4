import { expect, test, vi } from "vitest"
import { type Answer, type Request, startServer } from "../../meilisearch/testing/scripted-server.ts"
import { Cluster } from "./cluster.ts"
import { Searches } from "./searches.ts"
import { writeAll } from "./writes.ts"

const noted = vi.hoisted(() => vi.fn<(purpose: string, host: string) => void>())
vi.mock("#base/outbound/outbound.ts", () => ({ noteOutbound: noted }))

const write = (id: string, version = 2) => ({ index: "pages", id, version, document: { id } })
const clusterAt = (...urls: string[]) =>
  new Cluster({ urls, login: null, tls: { ca: null, cert: null, key: null }, patienceMs: 5000 })

/** Items of a bulk request, keyed by id. */
function bulk({ body }: Request, statusOf: (id: string) => number): Answer {
  const ids = body
    .split("\n")
    .filter((line) => line.startsWith('{"index":'))
    .map((line) => {
      const { _id: id } = (JSON.parse(line) as { index: { _id: string } }).index
      return id
    })
  const items = ids.map((id) => {
    const status = statusOf(id)
    const error =
      status === 409
        ? { type: "conflict", reason: `[${id}]: version conflict, current version [7] is higher than [2]` }
        : { type: "no", reason: `No ${id}.` }
    return { index: { _id: id, status, ...(status >= 300 && { error }) } }
  })
  return { status: 200, body: { errors: true, items } }
}

test("a document rejected by the cluster is reported by its group, and blocks no other", async () => {
  await using server = await startServer((request) => bulk(request, (id) => (id === "b" ? 400 : 201)))
  await using cluster = clusterAt(server.url)
  const { refused } = await writeAll(cluster, [[write("a")], [write("x"), write("b")], [write("c")]], 5000)
  expect([...refused].map(([group, { message }]) => [group, message])).toEqual([[1, "No b."]])
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]!.path).toContain("refresh=true")
})

test("a write that arrives after a newer one is not retried, and reports the newer version", async () => {
  await using server = await startServer((request) => bulk(request, (id) => (id === "late" ? 409 : 201)))
  await using cluster = clusterAt(server.url)
  const { refused, late } = await writeAll(cluster, [[write("a")], [write("b"), write("late")]], 5000)
  expect(refused.size).toBe(0)
  expect([...late]).toEqual([[1, 7]])
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]!.body).toContain('"version":2,"version_type":"external_gte"')
})

test("only writes that the cluster could not take yet are sent again", async () => {
  await using server = await startServer((request, nth) =>
    bulk(request, (id) => (nth === 0 && id === "b" ? 429 : 201)),
  )
  await using cluster = clusterAt(server.url)
  expect((await writeAll(cluster, [[write("a")], [write("b")]], 5000)).refused.size).toBe(0)
  expect(server.requests).toHaveLength(2)
  expect(server.requests[1]!.body).not.toContain('"_id":"a"')
  expect(server.requests[1]!.body).toContain('"_id":"b"')
})

test("a write rejected by the whole cluster fails with the reason", async () => {
  await using server = await startServer((request) => bulk(request, () => 403))
  await using cluster = clusterAt(server.url)
  const error = await writeAll(cluster, [[write("a")]], 5000).catch((one: unknown) => one)
  expect(cluster.explain(error)).toMatchObject({
    code: "ENGINE_UNAVAILABLE",
    message: expect.stringContaining("FOSSICK_OPENSEARCH_USER"),
  })
})

test("a node that drops connections is replaced by another one", async () => {
  await using broken = await startServer(() => null)
  await using server = await startServer((request) => bulk(request, () => 201))
  await using cluster = clusterAt(broken.url, server.url)
  for (const id of ["a", "b", "c"]) await writeAll(cluster, [[write(id)]], 5000)
  // The contacted hosts are recorded.
  expect(noted).toHaveBeenCalledWith("engine", new URL(server.url).host)
  expect(noted).not.toHaveBeenCalledWith("engine", new URL(broken.url).host)
  expect(server.requests).toHaveLength(3)
  expect(broken.requests.length).toBeLessThan(3)
})

test("concurrent searches share one request, and each gets its own answer or failure", async () => {
  await using server = await startServer(({ body }) => {
    const bodies = body.trim().split("\n")
    const responses = bodies.flatMap((line, i): object[] => {
      if (i % 2 === 0) return []
      const { size } = JSON.parse(line) as { size: number }
      if (size === 0) return [{ status: 400, error: { type: "parsing", reason: "No size." } }]
      return [{ status: 200, hits: { hits: Array.from({ length: size }, () => ({})) } }]
    })
    return { status: 200, body: { responses } }
  })
  await using cluster = clusterAt(server.url)
  const searches = new Searches(cluster)
  const asked = [2, 0, 3].map((size) => searches.search("pages", { size }))
  const [two, none, three] = await Promise.allSettled(asked)
  expect(two).toMatchObject({ value: { hits: { hits: [{}, {}] } } })
  expect(none).toMatchObject({ reason: { failure: { status: 400, reason: "No size." } } })
  expect(three).toMatchObject({ value: { hits: { hits: [{}, {}, {}] } } })
  expect(server.requests.map(({ path }) => path)).toEqual(["/_msearch"])
  expect(server.requests[0]!.body).toContain('"allow_partial_search_results":false')
})

const DISCONNECTED = {
  type: "node_disconnected_exception",
  reason: "[node-1][search[phase/fetch/id]] disconnected",
}

test.each([
  ["could not answer", 503, []],
  ["was answering", 500, [DISCONNECTED]],
])("a search that a dying node %s is sent again", async (_, status, causes) => {
  const error = { type: "search_phase_execution_exception", reason: "all shards", root_cause: causes }
  const failed = { status, error }
  await using server = await startServer((_, nth) => ({
    status: 200,
    body: { responses: [nth === 0 ? failed : { status: 200, hits: { hits: [] } }] },
  }))
  await using cluster = clusterAt(server.url)
  expect((await new Searches(cluster).search("pages", {})).hits.hits).toEqual([])
  expect(server.requests).toHaveLength(2)
})

test.each([
  ["2.11.0", "opensearch", "needs OpenSearch 2.19 or newer"],
  ["8.14.0", undefined, "is another server 8.14.0"],
  ["4.0.0", "opensearch", "before 4.0"],
])("a server of version %s of %s is rejected", async (number, distribution, message) => {
  await using server = await startServer(() => ({ status: 200, body: { version: { number, distribution } } }))
  await using cluster = clusterAt(server.url)
  await expect(cluster.checkVersion()).rejects.toThrow(message)
})

test.each(["2.19.1", "3.5.0"])("a cluster of version %s is accepted", async (number) => {
  const version = { number, distribution: "opensearch" }
  await using server = await startServer(() => ({ status: 200, body: { version } }))
  await using cluster = clusterAt(server.url)
  await expect(cluster.checkVersion()).resolves.toBeUndefined()
})

test("user and password are sent, and a rejection names the settings to check", async () => {
  await using server = await startServer(() => ({ status: 401, body: "Unauthorized" }))
  await using cluster = new Cluster({
    urls: [server.url],
    login: { username: "fossick", password: "secret" },
    tls: { ca: null, cert: null, key: null },
    patienceMs: 0,
  })
  const error = await cluster.checkVersion().catch((one: unknown) => one)
  const basic = Buffer.from("fossick:secret").toString("base64")
  expect(server.requests[0]!.authorization).toBe(`Basic ${basic}`)
  const said = cluster.explain(error) as Error
  expect(said.message).toContain("FOSSICK_OPENSEARCH_PASSWORD")
  expect(said.message).not.toContain("secret")
})
