// defuddle's fixtures: the title and the text of the markdown that defuddle's own tests expect, by word trigrams.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { overlapRow, trigramOverlap } from "../scoring.ts"
import { suite } from "../suite.ts"
import { wholeTextOfMarkdown } from "../texts.ts"
import { markdownOf, pageReader, titled } from "./extraction.ts"

/** The metadata before the expected text in the tests. */
const PREAMBLE = /^```json\n(.*?)\n```\n/s
/** A fixture with a lower recall counts as lost. */
const LOST = 0.5
/** The comment in which a fixture states its address; other fixtures are named after their address. */
const STATED_ADDRESS = /<!--\s*(\{"url":.*?\})\s*-->/

export const defuddle = suite({
  name: "defuddle",
  folder: "defuddle",
  goal: "recall ≥ .97, none under .5",
  cases: async (root) =>
    readdirSync(join(root, "tests/fixtures"))
      .map((file) => ({ file, name: basename(file, ".html") }))
      .filter(({ name }) => existsSync(join(root, "tests/expected", `${name}.md`)))
      .map(({ file, name }) => {
        const input = readFileSync(join(root, "tests/fixtures", file))
        return {
          name,
          input,
          url: addressOf(input.toString("utf8"), name),
          wanted: wantedIn(readFileSync(join(root, "tests/expected", `${name}.md`), "utf8")),
        }
      }),
  reader: pageReader,
  judge: ({ wanted }, reading) => {
    const mark = trigramOverlap(titled(reading.title, wholeTextOfMarkdown(reading.markdown)), wanted)
    return { ...mark, score: mark.recall, f1: mark.score }
  },
  rows: (marks) => {
    const row = overlapRow(
      "fixtures",
      marks.map((one) => ({ ...one, score: one.f1 })),
    )
    const under = String(marks.filter(({ recall }) => recall < LOST).length)
    return [{ ...row, figures: { ...row.figures, "under .5": under } }]
  },
  listBelow: LOST,
  text: markdownOf,
})

function wantedIn(expected: string): string {
  const facts = JSON.parse(PREAMBLE.exec(expected)?.[1] ?? "{}") as { title?: string }
  return titled(facts.title ?? "", wholeTextOfMarkdown(expected.replace(PREAMBLE, "")))
}

function addressOf(html: string, name: string): string {
  const stated = STATED_ADDRESS.exec(html)?.[1]
  const url = stated === undefined ? undefined : (JSON.parse(stated) as { url?: string }).url
  return url ?? `https://${name.replace(/^[a-z]+--/, "")}`
}
