import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { isAllowed, thirdParties, thirdPartyText } from "./third-party.ts"

const ROOT = join(import.meta.dirname, "../..")
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8")

test("every package of an installation has a licence that is allowed", () => {
  const packages = thirdParties(ROOT)
  expect(packages.filter(({ licence }) => !isAllowed(licence))).toEqual([])
  expect(packages.length).toBeGreaterThan(300)
})

test.each([
  ["MIT", true],
  ["(MIT OR GPL-3.0-only)", true],
  ["Apache-2.0 AND LGPL-3.0-or-later AND MIT", true],
  ["Apache-2.0 AND GPL-3.0-only", false],
  ["AGPL-3.0-only", false],
  ["SSPL-1.0", false],
  ["UNLICENSED", false],
  ["unknown", false],
])("%s is allowed: %s", (licence, is) => {
  expect(isAllowed(licence)).toBe(is)
})

test("THIRD-PARTY.md lists what the lock file has (npm run third-party)", () => {
  expect(read("THIRD-PARTY.md")).toBe(thirdPartyText(ROOT))
})

test("licences of material in the repository are stored beside it", () => {
  const files = [...read("THIRD-PARTY.md").matchAll(/`((?:engine|crawler)\/[^`]+)`/g)].map(
    ([, file]) => file!,
  )
  expect(files).toHaveLength(5)
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})
