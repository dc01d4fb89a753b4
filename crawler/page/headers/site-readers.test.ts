import { expect, test } from "vitest"
import { NOBODY } from "#engine/index/page/readers.ts"
import { readersHeaders, siteReaders } from "./site-readers.ts"

test.each([
  [
    "allow=group:HR, user:anna@example.com; deny=group:interns",
    { allow: [["group:hr", "user:anna@example.com"]], deny: ["group:interns"] },
  ],
  ["Deny = group:guests", { allow: [], deny: ["group:guests"] }],
  ["allow=signed-in", { allow: [["signed-in"]], deny: [] }],
  ["allow=", NOBODY],
])("%s is parsed", (text, readers) => {
  expect(siteReaders([text])).toEqual({ readers, problem: null })
})

test.each([
  "",
  "group:hr",
  "allow=hr",
  "allow=group:hr;",
  "allow=group:hr; allow=group:it",
  "allow=group:hr, allow=group:it",
  "allow=group:hr, ",
  "allow=group:hr; owner=user:anna",
])("when a site sends %j, nobody may read the page", (text) => {
  const { readers, problem } = siteReaders([text])
  expect(readers).toEqual(NOBODY)
  expect(problem).toContain("nobody may read it")
})

test("readers must satisfy both the headers and the tags", () => {
  const said = ["allow=group:staff", "allow=group:hr; deny=user:bo"]
  expect(siteReaders(said).readers).toEqual({ allow: [["group:staff"], ["group:hr"]], deny: ["user:bo"] })
  expect(siteReaders([...said, "?"]).readers?.allow).toContainEqual([])
  expect(siteReaders([])).toEqual({ readers: null, problem: null })
})

test("a header is decoded as UTF-8", () => {
  const sent = Buffer.from("allow=group:vertrieb süd").toString("latin1")
  expect(siteReaders(readersHeaders({ "x-fossick-readers": sent })).readers?.allow).toEqual([
    ["group:vertrieb süd"],
  ])
})
