import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { addressPatterns } from "#crawler/crawl/scope/globs.ts"
import { nextTimes } from "#crawler/jobs/tasks/schedule.ts"
import { defineSource } from "#crawler/source.ts"
import { SOURCES_SCHEMA_FILE } from "#crawler/sources/written/schema-problems.ts"
import { parseSources } from "#crawler/sources/file/sources-file.ts"
import { sources as sourcesCommand } from "../command/commands/pages/sources.ts"

interface Field {
  readonly properties?: Readonly<Record<string, Field>>
  readonly items?: Field
  readonly oneOf?: readonly Field[]
  readonly const?: string
  readonly default?: unknown
}
const { $defs } = JSON.parse(readFileSync(SOURCES_SCHEMA_FILE, "utf8")) as {
  $defs: { fields: Record<string, Field>; backup: Field }
}
const page = read("sources.md")

describe("the page on sources", () => {
  test("explains every field, with its default", () => {
    expect(fieldRows("## Fields of a source")).toEqual(
      Object.fromEntries(Object.entries($defs.fields).map(([name, field]) => [name, shown(field)])),
    )
  })

  test.each(["limits", "politeness", "pages", "schedule", "revisit", "removal", "webhooks"])(
    "explains every field of %s, with its default",
    (group) => {
      const field = $defs.fields[group]
      const properties = field?.properties ?? field?.items?.properties ?? {}
      expect(fieldRows(`### ${group}`)).toEqual(
        Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, shown(one)])),
      )
    },
  )

  test("explains every backup field, with its default", () => {
    const fields = Object.entries({ ...$defs.backup.properties, schedule: $defs.fields["schedule"]! })
    expect(fieldRows("## Backups")).toEqual(
      Object.fromEntries(fields.map(([name, field]) => [name, shown(field)])),
    )
  })

  test("names every kind of login with its fields", () => {
    const kinds = ($defs.fields["login"]?.oneOf ?? []).map(({ properties = {} }) => {
      const { kind, ...fields } = properties
      return [kind?.const, Object.keys(fields)]
    })
    const said = rows("### login").map(([kind = "", fields = ""]) => [codes(kind)[0], codes(fields)])
    expect(said).toEqual(kinds)
  })

  test("names every command", () => {
    const commands = Object.keys(sourcesCommand.commands)
    const mentioned = new Set([...page.matchAll(/npx fossick sources (\w+)/g)].map(([, name = ""]) => name))
    expect([...mentioned].sort()).toEqual(commands.sort())
  })

  test("shows valid patterns", () => {
    const patterns = rows("## Patterns").map(
      ([pattern = ""]) => codes(pattern.replaceAll("\\|", "|"))[0] ?? "",
    )
    expect(patterns.length).toBeGreaterThan(5)
    for (const pattern of patterns) expect(() => addressPatterns("include", [pattern])).not.toThrow()
  })
})

test("the handbook's first schedule runs at the time it claims", () => {
  const [, yaml = ""] = /```yaml\n(.*?)```/s.exec(read("schedule-a-crawl.md")) ?? []
  const [nightly] = parseSources(yaml, "shown.yaml").sources.map(defineSource)
  const [first = 0] = nightly?.schedule ? nextTimes(nightly.schedule, 1, Date.UTC(2026, 0, 1), null) : []
  expect(new Date(first).toISOString()).toBe("2026-01-01T02:15:00.000Z")
})

function read(name: string): string {
  return readFileSync(join(import.meta.dirname, name), "utf8")
}

function shown(field: Field): string {
  if (!("default" in field)) return ""
  if (Array.isArray(field.default)) return `[${field.default.join(", ")}]`
  return String(field.default)
}

/** Defaults by field, from the table below a heading. */
function fieldRows(heading: string): Record<string, string> {
  return Object.fromEntries(
    rows(heading).map(([name = "", , value = ""]) => [codes(name)[0] ?? "", codes(value)[0] ?? ""]),
  )
}

/** Cells of the first table below a heading. */
function rows(heading: string): string[][] {
  const [, after = ""] = page.split(`\n${heading}\n`)
  const [, table = ""] = /\n\|[-|]+\|\n((?:\|.*\n)+)/.exec(after) ?? []
  return table
    .trim()
    .split("\n")
    .map((row) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

function codes(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((code) => code[1] ?? "")
}
