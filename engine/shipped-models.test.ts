import { existsSync, readFileSync } from "node:fs"
import path from "node:path"

import { expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { engineSettings } from "./settings.ts"
import { nameOf, SHIPPED_MODELS } from "./shipped-models.ts"

const modelOf = (name: string) => readSettings(engineSettings, { FOSSICK_MODEL: name }).model

test("the shipped models have the names used in the handbook, both in the setting and in the command", () => {
  const page = readFileSync(path.join(import.meta.dirname, "../docs/embedding-models.md"), "utf8")
  const named = [...page.matchAll(/^\| `(\w+)`: ([\w-]+) \|/gm)]
  expect(named.map(([, name]) => name)).toEqual(Object.keys(SHIPPED_MODELS))
  for (const [, name = "", folder = ""] of named) {
    expect(path.basename(modelOf(name))).toBe(folder)
    expect(existsSync(path.join(modelOf(name), "config.json"))).toBe(true)
    expect(nameOf(modelOf(name))).toBe(name)
  }
})

test("auto means no model is set, and other values stay as they are", () => {
  expect(["auto", "", "/srv/models/own", "Xenova/bge-small-en-v1.5"].map(modelOf)).toEqual([
    "",
    "",
    "/srv/models/own",
    "Xenova/bge-small-en-v1.5",
  ])
})
