import { expect, test } from "vitest"

import { joinPassages, splitPassages } from "./page-text.ts"

const CODE = "Write:\n```ini\nListen 80\n```"
const TABLE = "| A | B |\n|---|---|\n| 1 | 2 |"

test("passages are joined on one line, and beside code and tables on a line of its own", () => {
  expect(joinPassages(["One.", "Two."])).toBe("One. [...] Two.")
  expect(joinPassages([CODE, "Two.", TABLE])).toBe(`${CODE}\n [...] Two. [...] \n${TABLE}`)
  // A fence with words after it would not close anything.
  expect(joinPassages([CODE, CODE])).toMatch(/^```$/m)
})

test("and come apart as they were", () => {
  for (const passages of [["One."], ["One.", CODE, TABLE, TABLE, "Two."]])
    expect(splitPassages(joinPassages(passages))).toEqual(passages)
})
