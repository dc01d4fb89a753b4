import { expect, test } from "vitest"

import { tileOf } from "./tile.ts"

test.each([
  ["docs.example.com", "manual", "D"],
  ["www.example.com", "manual", "E"],
  ["127.0.0.1:8080", "manual", "M"],
  ["192.168.1.7", "intranet", "I"],
  ["[::1]:8080", "wiki", "W"],
  ["localhost:3000", "über uns", "Ü"],
  ["localhost", "(notes)", "N"],
  ["1password.com", "manual", "1"],
])("the tile of %s, from the source %s, is %s", (host, source, letter) => {
  expect(tileOf(host, source, "Pumps").letter).toBe(letter)
})

test("tiles of two sources differ, and the page's letter is shown to people who may not see the source", () => {
  const [one, other] = ["manual", "forum"].map((source) => tileOf("127.0.0.1:8080", source, "Pumps"))
  expect(one).not.toEqual(other)
  expect(tileOf("127.0.0.1", undefined, "Pumps").letter).toBe("P")
  expect(tileOf("127.0.0.1", undefined, "").letter).toBe("•")
})
