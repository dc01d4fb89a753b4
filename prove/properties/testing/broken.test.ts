import * as fc from "fast-check"
import { expect, test } from "vitest"
import { MADE_UP, madeUp } from "#base/testing/made-up.ts"

// A failing property, needed by properties.test.ts: in the normal tests it holds.
test("a number is below fifty", () => {
  fc.assert(
    fc.property(fc.nat(99), (number) => {
      expect(number < 50 || process.env[MADE_UP] === undefined).toBe(true)
    }),
    madeUp(20_000),
  )
})
