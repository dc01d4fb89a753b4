import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { defineSource } from "../source.ts"
import { temporaryFolder } from "../testing/crawl-fixture.ts"
import { codeHash, readAs } from "./read-as.ts"

const settings = { robots: true, userAgent: "Fossick", maxBytes: 1000 }
const source = defineSource({ name: "docs", seeds: ["https://docs.example/"] })

/** Files that must change the hash when edited, anywhere in the folder. */
const FILES = [
  "charset.ts",
  "content-type.ts",
  "headers/header-facts.ts",
  "headers/media-type.ts",
  "headers/robots-directives.ts",
  "page-hash.ts",
  "page-of-reading.ts",
  "read-body.ts",
  "script-shell.ts",
]

describe("the hash of how a page was read", () => {
  test("changes with any byte of the code that reads pages, and not with its tests", () => {
    using folder = temporaryFolder()
    const copy = join(folder.path, "page")
    cpSync(import.meta.dirname, copy, { recursive: true })
    const before = codeHash(copy)
    expect(before).toBe(codeHash(import.meta.dirname))
    const names = readdirSync(copy, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    )
    const code = names.filter((name) => !name.endsWith(".test.ts"))
    expect(code).toEqual(expect.arrayContaining(FILES))
    expect(
      code.some((name) => name.startsWith("extract/")) && code.some((name) => name.startsWith("formats/")),
    ).toBe(true)
    for (const name of names) {
      const file = join(copy, name)
      const text = readFileSync(file, "utf8")
      writeFileSync(file, `${text} `)
      expect([name, codeHash(copy) === before]).toEqual([name, name.endsWith(".test.ts")])
      writeFileSync(file, text)
    }
    expect(codeHash(copy)).toBe(before)
  })

  test("changes with the source's page settings, and with the user agent", () => {
    const texts = [
      readAs(source, settings),
      readAs({ ...source, name: "other" }, settings),
      readAs({ ...source, pages: { ...source.pages, topic: "news" } }, settings),
      readAs(source, { ...settings, userAgent: "Other" }),
      readAs(source, { ...settings, maxBytes: 2000 }),
      readAs(source, { ...settings, robots: false }),
    ]
    expect(new Set(texts).size).toBe(texts.length)
    expect(readAs({ ...source, seeds: ["https://docs.example/b"] }, settings)).toBe(texts[0])
  })

  test("covers all code that pages are read with: the folder imports nothing else from the crawler", () => {
    const names = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    const outside = names
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .flatMap((name) => {
        const up = "../".repeat(name.split(/[\\/]/).length)
        const text = readFileSync(join(import.meta.dirname, name), "utf8")
        return [...text.matchAll(/^import (?!type\b)[^"]*?from "([^"]+)"$/gm)]
          .map(([, from = ""]) => from)
          .filter((from) => from.startsWith(up) || from.startsWith("#crawler"))
      })
    expect(outside).toEqual([])
  })
})
