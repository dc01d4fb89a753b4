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

/** The result after the next check, which happens once a second. */
const saysInTheEnd = (reader: QuestionsAskedReader, areAsked: boolean) =>
  expect.poll(() => reader.areAsked()).toBe(areAsked)

test("the process that makes vectors sees when questions are asked, and when they stop", async () => {
  const reader = new QuestionsAskedReader(dir)
  expect(await reader.areAsked()).toBe(false)
  await using asked = new QuestionsAsked(dir)
  asked.note()
  await saysInTheEnd(reader, true)
  await saysInTheEnd(reader, false)
})

test("two indexes of one folder both see it, and one that ends hides it from the other only briefly", async () => {
  const [inUse, beside] = [1, 2].map(() => new QuestionsAskedReader(dir))
  await Promise.all([inUse!.areAsked(), beside!.areAsked()])
  await using asked = new QuestionsAsked(dir)
  asked.note()
  await saysInTheEnd(inUse!, true)
  await inUse!.end()
  await expect.poll(() => (asked.note(), beside!.areAsked())).toBe(true)
})

test("nothing is recorded about questions while no vectors are made", async () => {
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

test("without a folder, nothing is reported and nothing fails", async () => {
  for (const dataDir of [undefined, path.join(dir, "missing")]) {
    await using asked = new QuestionsAsked(dataDir)
    asked.note()
    const reader = new QuestionsAskedReader(dataDir)
    expect(await reader.areAsked()).toBe(false)
    await reader.end()
  }
})
