// mozilla/readability's pages: the title and the text that its tests expect, by word trigrams.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { overlapRow, trigramOverlap } from "../scoring.ts"
import { suite } from "../suite.ts"
import { wordsOfHtml, wordsOfMarkdown } from "../texts.ts"
import { markdownOf, pageReader, titled } from "./extraction.ts"

const PAGES = "test/test-pages"

export const readability = suite({
  name: "readability",
  folder: "readability",
  goal: "recall ≥ .985, precision ≥ .93",
  cases: async (root) =>
    readdirSync(join(root, PAGES)).map((name) => ({
      name,
      input: readFileSync(join(root, PAGES, name, "source.html")),
      // The address that the suite's own tests use.
      url: "http://fakehost/test/page.html",
      wanted: titled(
        titleIn(readFileSync(join(root, PAGES, name, "expected-metadata.json"), "utf8")),
        wordsOfHtml(readFileSync(join(root, PAGES, name, "expected.html"), "utf8")),
      ),
    })),
  reader: pageReader,
  judge: ({ wanted }, reading) =>
    trigramOverlap(titled(reading.title, wordsOfMarkdown(reading.markdown)), wanted),
  rows: (marks) => [overlapRow("pages", marks)],
  text: markdownOf,
})

const titleIn = (metadata: string): string => (JSON.parse(metadata) as { title?: string }).title ?? ""
