import { existsSync, readFileSync } from "node:fs"
import path from "node:path"

import { expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { engineSettings } from "./settings.ts"
import { nameOf, SHIPPED_MODELS } from "./shipped-models.ts"

const modelOf = (name: string) => readSettings(engineSettings, { FOSSICK_MODEL: name }).model

test("the models that ship go by the names that the handbook gives them, in the setting as in the command", () => {
  const page = readFileSync(path.join(import.meta.dirname, "../docs/embedding-models.md"), "utf8")
  const named = [...page.matchAll(/^\| `(\w+)`: ([\w-]+) \|/gm)]
  expect(named.map(([, name]) => name)).toEqual(Object.keys(SHIPPED_MODELS))
  for (const [, name = "", folder = ""] of named) {
    expect(path.basename(modelOf(name))).toBe(folder)
    expect(existsSync(path.join(modelOf(name), "config.json"))).toBe(true)
    expect(nameOf(modelOf(name))).toBe(name)
  }
})

test("auto is the same as no model, and other words stay as they are", () => {
  expect(["auto", "", "/srv/models/own", "Xenova/bge-small-en-v1.5"].map(modelOf)).toEqual([
    "",
    "",
    "/srv/models/own",
    "Xenova/bge-small-en-v1.5",
  ])
})
