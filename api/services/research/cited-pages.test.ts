import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { pino } from "pino"

import { ByteBudget } from "#base/flow/memory/byte-budget.ts"
import { readSettings } from "#base/settings.ts"
import { aPage } from "#engine/testing/pages.ts"

import { openChatModel } from "../chat-models/chat-server.ts"
import { saying, startStubModel } from "../chat-models/testing/stub-model.ts"
import { apiSettings } from "../../settings.ts"
import { presentSource } from "./report/sse.ts"
import { toRequest, type ResearchBody } from "./request.ts"
import { runResearch } from "./run-research.ts"
import { PageMemory } from "./sources/held-pages.ts"
import { openPumpEngine, type PumpEngine } from "./testing/pump-engine.ts"

const HANDBOOK = aPage("https://docs.pumps.example/handbook.pdf", {
  title: "Handbook of gear pumps",
  author: "Ada Field",
  publishedAt: new Date("2024-03-09T00:00:00Z"),
  markdown: [
    "# Purpose",
    "A gear pump moves oil with two gears that mesh. The gears turn in a housing, and the oil goes around the outside of each gear.",
    "# Care",
    "The oil of a gear pump is changed every 700 hours of work. Use the oil that the plate on the housing names, and write the day of the change into the book of the pump.",
  ].join("\n\n"),
  anchors: [
    [0, "page=5", "iii"],
    [4, "page=19", "13"],
  ],
})
const SLIDES = aPage("https://docs.pumps.example/noise.pptx", {
  title: "Noise of gear pumps",
  markdown:
    "# Noise\n\nThe noise of a gear pump comes from oil that is trapped between the teeth of its gears.",
  anchors: [[0, "", "4"]],
})

let pumps: PumpEngine
beforeAll(async () => {
  pumps = await openPumpEngine([HANDBOOK, SLIDES])
})
afterAll(() => pumps[Symbol.asyncDispose]())

async function report(body: Partial<ResearchBody>, llmUrl = "") {
  await using chatModel = openChatModel({ ...readSettings(apiSettings, {}), llmUrl, llmModel: "stub" })
  const pages = new PageMemory(new ByteBudget(2 ** 26))
  const { content, sources } = await runResearch(
    await toRequest({
      input: "How often is the oil of a gear pump changed?",
      model: "mini",
      stream: false,
      citation_format: "numbered",
      output_length: "short",
      ...body,
    }),
    { ...pumps, unitReader: null, chatModel, modelTokens: 10_000, pages },
    {
      found: null,
      emit: () => {},
      onProgress: async () => {},
      signal: new AbortController().signal,
      log: pino({ level: "silent" }),
    },
  )
  return { text: content as string, sources: sources.map(presentSource) }
}

describe("a report on documents", () => {
  test("names the page of a PDF, and opens it there", async () => {
    const { text, sources } = await report({})
    expect(text).toContain("changed every 700 hours")
    expect(text).toContain(
      "1. [Handbook of gear pumps](https://docs.pumps.example/handbook.pdf#page=19), p. 13, published 9 Mar 2024",
    )
    expect(sources[0]).toMatchObject({ url: HANDBOOK.url, pages: ["13"] })
  })

  test("names the page in the text if the style requires it", async () => {
    const { text } = await report({ citation_format: "apa" })
    expect(text).toContain("(Ada Field, 2024, p. 13)")
  })

  test("names the slide of a presentation", async () => {
    const { text } = await report({ input: "Where does the noise of a gear pump come from?" })
    expect(text).toContain("[Noise of gear pumps](https://docs.pumps.example/noise.pptx), slide 4, read ")
  })

  test("finds the page behind a model's paraphrase", async () => {
    await using stub = await startStubModel(
      saying(
        "Every 700 hours of work the oil of a gear pump is changed [1]. Gears that mesh move the oil [1].",
      ),
    )
    const { text } = await report({}, stub.url)
    expect(text).toContain("Every 700 hours of work the oil of a gear pump is changed. [1]")
    expect(text).toMatch(/handbook\.pdf#page=(?:5\), pp\. iii, 13|19\), p\. 13),/)
  })
})
