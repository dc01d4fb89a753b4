import { expect, test } from "vitest"

import { autoResults } from "./auto-results.ts"

test.each([
  ["nothing found", [], 0],
  ["one result that is good", [0.3], 1],
  ["all that are good", [0.9, 0.8, 0.8], 3],
  ["up to where they become unlikely", [0.5, 0.3, 0.12, 0.09, 0.08], 3],
  ["up to where they fall off, even when what follows is not unlikely", [0.97, 0.92, 0.14, 0.13], 2],
  ["none when all are poor", [0.06, 0.05, 0.05], 0],
])("%s", (_, scores, count) => {
  expect(autoResults(scores)).toBe(count)
})
