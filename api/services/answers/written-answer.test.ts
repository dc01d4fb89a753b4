import { pino } from "pino"
import { afterEach, expect, test, vi } from "vitest"

import type { ChatModel } from "../chat-models/chat-model.ts"
import { hit } from "../../testing/fake-engine.ts"
import { writtenAnswer } from "./written-answer.ts"

// A sentence in a different language from its source can only be compared by meaning, which is the embedder's job. This
// embedder finds all texts similar.

afterEach(() => vi.restoreAllMocks())

const SENTENCES = [
  "Die Dichtungen einer Pumpe nutzen sich zuerst ab [1].",
  "Danach muss man die Schläuche der Pumpe auswechseln [1].",
]
const SEALS = hit({
  passages: [
    {
      text: "Of all the parts of a pump the seals are the first to wear out, and the hoses come next.",
      headings: [],
      position: 0,
    },
  ],
})

/** Time limits that expire when a test says so. */
function heldTimeouts() {
  const running: AbortController[] = []
  vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
    const limit = new AbortController()
    running.push(limit)
    return limit.signal
  })
  return { passed: () => running.forEach((limit) => limit.abort(new Error("late"))) }
}

interface Asked {
  /** Called between the model's sentences. */
  readonly between?: () => void
  /** Called for the embedder's nth call, from 1. */
  readonly embedding?: (call: number) => void
}

async function answer({ between, embedding }: Asked) {
  let calls = 0
  const embedder = {
    embed: async (texts: readonly string[], options?: { readonly signal?: AbortSignal }) => {
      embedding?.(++calls)
      options?.signal?.throwIfAborted()
      return texts.map(() => Float32Array.of(1, 0))
    },
  }
  const model: Pick<ChatModel, "reply"> = {
    async reply(prompt, { onText }) {
      prompt(8000)
      onText?.(`${SENTENCES[0]} `)
      between?.()
      return { text: SENTENCES.join(" "), isCut: false }
    },
  }
  const signal = new AbortController().signal
  const asked = {
    question: "what wears out",
    hits: [SEALS],
    evidence: [],
    depth: "basic",
    signal,
    patience: 1500,
  } as const
  const onStatement = () => undefined
  const log = pino({ level: "silent" })
  const written = await writtenAnswer({ ...asked, log, onStatement }, model as ChatModel, embedder)
  return Array.isArray(written) ? written.map(({ text }) => text) : written
}

test("the model's writing time does not reduce the time for checking its meaning", async () => {
  const { passed } = heldTimeouts()
  expect(await answer({ between: passed })).toHaveLength(2)
})

test("an embedder that fails once is asked again for the next sentence", async () => {
  const embedding = (call: number) => {
    if (call <= 2) throw new Error("away")
  }
  expect(await answer({ embedding })).toEqual([SENTENCES[1]!.replace(" [1]", "")])
})

test("an embedder that is late twice is waited for at most once", async () => {
  let now = 0
  vi.spyOn(performance, "now").mockImplementation(() => now)
  let calls = 0
  const embedding = (call: number) => {
    calls = call
    now += 5000
    throw new Error("late")
  }
  expect(await answer({ embedding })).toBeNull()
  // One call for the source, and one for the first sentence.
  expect(calls).toBe(2)
})
