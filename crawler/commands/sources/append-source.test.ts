import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parseSources, SourcesFileError } from "../../sources/file/sources-file.ts"
import { temporaryFolder } from "../../testing/crawl-fixture.ts"
import { sourceYaml } from "../../sources/file/source-yaml.ts"
import { appendSource, withSource } from "./append-source.ts"

const SOURCE = {
  name: "docs",
  seeds: ["https://docs.example.com/"],
  exclude: ["*.pdf", "re:[?&]do="],
  schedule: { everyHours: 24 },
}
const NOTE = "MkDocs; 12 pages"

test("a source is added below the others, and every comment stays", () => {
  const text = `# yaml-language-server: $schema=sources.schema.json
defaults:
  schedule: { timeZone: Europe/Paris } # where we are

sources:
  # the old one
  - name: blog # keep
    seeds: https://blog.example.com/
    exclude: ["/tags/**"]

backup: { folder: /backups } # nightly
`
  const added = withSource(text, "sources.yaml", SOURCE, NOTE)
  expect(added).toBe(
    text.replace(
      `["/tags/**"]\n`,
      `[ "/tags/**" ]

  # MkDocs; 12 pages
  - name: docs
    seeds:
      - https://docs.example.com/
    exclude:
      - "*.pdf"
      - re:[?&]do=
    schedule: { everyHours: 24 }
`,
    ),
  )
})

test.each([
  "",
  "sources: []\n",
  "defaults: { rendering: http }\n",
  "sources: [{ name: blog, seeds: https://blog.example.com/ }]\n",
])("a source is added to a file with %j", (text) => {
  const { sources } = parseSources(withSource(text, "sources.yaml", SOURCE, NOTE), "sources.yaml")
  expect(sources.at(-1)).toMatchObject({ name: "docs", exclude: SOURCE.exclude })
  expect(sources).toHaveLength(text.includes("blog") ? 2 : 1)
})

test("a source is added to a file with only a comment, and to a JSON file, which stays JSON", () => {
  expect(withSource("# nothing yet\n", "sources.yaml", SOURCE, NOTE)).toMatch(/^# nothing yet\n\nsources:\n/)
  const text = '{ "sources": [{ "name": "blog", "seeds": ["https://blog.example.com/"] }] }\n'
  expect(JSON.parse(withSource(text, "sources.json", SOURCE, NOTE))).toMatchObject({
    sources: [{ name: "blog" }, SOURCE],
  })
})

test("an invalid file stays unchanged, and so does one that would become invalid", () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "sources.yaml")
  for (const text of [
    "sources: [*.pdf]\n",
    "- a\n",
    "sources: { a: 1 }\n",
    `sources: [{ name: docs, seeds: x.example }]\n`,
  ]) {
    writeFileSync(file, text)
    expect(() => appendSource(file, SOURCE, NOTE)).toThrow(SourcesFileError)
    expect(readFileSync(file, "utf8")).toBe(text)
  }
  expect(existsSync(`${file}.new`)).toBe(false)
})

test("a missing file is created", () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "sources.yaml")
  appendSource(file, SOURCE, NOTE)
  expect(readFileSync(file, "utf8")).toBe(sourceYaml(SOURCE, NOTE))
  expect(parseSources(readFileSync(file, "utf8"), file).sources).toHaveLength(1)
})
