import { mkdtemp, readdir, rm } from "node:fs/promises"
import type { ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { readSettings } from "#base/settings.ts"
import { engineSettings } from "#engine/settings.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import {
  type ModelRequest,
  startModelServer,
  type TestModelServerOptions,
} from "#engine/testing/model-server.ts"
import { openEmbedder } from "../open-embedder.ts"
import { RemoteEmbedder, remoteModelOf } from "./remote-embedder.ts"

// A real HTTP server with an embedder that counts words: the tests check the requests, and how responses are used.

let dir: string
beforeAll(async () => (dir = await mkdtemp(path.join(tmpdir(), "fossick-remote-"))))
afterAll(() => rm(dir, { recursive: true }))

const local = new HashingEmbedder()
const TEXTS = ["A pump moves water.", "Seals wear out first.", "The turbine is loud.", "Oil the shaft."]

async function serving(options: TestModelServerOptions = {}) {
  return await startModelServer({ embedder: local, ...options })
}

async function settingsOf(url: string, more: Record<string, string> = {}) {
  return readSettings(engineSettings, {
    FOSSICK_DATA_DIR: await mkdtemp(path.join(dir, "data-")),
    FOSSICK_EMBEDDINGS_URL: url,
    FOSSICK_EMBEDDINGS_MODEL: "words",
    FOSSICK_EMBEDDINGS_TIMEOUT_MS: "60000",
    ...more,
  })
}

const opened = async (url: string, more: Record<string, string> = {}) =>
  await RemoteEmbedder.open(await settingsOf(url, more))

const json = (said: unknown) => (_: ModelRequest, response: ServerResponse) =>
  void response.writeHead(200).end(JSON.stringify(said))
const status =
  (code: number, headers: Record<string, string> = {}) =>
  (_: ModelRequest, response: ServerResponse) =>
    void response.writeHead(code, headers).end("{}")

/** Whether each vector equals the one the model returns here, except for the last digits. */
async function areOurs(found: readonly Float32Array[], texts: readonly string[]): Promise<boolean> {
  const wanted = await local.embed(texts)
  const cosines = wanted.map((vector, i) =>
    vector.reduce((sum, value, at) => sum + value * found[i]![at]!, 0),
  )
  return found.length === texts.length && cosines.every((cosine) => cosine > 0.999_999)
}

