import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { headingIds } from "../api/faces/handbook/render-markdown.ts"
import { PROGRAMS } from "#crawler/sources/survey/programs/registry.ts"

const text = readFileSync(join(import.meta.dirname, "recipes.md"), "utf8")

test("every recognised program has a section in Recipes", () => {
  const sections = new Set(headingIds(text))
  expect(PROGRAMS.filter(({ recipe }) => !sections.has(recipe)).map(({ name }) => name)).toEqual([])
})
