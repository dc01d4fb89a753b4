import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { engineSettings } from "#engine/settings.ts"
import { crawlerSettings } from "#crawler/settings.ts"
import { apiSettings } from "../api/settings.ts"
import { x402Settings } from "../api/doors/x402/settings.ts"

const page = readFileSync(join(import.meta.dirname, "settings.md"), "utf8")
const documented = [...page.matchAll(/^\| `((?:FOSSICK|X402)_\w+)` \| (.*?) \| (.*) \|$/gm)].map((row) => ({
  name: row[1] ?? "",
  default: row[2] ?? "",
  about: row[3] ?? "",
}))
const parts = {
  API: apiSettings,
  "Paid searches": x402Settings,
  Crawler: crawlerSettings,
  Engine: engineSettings,
}

describe("the settings page", () => {
  test.each(Object.entries(parts))(
    "describes each setting of the %s as the code does",
    (heading, settings) => {
      const expected = Object.values(settings).map(({ name, default: value, about }) => ({
        name,
        default: value === "" ? "empty" : `\`${value}\``,
        about,
      }))
      expect(tableUnder(heading)).toEqual(expected)
    },
  )

  test("contains only existing settings", () => {
    const declared: string[] = Object.values(parts).flatMap((part) =>
      Object.values(part).map(({ name }) => name),
    )
    expect(documented.map(({ name }) => name).sort()).toEqual(declared.sort())
  })
})

function tableUnder(heading: string): typeof documented {
  const [, after = ""] = page.split(`\n## ${heading}\n`)
  const names = new Set(after.split("\n## ")[0]?.match(/(?:FOSSICK|X402)_\w+/g))
  return documented.filter(({ name }) => names.has(name))
}
