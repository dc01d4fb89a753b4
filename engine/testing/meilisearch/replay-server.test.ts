import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { Meilisearch } from "meilisearch"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type ApiRequest, understand } from "./api-request.ts"
import { PlaceState } from "./index-state.ts"
import { Recording } from "./recording.ts"
import { type ReplayServer, startReplay } from "./replay-server.ts"

const PLACE = "contract-0123456789ab"
const INDEX = `${PLACE}_pages`
const NEUTRAL_INDEX = "contract-place_pages"
const wait = { interval: 1 }

const cat = { id: "cat", text: "Cats purr." }
const dog = { id: "dog", text: "Dogs bark." }
const withVector = (document: object) => ({ ...document, _vectors: { default: [1, 0] } })

/** Records a server's answer in the state left by the changes before it. */
class Teller {
  readonly recording = new Recording({ server: "1.50.0", date: "2026-11-21", suite: "stories" })
  #state = new PlaceState()

  startAgain(): this {
    this.#state = new PlaceState()
    return this
  }

  changes(
    method: string,
    at: string,
    body: unknown,
    outcome: { error?: object; removed?: string[] } = {},
  ): this {
    const understood = understand(asked(method, at, body))
    if (understood.kind !== "change") throw new Error(`${at} changes nothing`)
    const { change, key } = understood
    const name = PlaceState.indexesOf(change)[0]!
    this.recording.keepOutcome(key, this.#state.stateOf(name), outcome)
    if (!outcome.error) this.recording.keepSuccessions(this.#state.apply(change, outcome.removed))
    this.recording.keepState(this.#state.stateOf(name))
    return this
  }

  puts(...documents: object[]): this {
    return this.changes("POST", `/indexes/${NEUTRAL_INDEX}/documents`, documents)
  }

  answers(method: string, at: string, body: unknown, answer: object, status = 200): this {
    const understood = understand(asked(method, at, body))
    const reads =
      understood.kind === "reads" ? understood.reads : understood.kind === "read" ? [understood.read] : []
    for (const read of reads) {
      const state = read.index === null ? null : this.#state.stateOf(read.index)
      this.recording.keepAnswer(read, state, { status, body: JSON.stringify(answer) })
    }
    return this
  }

  finds(q: string, ...ids: string[]): this {
    const query = { queries: [{ indexUid: NEUTRAL_INDEX, q }] }
    const hits = ids.map((id) => ({ id }))
    return this.answers("POST", "/multi-search", query, { indexUid: NEUTRAL_INDEX, hits, query: q })
  }
}

function asked(method: string, at: string, body: unknown): ApiRequest {
  return { method, path: at, body: body === null ? "" : JSON.stringify(body) }
}

describe("a replayed conversation with Meilisearch", () => {
  let folder: string
  let server: ReplayServer | null = null

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "fossick-replay-"))
  })
  afterEach(async () => {
    await server?.close()
    server = null
    await rm(folder, { recursive: true })
  })

  /** The recording is written to a file and read back, as in real use. */
  async function replay({ recording }: Teller, suite = "stories"): Promise<Meilisearch> {
    const file = path.join(folder, "recording")
    recording.save(file)
    server = await startReplay(Recording.load(file), suite)
    return new Meilisearch({ host: server.url })
  }
  const ids = async (client: Meilisearch, ...questions: string[]) => {
    const queries = questions.map((q) => ({ indexUid: INDEX, q }))
    const { results } = await client.multiSearch({ queries })
    return results.map(({ hits }) => hits.map(({ id }) => String(id)).join())
  }

  test("answers each state of an index as recorded, whatever the place, the batches and the order", async () => {
    const teller = new Teller().puts(cat).finds("pets", "cat").finds("barks")
    const client = await replay(teller.puts(dog).finds("pets", "cat", "dog").finds("barks", "dog"))
    const index = client.index(INDEX)
    expect((await index.addDocuments([cat]).waitTask(wait)).status).toBe("succeeded")
    expect(await ids(client, "pets", "barks")).toEqual(["cat", ""])
    await index.addDocuments([dog])
    expect(await ids(client, "barks", "pets")).toEqual(["dog", "cat,dog"])

    const other = `contract-ba9876543210_pages`
    await client.index(other).addDocuments([dog, cat])
    const { results } = await client.multiSearch({ queries: [{ indexUid: other, q: "pets" }] })
    expect(results[0]).toMatchObject({ indexUid: other, hits: [{ id: "cat" }, { id: "dog" }] })
    expect(server!.fromNeighbours).toBe(0)
  })

