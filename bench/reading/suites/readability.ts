// mozilla/readability's pages: the text of expected.html, by word trigrams.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { overlapRow, textOfHtml, trigramOverlap } from "../scoring.ts"
import { suite } from "../suite.ts"
import { markdownOf, pageReader, titledTextOf } from "./extraction.ts"

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
      wanted: textOfHtml(readFileSync(join(root, PAGES, name, "expected.html"), "utf8")),
    })),
  reader: pageReader,
  judge: ({ wanted }, reading) => trigramOverlap(titledTextOf(reading), wanted),
  rows: (marks) => [overlapRow("pages", marks)],
  text: markdownOf,
})