describe("an embeddings server", () => {
  test.each<[string, string, TestModelServerOptions["speaks"], string]>([
    ["OpenAI's shape", "/v1", "openai", "/v1/embeddings"],
    ["the shape of Text Embeddings Inference, found out", "", "tei", "/embed"],
  ])("speaking %s gives the same vectors as the local model", async (_, base, speaks, asked) => {
    await using server = await serving({ speaks: speaks! })
    await using embedder = await opened(`${server.url}${base}`)
    expect(await areOurs(await embedder.embed(TEXTS), TEXTS)).toBe(true)
    expect(
      await areOurs(await embedder.embed(["loud turbine"], { priority: "query" }), ["loud turbine"]),
    ).toBe(true)
    expect(embedder).toMatchObject({ id: "remote:words:64", dimensions: 64, outage: null })
    expect(server.requests.at(-1)!.path).toBe(asked)
  })

  test("has its tokens counted over all batches and retries; without a report they stay unknown", async () => {
    await using server = await serving({ maxBatch: 2 })
    await using embedder = await opened(`${server.url}/v1`)
    const told: number[] = []
    const onTokens = (tokens: number) => told.push(tokens)
    await local.embed(TEXTS, { onTokens })
    await embedder.embed(TEXTS, { onTokens, priority: "query" })
    let failures = 1
    server.instead = (_, response) => {
      failures -= 1
      if (failures === 0) server.instead = null
      response.writeHead(503).end("{}")
    }
    await embedder.embed(TEXTS, { onTokens })
    expect(told).toEqual([told[0], told[0], told[0]])
    expect(told[0]).toBeGreaterThan(TEXTS.length)

    await using silent = await serving({ speaks: "tei" })
    await using other = await opened(silent.url)
    await other.embed(TEXTS, { onTokens })
    expect(told).toHaveLength(3)
  })

  test("receives the key behind a reference, and the model name", async () => {
    await using server = await serving({ key: "hush-hush" })
    process.env["REMOTE_TEST_KEY"] = "hush-hush"
    await using embedder = await opened(`${server.url}/v1`, { FOSSICK_EMBEDDINGS_KEY: "${REMOTE_TEST_KEY}" })
    await embedder.embed(TEXTS)
    expect(server.requests.at(-1)!.headers.authorization).toBe("Bearer hush-hush")
    expect(server.requests.at(-1)!.body).toMatchObject({ model: "words", input: TEXTS })
    await expect(opened(server.url, { FOSSICK_EMBEDDINGS_KEY: "${NOT_SET_HERE}" })).rejects.toThrow(
      "FOSSICK_EMBEDDINGS_KEY: the secret ${NOT_SET_HERE} is not set in the environment",
    )
  })

  test("receives prefixes for questions and passages, which are part of the vectors' name", async () => {
    await using server = await serving()
    await using embedder = await opened(`${server.url}/v1`, {
      FOSSICK_EMBEDDINGS_QUESTION_PREFIX: "query: ",
      FOSSICK_EMBEDDINGS_PASSAGE_PREFIX: "passage: ",
      FOSSICK_EMBEDDINGS_COSINES: "0.7,1",
    })
    await embedder.embed(["a pump"], { as: "question", priority: "query" })
    expect(server.requests.at(-1)!.body["input"]).toEqual(["query: a pump"])
    await embedder.embed(["a pump"])
    expect(server.requests.at(-1)!.body["input"]).toEqual(["passage: a pump"])
    expect(embedder.id).toBe('remote:words:64:["query: ","passage: "]')
    expect(remoteModelOf(embedder.id)).toBe("words")
    expect(embedder.traits.cosines).toEqual({ unrelated: 0.7, same: 1 })
    expect(() => readSettings(engineSettings, { FOSSICK_EMBEDDINGS_COSINES: "1,0.7" })).toThrow(
      "FOSSICK_EMBEDDINGS_COSINES must be two numbers",
    )
  })

  test("receives as many texts as it accepts, and shortened long ones", async () => {
    await using server = await serving({ maxBatch: 3 })
    await using embedder = await opened(`${server.url}/v1`, { FOSSICK_EMBEDDINGS_BATCH: "8" })
    const many = Array.from({ length: 20 }, (_, i) => `text number ${i}`)
    expect(await areOurs(await embedder.embed(many), many)).toBe(true)
    server.instead = (request, response) => {
      const input = request.body["input"] as string[]
      if (input.some((text) => text.length > 30)) {
        status(400)(request, response)
        return
      }
      const answer = async () => {
        const made = await local.embed(input)
        json({ data: made.map((vector) => ({ embedding: [...vector] })) })(request, response)
      }
      void answer()
    }
    const long = "water pump ".repeat(8)
    expect(await areOurs(await embedder.embed(["short", long]), ["short", long.slice(0, 22)])).toBe(true)
  })

  test("may answer out of order, by index, and with vectors of any length", async () => {
    await using server = await serving()
    await using embedder = await opened(`${server.url}/v1`)
    server.instead = (request, response) => {
      const answer = async () => {
        const made = await local.embed(request.body["input"] as string[])
        const data = made.map((vector, index) => ({
          index,
          embedding: [...vector].map((value) => value * 7),
        }))
        json({ data: data.reverse() })(request, response)
      }
      void answer()
    }
    expect(await areOurs(await embedder.embed(TEXTS), TEXTS)).toBe(true)
  })

  test("that is rate-limited or briefly failing is asked again when it says", async () => {
    await using server = await serving()
    await using embedder = await opened(`${server.url}/v1`)
    await embedder.embed(["once"])
    const times: number[] = []
    server.instead = (request, response) => {
      times.push(performance.now())
      if (times.length === 2) server.instead = null
      status(times.length === 1 ? 429 : 503, { "Retry-After": "1" })(request, response)
    }
    expect(await areOurs(await embedder.embed(TEXTS), TEXTS)).toBe(true)
    expect(times[1]! - times[0]!).toBeGreaterThan(990)
    expect(embedder.outage).toBeNull()
  })
})

describe("an invalid answer", () => {
  const vector = (length = 64, value: unknown = 0.1) => Array.from({ length }, () => value)
  const data = (...embeddings: unknown[]) => ({
    data: embeddings.map((embedding, index) => ({ index, embedding })),
  })

  test.each<[string, (request: ModelRequest, response: ServerResponse) => void, RegExp]>([
    ["wrong dimensions", json(data(vector(65))), /65 dimensions instead of 64/],
    ["no numbers", json(data(vector(64, null))), /something other than numbers/],
    ["numbers past all bounds", json(data(vector(64, 1e300))), /something other than numbers/],
    ["text for numbers", json(data(vector(64, "0.1"))), /something other than numbers/],
    ["base64", json(data("AAAA")), /something other than a list/],
    ["zeros", json(data(vector(64, 0))), /a vector of length zero/],
    ["too few", json(data()), /0 vectors for 1 texts/],
    ["too many", json(data(vector(), vector())), /2 vectors for 1 texts/],
    ["an index of no text", json({ data: [{ index: 1, embedding: vector() }] }), /`index` that belongs to no text/],
    ["null", json(null), /no list `data`/],
    ["a page of HTML", (_, response) => void response.end("<html>hello"), /an answer that is not JSON/],
    ["ten megabytes", (_, response) => void response.end("1".repeat(10_000_000)), /more than \d+ bytes/],
    ["a redirect", status(307, { Location: "/v2" }), /answered 307: it redirects/],
    ["a refused key", status(401), /answered 401: it does not accept the key/],
    ["a cut connection", (_, response) => void response.destroy(), /cannot be reached \(UND_ERR_SOCKET\)/],
    ["silence", () => {}, /gave no answer within 1000 ms/],
    [
      "a slow drip",
      (_, response) => {
        const timer = setInterval(() => response.write(" "), 20)
        response.on("close", () => clearInterval(timer))
      },
      /gave no answer within 1000 ms/,
    ],
  ])("with %s makes no vector, and is reported", async (_, answering, said) => {
    await using server = await serving({ key: "hush-hush" })
    await using embedder = await opened(`${server.url}/v1`, {
      FOSSICK_EMBEDDINGS_KEY: "hush-hush",
      ...(said.source.includes("within") && { FOSSICK_EMBEDDINGS_TIMEOUT_MS: "1000" }),
    })
    await embedder.embed(["once"])
    server.instead = answering
    const asked = embedder.embed(["private words"], { priority: "query" })
    await expect(asked).rejects.toMatchObject({ name: "ModelOutage", code: "MODEL_UNAVAILABLE" })
    await expect(asked).rejects.toThrow(said)
    await expect(asked).rejects.not.toThrow(/private words|hush-hush/)
    expect(embedder.outage).toMatch(said)
  })
})

