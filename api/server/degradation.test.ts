import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { leaveOut } from "#base/flow/degraded.ts"
import { ModelOutage } from "#engine/models/servers/availability.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"

import { FakeEngine, hit } from "../testing/fake-engine.ts"
import { answerOf, type ServedApp, serveApp, TEST_KEY } from "../testing/serve-app.ts"

// A machine that is too busy for its models: the responses of every API say what is missing.

const PUMP = hit({ markdown: "# Pumps\n\nA water pump moves 40 litres of water a minute.", language: "en" })
const QUESTION = "how many litres of water does a water pump move"
const outage = () => Promise.reject(new ModelOutage("The model is late.", ""))

/** Finds pages by their words, as the engine does when its model is unavailable. */
class BusyEngine extends FakeEngine {
  isBusy = true

  override async search(query: Parameters<FakeEngine["search"]>[0]) {
    if (this.isBusy) leaveOut("meaning")
    return await super.search(query)
  }
}

class BusyEmbedder extends HashingEmbedder {
  isBusy = true

  override embed(...args: Parameters<HashingEmbedder["embed"]>) {
    return this.isBusy ? outage() : super.embed(...args)
  }
}

describe("while models are late", () => {
  const engine = new BusyEngine([PUMP])
  const embedder = new BusyEmbedder()
  let app: ServedApp
  beforeAll(async () => {
    app = await serveApp({
      engine,
      embedder,
      unitReader: { scores: outage },
      config: { metrics: "open" },
    })
  })
  afterAll(() => app[Symbol.asyncDispose]())
  const asking = { query: QUESTION, include_answer: true }
  const metric = async (part: string) => {
    const text = await (await fetch(`${app.url}/metrics`)).text()
    return Number(new RegExp(`^fossick_degraded_answers_total{part="${part}"} (\\d+)$`, "m").exec(text)?.[1])
  }

  test("an answer names what it lacks in body and header, is counted, and is never cached", async () => {
    const before = await metric("answer_meaning")
    const peersBefore = await metric("peers")
    const busy = await app.post("/search", asking)
    expect(busy.body.degraded).toEqual(["meaning", "answer_meaning", "answer_reranker"])
    expect(busy.headers.get("X-Fossick-Degraded")).toBe("meaning, answer_meaning, answer_reranker")
    expect(busy.headers.get("Cache-Control")).toBe("no-store")
    expect(busy.body.answer).toContain("40 litres")
    expect(await metric("answer_meaning")).toBe(before + 1)
    expect(await metric("peers")).toBe(peersBefore)
    expect(app.logLines.join("")).toContain('"degraded":"meaning, answer_meaning, answer_reranker"')

    embedder.isBusy = false
    const withoutReranker = await app.post("/search", asking)
    expect(withoutReranker.body.degraded).toEqual(["meaning", "answer_reranker"])
    engine.isBusy = false
    const complete = await app.post("/search", { query: QUESTION })
    expect(complete.body).not.toHaveProperty("degraded")
    expect(complete.headers.get("X-Fossick-Degraded")).toBeNull()
    embedder.isBusy = engine.isBusy = true
  })

  test("a stream names it with the results, and for the answer at its end", async () => {
    const response = await fetch(`${app.url}/search`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Authorization: `Bearer ${TEST_KEY}`,
        Accept: "text/event-stream",
      },
      body: JSON.stringify(asking),
    })
    const [found, ended] = [...(await response.text()).matchAll(/^event: search\.\w+\ndata: (.*)$/gm)].map(
      ([, data]) => (JSON.parse(data!) as { degraded: readonly string[] }).degraded,
    )
    expect([found, ended]).toEqual([["meaning"], ["meaning", "answer_meaning", "answer_reranker"]])
  })

  test.each<[string, string, object, (body: unknown) => void]>([
    [
      "Firecrawl's",
      "/v2/search",
      { query: QUESTION },
      (body) => expect(body).toMatchObject({ warning: expect.stringContaining("words alone") }),
    ],
    ["OpenAI's", "/v1/vector_stores/all/search", { query: QUESTION }, () => undefined],
    ["Open WebUI's", "/openwebui/search", { query: QUESTION, count: 3 }, () => undefined],
    [
      "SearXNG's",
      "/searxng/search?format=json&q=pump",
      {},
      (body) =>
        expect(body).toMatchObject({
          unresponsive_engines: [["fossick", "pages were judged by their words alone"]],
        }),
    ],
  ])(
    "%s clients see it in the header, and in the body if their format has a place for it",
    async (_, path, body, look) => {
      const isQuestion = path.includes("?")
      const answer = await answerOf(
        await fetch(app.url + path, {
          method: isQuestion ? "GET" : "POST",
          headers: { "Content-Type": "application/json", Authorization: `Bearer ${TEST_KEY}` },
          ...(!isQuestion && { body: JSON.stringify(body) }),
        }),
      )
      expect([answer.status, answer.headers.get("X-Fossick-Degraded")]).toEqual([200, "meaning"])
      look(answer.body)
    },
  )

  test("a model that asks over MCP gets the reason in words", async () => {
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "tavily_search", arguments: { query: QUESTION } },
    }
    const answer = await fetch(`${app.url}/mcp`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        Authorization: `Bearer ${TEST_KEY}`,
      },
      body: JSON.stringify(call),
    })
    const text = await answer.text()
    expect(text).toContain("pages were judged by their words alone")
    expect(text).toContain('"note":')
  })
})
