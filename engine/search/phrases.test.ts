import { setImmediate } from "node:timers/promises"

import { expect, test } from "vitest"

import { toPassages } from "../text/passages.ts"
import type { SearchIndex } from "../index/search-index.ts"
import { pagesHolding } from "./phrases.ts"

const LONG = `${"a pump, ".repeat(500_000)}\n\nThe last word.`

test("searching a page of megabytes for phrases gives other work its turn", async () => {
  const pages = [
    { id: "long", title: "", markdown: LONG, passages: [] },
    { id: "short", title: "", markdown: "No words.", passages: toPassages("No words.") },
  ]
  let turns = 0
  const state = { isOver: false }
  const texts: SearchIndex["texts"] = async () => pages
  const looking = pagesHolding(
    { texts } as unknown as SearchIndex,
    ["long", "short"],
    ["the last word"],
  ).finally(() => {
    state.isOver = true
  })
  while (!state.isOver) {
    await setImmediate()
    turns++
  }
  expect(await looking).toEqual(["long"])
  // If the search blocked the event loop, only one or two turns would pass.
  expect(turns).toBeGreaterThan(10)
})
