import { expect, test } from "vitest"

import { ByteBudget } from "#base/flow/memory/byte-budget.ts"

import { hit } from "../../../testing/fake-engine.ts"
import { PageMemory, SeenPages } from "./held-pages.ts"

test("a task with many large pages keeps few texts in memory", () => {
  const seen = new SeenPages()
  for (let question = 0; question < 20; question++)
    seen.add(
      Array.from({ length: 12 }, (_, at) =>
        hit({ score: (question * 12 + at) / 240, markdown: "x".repeat(at === 0 ? 250_000 : 150_000) }),
      ),
    )
  expect(seen.ranked).toHaveLength(240)
  expect(seen.ranked[0]!.score).toBe(239 / 240)
  expect(seen.ranked[0]!.markdown).toHaveLength(150_000)
  expect(seen.ranked.reduce((sum, { markdown }) => sum + markdown.length, 0)).toBeLessThanOrEqual(1_500_000)
  expect(seen.ranked.every(({ passages }) => passages.length > 0)).toBe(true)
})

test("tasks together read no more than fits into memory, and always release it", async () => {
  const memory = new PageMemory(new ByteBudget(10_000))
  const pages = [
    hit({ markdown: "x".repeat(1000) }),
    hit({ markdown: "y".repeat(2000) }),
    hit({ markdown: "z" }),
  ]
  const read = (hits = pages) => memory.read(hits, async (found) => found.length)
  const { made, unread } = await memory.read(pages, async (found) => {
    expect(found.map(({ markdown }) => markdown[0])).toEqual(["x", "z"])
    return await read()
  })
  expect({ made, unread }).toEqual({ made: { made: 2, unread: 1 }, unread: 1 })
  await expect(memory.read(pages, () => Promise.reject(new Error("stopped")))).rejects.toThrow("stopped")
  expect(await read([pages[1]!])).toEqual({ made: 1, unread: 0 })
})
