import { expect, test } from "vitest"

import { indexCacheMb } from "./index-cache.ts"

const GB = 2 ** 30

test("a reader's cache is an eighth of the machine's memory, at least 96 MB, unless set or limited", () => {
  expect(indexCacheMb(0, Infinity, 8 * GB)).toBe(1024)
  expect(indexCacheMb(0, Infinity, GB / 2)).toBe(96)
  expect(indexCacheMb(500, Infinity, 8 * GB)).toBe(500)
  expect(indexCacheMb(0, 170.7, 8 * GB)).toBe(170)
  expect(indexCacheMb(500, 170, 8 * GB)).toBe(170)
})
