import { expect, test } from "vitest"
import { defineSource } from "../../source.ts"
import { readSourceSpec } from "../source-spec.ts"
import { parseSources } from "./sources-file.ts"
import { sourceYaml, withoutDefaults } from "./source-yaml.ts"
import { emptyState } from "#base/store/testing/empty-state.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { Sources } from "../sources.ts"
import { declaredYaml } from "./write-sources.ts"

const WRITTEN = {
  name: "wiki",
  seeds: ["https://wiki.example.com/"],
  scope: "prefix",
  exclude: ["*.pdf"],
  limits: { pages: 500 },
  politeness: { delayMs: 0, robots: false },
  login: {
    kind: "form",
    url: "https://wiki.example.com/login",
    fields: { user: "crawler", pass: "${WIKI_PASSWORD}" },
  },
  pages: { language: "de" },
  schedule: { cron: "0 3 * * *", timeZone: "Europe/Paris" },
  webhooks: [{ url: "https://example.com/hook" }],
}

test("a source is written with its non-default values, and reads back the same", () => {
  const source = defineSource(readSourceSpec(WRITTEN))
  const shown = withoutDefaults(source)
  expect(shown).toEqual({ ...WRITTEN, webhooks: [{ url: "https://example.com/hook", events: ["finished"] }] })
  const { sources } = parseSources(sourceYaml(shown, "A note\non two lines"), "sources.yaml")
  expect(sources.map((one) => defineSource(one))).toEqual([source])
})

test("a source with defaults only is written with its name and its start", () => {
  const source = defineSource({ name: "docs", seeds: ["https://docs.example.com/"] })
  expect(sourceYaml(withoutDefaults(source))).toBe(
    "sources:\n  - name: docs\n    seeds:\n      - https://docs.example.com/\n",
  )
})

test("all declared sources are written as a file that declares them again, whichever version stored them", async () => {
  const db = emptyState()
  expect(parseSources(await declaredYaml(db), "sources.yaml").sources).toEqual([])
  const sources = new Sources(db, new Jobs(db))
  await sources.put(WRITTEN)
  await sources.put({ name: "docs", seeds: ["https://docs.example.com/"] })
  await sources.pause("docs")
  // The state's schema version is never read.
  await db.script("delete from schema_version; drop table job_event")
  const text = await declaredYaml(db)
  expect(text).toMatch(/# It was paused: fossick sources pause docs\n.*name: docs/)
  const specs = parseSources(text, "sources.yaml").sources
  expect(specs.map(({ name }) => name)).toEqual(["docs", "wiki"])
  expect(specs.map((spec) => defineSource(spec))).toEqual(
    await Promise.all(specs.map(async ({ name }) => defineSource((await sources.get(name))!.spec))),
  )
})
