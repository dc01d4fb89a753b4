import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { QuestionsAsked, QuestionsAskedReader } from "./questions-asked.ts"

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fossick-asked-"))
})
afterEach(() => rm(dir, { recursive: true }))

/** The result after the next look, which happens once a second. */
const saysInTheEnd = (reader: QuestionsAskedReader, areAsked: boolean) =>
  expect.poll(() => reader.areAsked()).toBe(areAsked)

test("who makes vectors learns that questions are asked, and that they are no more", async () => {
  const reader = new QuestionsAskedReader(dir)
  expect(await reader.areAsked()).toBe(false)
  await using asked = new QuestionsAsked(dir)
  asked.note()
  await saysInTheEnd(reader, true)
  await saysInTheEnd(reader, false)
})

test("two indexes of a folder learn it both, and one that is done keeps it from the other for a moment only", async () => {
  const [inUse, beside] = [1, 2].map(() => new QuestionsAskedReader(dir))
  await Promise.all([inUse!.areAsked(), beside!.areAsked()])
  await using asked = new QuestionsAsked(dir)
  asked.note()
  await saysInTheEnd(inUse!, true)
  await inUse!.end()
  await expect.poll(() => (asked.note(), beside!.areAsked())).toBe(true)
})

test("nothing is written of questions while no vectors are made", async () => {
  const reader = new QuestionsAskedReader(dir)
  await reader.areAsked()
  expect(await readdir(dir)).toEqual(["questions-asked"])
  await reader.end()
  {
    await using asked = new QuestionsAsked(dir)
    asked.note()
  }
  expect(await readdir(dir)).toEqual([])
})

test("without a folder nobody is told, and nothing fails", async () => {
  for (const dataDir of [undefined, path.join(dir, "missing")]) {
    await using asked = new QuestionsAsked(dataDir)
    asked.note()
    const reader = new QuestionsAskedReader(dataDir)
    expect(await reader.areAsked()).toBe(false)
    await reader.end()
  }
})
