import { expect, test } from "vitest"

import { joinPassages, splitPassages } from "./page-text.ts"

const CODE = "Write:\n```ini\nListen 80\n```"
const TABLE = "| A | B |\n|---|---|\n| 1 | 2 |"

test("joins passages on one line, and puts code and tables on lines of their own", () => {
  expect(joinPassages(["One.", "Two."])).toBe("One. [...] Two.")
  expect(joinPassages([CODE, "Two.", TABLE])).toBe(`${CODE}\n [...] Two. [...] \n${TABLE}`)
  // A code fence followed by words on the same line would not close anything.
  expect(joinPassages([CODE, CODE])).toMatch(/^```$/m)
})

test("splits joined passages again", () => {
  for (const passages of [["One."], ["One.", CODE, TABLE, TABLE, "Two."]])
    expect(splitPassages(joinPassages(passages))).toEqual(passages)
})
