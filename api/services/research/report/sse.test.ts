import { once } from "node:events"
import { createServer, get } from "node:http"
import type { AddressInfo } from "node:net"

import { describe, expect, test } from "vitest"

import { EventStream } from "./sse.ts"
import { aSource } from "../testing/findings.ts"

// How different kinds of readers read one stream, given the chunks that arrive over a socket.

const SOURCE = aSource("Pumps", { url: "https://pumps.example/" })
const REPORT = ["# Pumps\n\n", "A pump costs 120 euros. [1]\n\n", "event: none\ndata: none"]

interface Chunk {
  readonly choices: readonly [{ readonly delta: Readonly<Record<string, unknown>> }]
}

async function chunksOf(lineByLine: boolean): Promise<string[]> {
  const server = createServer((_, response) => {
    const events = new EventStream("1", "mini", new Date(0), { lineByLine })
    events.body.pipe(response)
    const step = { name: "Planning", id: "fc_1", about: "a plan" } as const
    events.write({ kind: "call", step })
    for (const content of REPORT) events.write({ kind: "content", content })
    events.write({ kind: "sources", sources: [SOURCE] })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const chunks: string[] = []
  await new Promise<void>((resolve) => {
    get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, (response) => {
      response.on("data", (chunk: Buffer) => chunks.push(chunk.toString()))
      response.on("end", resolve)
    })
  })
  server.close()
  return chunks
}

const deltasOf = (texts: readonly string[]) =>
  texts.map((text) => (JSON.parse(text) as Chunk).choices[0].delta)

/** Reads the stream as the standard says: lines up to a blank one; the text before the colon is exactly the field's name. */
function byTheStandard(chunks: readonly string[]): string[] {
  const found: string[] = []
  let event = ""
  let data = ""
  for (const line of chunks.join("").split(/\r\n|\r|\n/)) {
    if (line.startsWith("event:")) event = line.slice(6).trim()
    else if (line.startsWith("data:")) data = line.slice(5).trim()
    else if (line === "") {
      if (data !== "") expect(event).toBe("chat.completion.chunk")
      if (data !== "") found.push(data)
      event = data = ""
    }
  }
  return found
}

/** Reads the lines of each chunk, trimmed; a chunk that ends in a line break ends with a blank line. */
function byChunksOfFrames(chunks: readonly string[]): string[] {
  const found: string[] = []
  let event = ""
  for (const line of chunks.flatMap((chunk) => chunk.split("\n")).map((one) => one.trim())) {
    if (line === "") event = ""
    else if (line.startsWith("event:")) event = line.slice(6).trim()
    else if (line.startsWith("data:") && event === "chat.completion.chunk") found.push(line.slice(5))
  }
  return found
}

/** Reads each chunk as one line. */
function byChunksOfLines(chunks: readonly string[]): string[] {
  const found: string[] = []
  let event = ""
  for (const line of chunks.map((one) => one.trim())) {
    if (line.startsWith("event:")) event = line.slice(6).trim()
    else if (line.startsWith("data:") && event === "chat.completion.chunk") found.push(line.slice(5))
  }
  return found
}

/** Splits the stream into frames at blank lines, and uses every line that begins with `data:`, whatever the event. */
const byData = (chunks: readonly string[]): string[] =>
  chunks
    .join("")
    .split("\n\n")
    .flatMap((frame) => frame.split(/\r?\n/))
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5))

const readers = { byTheStandard, byChunksOfFrames, byChunksOfLines, byData }

describe("a report stream", () => {
  test.each(["byTheStandard", "byChunksOfFrames", "byData"] as const)(
    "is read completely and once %s",
    async (name) => {
      const deltas = deltasOf(readers[name](await chunksOf(false)))
      expect(deltas.flatMap(({ content }) => content ?? [])).toEqual(REPORT)
      expect(deltas).toHaveLength(REPORT.length + 2)
    },
  )

  test.each(Object.keys(readers) as (keyof typeof readers)[])(
    "with repeated lines is read completely and once %s too",
    async (name) => {
      const deltas = deltasOf(readers[name](await chunksOf(true)))
      expect(deltas.flatMap(({ content }) => content ?? [])).toEqual(REPORT)
      expect(deltas).toHaveLength(REPORT.length + 2)
    },
  )

  test.each(["byTheStandard", "byChunksOfFrames", "byData"] as const)(
    "is read that way even if a proxy joins the chunks, %s",
    async (name) => {
      const joined = [(await chunksOf(true)).join("")]
      expect(deltasOf(readers[name](joined)).flatMap(({ content }) => content ?? [])).toEqual(REPORT)
    },
  )
})

test("a stream that nobody reads ends, and keeps a limited number of events", async () => {
  const events = new EventStream("id", "mini", new Date(), { lineByLine: false })
  const failed = new Promise((resolve) => events.body.once("error", resolve))
  const content = "x".repeat(10_000)
  for (let i = 0; i < 1000; i++) events.write({ kind: "content", content })
  events.write({ kind: "sources", sources: [SOURCE] })
  expect([events.body.destroyed, events.body.writableLength < 1_100_000]).toEqual([true, true])
  expect(await failed).toMatchObject({ message: "The events of a report were not read." })
})
