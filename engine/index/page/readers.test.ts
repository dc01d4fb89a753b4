import * as fc from "fast-check"
import { expect, test } from "vitest"
import {
  EVERYBODY,
  mayRead,
  narrowedBy,
  NOBODY,
  principalOf,
  type Readers,
  readersLabel,
  readersOf,
} from "./readers.ts"

const who = (...principals: string[]) => new Set(principals)

test("a denial overrides any permission", () => {
  const readers = readersOf({ allow: ["group:staff", "user:Guest@Example.com"], deny: ["group:interns"] })
  expect(mayRead(who("group:staff"), readers)).toBe(true)
  expect(mayRead(who("user:guest@example.com"), readers)).toBe(true)
  expect(mayRead(who("group:staff", "group:interns"), readers)).toBe(false)
  expect(mayRead(who(), readers)).toBe(false)
})

test("without a list everyone who isn't denied may read, and an empty list admits no one", () => {
  expect(mayRead(who(), EVERYBODY)).toBe(true)
  expect(mayRead(who("user:eve"), readersOf({ deny: ["user:eve"] }))).toBe(false)
  expect(mayRead(who("group:staff"), readersOf({ allow: [] }))).toBe(false)
})

test("invalid names never admit more people", () => {
  for (const wrong of ["staff", "group:", "role:x", "user:\u0000", `user:${"x".repeat(200)}`])
    expect([wrong, principalOf(wrong)]).toEqual([wrong, null])
  expect(readersOf({ allow: ["staff"] })).toEqual(NOBODY)
  expect(readersOf({ allow: ["group:a"], deny: ["interns"] })).toEqual(NOBODY)
})

const someOf = fc.subarray(["user:a", "user:b", "group:x", "group:y", "signed-in"])
const anyReaders: fc.Arbitrary<Readers> = fc.record({
  allow: fc.array(someOf, { maxLength: 3 }),
  deny: someOf,
})

test("narrowed readers admit exactly the people that both lists admit", () => {
  fc.assert(
    fc.property(anyReaders, anyReaders, someOf, (outer, inner, given) => {
      const one = new Set(given)
      expect(mayRead(one, narrowedBy(outer, inner))).toBe(mayRead(one, outer) && mayRead(one, inner))
    }),
  )
})

test("equal readers have the same label however they are written, and open pages have none", () => {
  const hr = { source: "hr", ...readersOf({ allow: ["group:b", "group:a"] }) }
  const same = { source: "hr", ...readersOf({ allow: ["group:A", "group:b", "group:a"] }) }
  const staff = { source: "staff", ...readersOf({ deny: ["group:a"] }) }
  expect(readersLabel([hr])).toBe(readersLabel([same]))
  expect(readersLabel([hr, staff])).toBe(readersLabel([staff, same]))
  expect(new Set([[hr], [staff], [hr, staff]].map(readersLabel)).size).toBe(3)
  expect(readersLabel([{ source: "open", ...EVERYBODY }])).toBeNull()
  expect(readersLabel()).toBeNull()
})
