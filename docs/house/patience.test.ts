import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { PATIENCE } from "../../base/testing/patience.ts"
import config from "../../vitest.config.ts"
import { ROOT, testFiles } from "./imports.ts"

/** Patterns in tests that work only on an idle machine. */
const IMPATIENT: readonly (readonly [why: string, pattern: RegExp])[] = [
  ["a time-out of a poll, a test or a hook of its own", /\btimeout: \d[\d_]{3,}/],
  ["the same as the last argument of a test", /^\s*\}, \d[\d_]{3,}\)$/],
  ["one second, where nothing else is said: use expect.poll or until()", /\bvi\.wait(?:For|Until)\(/],
  [
    "to be run again, or not at all, when it fails",
    /\bretry: [1-9]|\b(?:test|it|describe)\.(?:fails|todo)\b/,
  ],
]

test("no test sets shorter timeouts than the shared ones (base/testing/patience.ts)", () => {
  const found = testFiles()
    .filter((file) => !/\/patience(?:\.test)?\.ts$/.test(file))
    .flatMap((file) =>
      readFileSync(join(ROOT, file), "utf8")
        .split("\n")
        .flatMap((line, at) =>
          IMPATIENT.filter(([, pattern]) => pattern.test(line)).map(([why]) => `${file}:${at + 1}: ${why}`),
        ),
    )
  expect(found).toEqual([])
  expect(config.test).toMatchObject(PATIENCE)
})

test.each([
  "  await expect.poll(title, { timeout: 5000 }).toBe(1)",
  "  }, 30_000)",
  "  await vi.waitFor(() => {",
  "  test('x', { retry: 2 }, () => {})",
])("a shorter timeout is detected: %s", (line) => {
  expect(IMPATIENT.some(([, pattern]) => pattern.test(line))).toBe(true)
})