describe("an unreachable server", () => {
  test("is waited for once; after that it is checked in the background, and used again when it is back", async () => {
    await using server = await serving()
    await using embedder = await opened(`${server.url}/v1`)
    await embedder.embed(["once"])
    const asked = server.requests.length
    await server.stop()
    const first = await embedder.embed(["a question"], { priority: "query" }).catch((error: unknown) => error)
    const second = await embedder.embed(["another"], { priority: "query" }).catch((error: unknown) => error)
    expect((first as Error).message).toContain("cannot be reached (ECONNREFUSED)")
    expect(second).toBe(first)
    expect(embedder.outage).toMatch(/^The server of the embedding model cannot be reached/)
    await server.start()
    await expect.poll(() => embedder.outage).toBeNull()
    expect(await areOurs(await embedder.embed(["another"], { priority: "query" }), ["another"])).toBe(true)
    expect(server.requests.length).toBe(asked + 2)
  })

  test("does not stop the appliance from starting once its model is known", async () => {
    await using server = await serving()
    const settings = await settingsOf(`${server.url}/v1`)
    await (await openEmbedder(settings))[Symbol.asyncDispose]()
    await server.stop()
    await using embedder = await openEmbedder(settings)
    expect(embedder).toMatchObject({ id: "remote:words:64", dimensions: 64 })
    await expect(embedder.embed(["x"], { priority: "query" })).rejects.toThrow("cannot be reached")

    const unknown = await settingsOf(`${server.url}/v1`)
    await expect(openEmbedder(unknown)).rejects.toThrow(
      /cannot be reached .* its model is not known yet/,
    )
    await using set = await openEmbedder({ ...unknown, embeddingsDimensions: 64 })
    expect(set.id).toBe("remote:words:64")
  })

  test("that returns with another model does not mix its vectors with the old ones", async () => {
    await using server = await serving()
    const settings = await settingsOf(`${server.url}/v1`)
    await (await openEmbedder(settings))[Symbol.asyncDispose]()
    server.instead = (request, response) => {
      const input = request.body["input"] as string[]
      json({
        data: input.map(() => ({ embedding: Array.from({ length: 64 }, (_, i) => (i === 5 ? 1 : 0)) })),
      })(request, response)
    }
    await using embedder = await openEmbedder(settings)
    await expect(embedder.embed(["x"])).rejects.toThrow(/now has another model under this name/)
  })

  test("leaves neither its address nor its key in the data folder", async () => {
    await using server = await serving({ key: "hush-hush" })
    const settings = await settingsOf(`${server.url}/v1`, { FOSSICK_EMBEDDINGS_KEY: "hush-hush" })
    await (await openEmbedder(settings))[Symbol.asyncDispose]()
    const [kept] = await readdir(path.join(settings.dataDir, "models"))
    const { readFile } = await import("node:fs/promises")
    const text = await readFile(path.join(settings.dataDir, "models", kept!), "utf8")
    expect(text).toContain('"dimensions":64')
    expect(text).not.toMatch(/hush|127\.0\.0\.1/)
  })
})

describe("the embedding settings", () => {
  test("require address and model together, and at most one reranker", async () => {
    const open = async (env: Record<string, string>) =>
      await openEmbedder(readSettings(engineSettings, { FOSSICK_DATA_DIR: dir, ...env }))
    await expect(open({ FOSSICK_EMBEDDINGS_URL: "http://x" })).rejects.toThrow(
      "FOSSICK_EMBEDDINGS_MODEL must be set",
    )
    await expect(open({ FOSSICK_EMBEDDINGS_MODEL: "x" })).rejects.toThrow(
      "FOSSICK_EMBEDDINGS_URL must be set",
    )
    await expect(open({ FOSSICK_RERANKER: "/x", FOSSICK_RERANKER_URL: "http://x" })).rejects.toThrow(
      "FOSSICK_RERANKER must not be set together",
    )
  })
})