  test("knows a part of a document that is written later, and what was removed", async () => {
    const teller = new Teller().puts(cat).finds("purr", "cat")
    teller.changes("PUT", `/indexes/${NEUTRAL_INDEX}/documents`, [withVector({ id: "cat" })])
    teller.finds("purr", "cat", "with its vector")
    teller.changes("POST", `/indexes/${NEUTRAL_INDEX}/documents/delete-batch`, ["cat"]).finds("purr")
    const client = await replay(teller)
    await client.index(INDEX).addDocuments([withVector(cat)])
    expect(await ids(client, "purr")).toEqual(["cat,with its vector"])
    await client.index(INDEX).addDocuments([cat])
    expect(await ids(client, "purr")).toEqual(["cat"])
    await client.index(INDEX).deleteDocuments(["cat"])
    expect(await ids(client, "purr")).toEqual([""])
  })

  test("answers a state that was never recorded from the nearest one, sooner from one ahead of it, and counts it", async () => {
    const teller = new Teller().puts(cat).finds("pets", "cat").puts(dog).puts(withVector(cat))
    teller.puts(withVector(dog)).finds("pets", "cat", "dog", "vectors")
    const client = await replay(teller)
    await client.index(INDEX).addDocuments([cat, dog])
    expect(await ids(client, "pets")).toEqual(["cat,dog,vectors"])
    expect(server!.fromNeighbours).toBe(1)
  })

  test("fails as the server did: at once, and in its tasks", async () => {
    const exists = { message: "It exists.", code: "index_already_exists", type: "invalid_request", link: "" }
    const create = { uid: NEUTRAL_INDEX, primaryKey: "id" }
    const teller = new Teller().changes("POST", "/indexes", create)
    teller.changes("POST", "/indexes", create, { error: exists })
    teller.answers(
      "GET",
      `/indexes/${NEUTRAL_INDEX}/documents/mouse`,
      null,
      { code: "document_not_found" },
      404,
    )
    const client = await replay(teller)
    const made = await client.createIndex(INDEX, { primaryKey: "id" }).waitTask(wait)
    expect(made.status).toBe("succeeded")
    const again = await client.createIndex(INDEX, { primaryKey: "id" }).waitTask(wait)
    expect(again).toMatchObject({ status: "failed", error: exists })
    await expect(client.index(INDEX).getDocument("mouse")).rejects.toMatchObject({
      cause: { code: "document_not_found" },
    })
  })

  test("removes by a filter what the server removed", async () => {
    const filter = { filter: "legs = 4" }
    const teller = new Teller().puts(cat, dog)
    teller
      .changes("POST", `/indexes/${NEUTRAL_INDEX}/documents/delete`, filter, { removed: ["dog"] })
      .finds("pets", "cat")
    const client = await replay(teller)
    await client.index(INDEX).addDocuments([cat, dog])
    await client.index(INDEX).deleteDocuments(filter)
    expect(await ids(client, "pets")).toEqual(["cat"])
    await expect(client.index(INDEX).deleteDocuments({ filter: "legs = 2" })).rejects.toThrow(
      "deletion by a filter",
    )
  })

  test.each<[string, (client: Meilisearch) => Promise<unknown>]>([
    ["this request: POST /multi-search", (client) => ids(client, "pets", "fish")],
    ["document mouse", (client) => client.index(INDEX).addDocuments([{ id: "mouse" }])],
    ["document cat", (client) => client.index(INDEX).addDocuments([{ ...cat, text: "Cats hiss." }])],
    ["settings", (client) => client.index(INDEX).updateSettings({ stopWords: ["the"] })],
    ["requests of this kind", (client) => client.createDump()],
  ])("names what it lacks, to the client and at the end: %s", async (what, ask) => {
    const client = await replay(new Teller().puts(cat).finds("pets", "cat"))
    await client.index(INDEX).addDocuments([cat])
    await expect(ask(client)).rejects.toThrow(what)
    expect(() => server!.forget(PLACE)).toThrow(/lacks .*\n Record it again: .*record:meilisearch/)
    expect(() => server!.forget(PLACE)).not.toThrow()
  })

  test("says when the stories have changed since", async () => {
    const client = await replay(new Teller(), "other stories")
    await expect(ids(client, "pets")).rejects.toThrow("suite has changed since")
  })
})
