import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { CrawlFixture, temporaryFolder, testConfig } from "../../../testing/crawl-fixture.ts"
import { recognizeStart } from "../../../fetch/content/kinds.ts"
import { surveyContent } from "./survey-content.ts"

test("scanning a folder counts its files, reads some, and proposes a source with an unused name", async () => {
  using parent = temporaryFolder()
  await using fixture = await CrawlFixture.open()
  const folder = join(parent.path, "handbook")
  mkdirSync(join(folder, "sub"), { recursive: true })
  for (let file = 0; file < 7; file += 1)
    writeFileSync(join(folder, `sub/page ${file}.md`), `# Page ${file}\n\nText ${file}.`)
  writeFileSync(join(folder, "large.TXT"), "x".repeat(3000))
  const survey = await surveyContent((await recognizeStart(folder))!, {
    db: fixture.db,
    config: testConfig({ FOSSICK_MAX_PAGE_BYTES: "2000" }),
    filesAt: "http://localhost:8080/files/",
    taken: new Set(["handbook-2"]),
    signal: new AbortController().signal,
  })
  expect(survey).toMatchObject({
    source: { name: "handbook-3", folder, seeds: ["http://localhost:8080/files/handbook-3/"] },
    noun: "file",
    count: 8,
    endings: [
      [".md", 7],
      [".txt", 1],
    ],
    tooLarge: 1,
    troubles: [],
  })
  expect(survey.pages).toHaveLength(5)
  expect(survey.pages.map(({ outcome }) => outcome)).toContain("indexed")
  expect(survey.pages.find(({ page }) => page !== null)?.page?.title).toMatch(/^Page \d$/)
})
