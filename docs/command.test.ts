import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { EXIT } from "#base/exit-codes.ts"
import { COMMANDS } from "../command/registry.ts"

const page = readFileSync(join(import.meta.dirname, "command.md"), "utf8")

/** Cells of each row of the table below a heading. */
const rows = (heading: string): string[][] => {
  const [, table = ""] =
    new RegExp(`\\n## ${heading}\\n[^]*?\\n\\|[-|]+\\|\\n((?:\\|.*\\n)+)`).exec(page) ?? []
  return table
    .trim()
    .split("\n")
    .map((row) => row.split("|").map((cell) => cell.trim()))
}

describe("the command page", () => {
  test("lists every command as the help does", () => {
    const listed = rows("Commands").map(([, name = "", about = ""]) => [
      name.replaceAll("`", ""),
      about.split(";")[0],
    ])
    expect(listed).toEqual(Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary]))
  })

  test("explains every exit code", () => {
    expect(rows("Exit codes").map(([, code]) => Number(code))).toEqual(Object.values(EXIT))
  })
})
