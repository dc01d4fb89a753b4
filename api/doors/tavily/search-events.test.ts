import { createParser } from "eventsource-parser"
import { describe, expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { until } from "#base/testing/until.ts"

import { NO_ANSWER } from "../../services/answers/cited-text.ts"
import { openChatModel } from "../../services/chat-models/chat-server.ts"
import { type RuntimeOptions, startChatRuntime } from "../../services/chat-models/testing/chat-runtime.ts"
import { apiSettings } from "../../settings.ts"
import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { serveApp, TEST_KEY } from "../../testing/serve-app.ts"

const PUMP = hit({
  markdown: "# Pumps\n\nA water pump moves 40 litres of water a minute. Seals wear out first.",
  passages: [
    {
      text: "A water pump moves 40 litres of water a minute. Seals wear out first.",
      headings: ["Pumps"],
      position: 0,
    },
  ],
})
const QUESTION = "how many litres of water does a water pump move"

interface Seen {
  readonly event: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came
  readonly data: any
}

/** Requests events, and passes each one on as it arrives. */
async function stream(
  runtime: RuntimeOptions | null,
  { body = {}, onEvent }: { body?: object; onEvent?: (seen: Seen) => void } = {},
) {
  await using server = runtime && (await startChatRuntime("llamaCpp", runtime))
  const settings = server
    ? { FOSSICK_LLM_URL: server.url, FOSSICK_LLM_MODEL: "qwen3", FOSSICK_LLM_RETRIES: "0" }
    : {}
  await using model = openChatModel(readSettings(apiSettings, settings))
  await using app = await serveApp({ engine: new FakeEngine([PUMP]), chatModel: model })
  const response = await fetch(`${app.url}/search`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: `Bearer ${TEST_KEY}`,
      Accept: "text/event-stream",
    },
    body: JSON.stringify({ query: QUESTION, include_answer: true, include_usage: true, ...body }),
  })
  const events: Seen[] = []
  let text = ""
  const parser = createParser({
    onEvent: ({ event = "", data }) => {
      const seen = { event, data: JSON.parse(data) as unknown }
      events.push(seen)
      onEvent?.(seen)
    },
  })
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    parser.feed(chunk)
  }
  const pieces = events.filter(({ event }) => event === "chat.completion.chunk")
  const answer = pieces.map(({ data }) => data.choices[0].delta.content as string).join("")
  return { status: response.status, type: response.headers.get("Content-Type"), events, text, answer }
}

describe("a search that asks for events", () => {
  test("gets what was found, then each sentence of the answer once it is written and checked", async () => {
    let read = 0
    const { events, text, answer, status, type } = await stream(
      {
        says: () =>
          "A water pump moves 40 litres a minute [1]. It was built in 1234 [1]. Seals wear out first [1].",
        // The model continues only once its first sentence has been read.
        afterWord: async (word) => (word.startsWith("built") ? await until(async () => read > 0) : undefined),
      },
      { onEvent: ({ event }) => void (read += event === "chat.completion.chunk" ? 1 : 0) },
    )
    expect([status, type]).toEqual([200, "text/event-stream"])
    const [first, ...rest] = events
    expect(first).toMatchObject({
      event: "search.results",
      data: { query: QUESTION, answer: null, results: [{ title: PUMP.title }], usage: { credits: 1 } },
    })
    expect(answer).toBe("A water pump moves 40 litres a minute. [1] Seals wear out first. [1]")
    expect(rest.at(-1)).toMatchObject({
      event: "search.answer",
      data: { answer, request_id: first!.data.request_id },
    })
    expect(text.endsWith("event: done\n\n")).toBe(true)
  })

  test("gets the pages' own sentences if the model fails or there is none", async () => {
    const says = () => ""
    const failing = await stream({ says, instead: (_, response) => Boolean(response.writeHead(500).end()) })
    const without = await stream(null)
    expect(failing.events.at(-1)!.data.degraded).toEqual(["language_model"])
    expect(without.events.at(-1)!.data).not.toHaveProperty("degraded")
    for (const { answer, events } of [failing, without]) {
      expect(answer).toContain("A water pump moves 40 litres of water a minute. Seals wear out first. [1]")
      expect(events.at(-1)!.data.answer).toBe(answer)
    }
  })

  test("learns that the pages hold no answer", async () => {
    const { answer, events } = await stream({ says: () => "The sources do not contain this information." })
    expect(answer).toBe(NO_ANSWER)
    expect(events.at(-1)!.data.answer).toBe(NO_ANSWER)
  })

  test("is refused like any other, and answered like any other if it wants no answer", async () => {
    const wrong = await stream(null, { body: { max_results: -1 } })
    expect([wrong.status, wrong.type]).toEqual([400, expect.stringContaining("application/json")])
    const plain = await stream(null, { body: { include_answer: false } })
    expect(plain.type).toContain("application/json")
  })
})

test("a client that accepts anything gets one plain answer", async () => {
  await using app = await serveApp({ engine: new FakeEngine([PUMP]) })
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${TEST_KEY}`, Accept: "*/*" }
  const { body } = await app.post("/search", { query: QUESTION, include_answer: true }, { headers })
  expect(body.answer).toContain("40 litres")
})
