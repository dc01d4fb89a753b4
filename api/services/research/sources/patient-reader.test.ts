import { expect, test } from "vitest"

import { ModelOutage } from "#engine/models/servers/availability.ts"

import { patient } from "./patient-reader.ts"

/** A reader that is too busy for this many calls. */
function busyFor(calls: number) {
  let asked = 0
  const scores = async (_: string, texts: readonly string[]) => {
    if (asked++ < calls) throw new ModelOutage("The reader has too much to read.", "")
    return texts.map(() => 0.5)
  }
  return { scores, asked: () => asked }
}

test("a busy reader is asked again", async () => {
  const reader = busyFor(2)
  expect(await patient(reader, [0, 0]).scores("pump", ["a pump"])).toEqual([0.5])
  expect(reader.asked()).toBe(3)
})

test("a reader still busy after the last pause is not waited for again", async () => {
  const reader = busyFor(100)
  const waiting = patient(reader, [0, 0])
  await expect(waiting.scores("pump", ["a pump"])).rejects.toBeInstanceOf(ModelOutage)
  await expect(waiting.scores("pump", ["a pump"])).rejects.toBeInstanceOf(ModelOutage)
  expect(reader.asked()).toBe(4)
})

test("a call that its caller ends is not repeated", async () => {
  const stop = new AbortController()
  const reader = busyFor(100)
  const scores = patient(reader, [60_000]).scores("pump", ["a pump"], stop.signal)
  stop.abort(new Error("stopped"))
  await expect(scores).rejects.toThrow("aborted")
  expect(reader.asked()).toBe(1)
})
