// Sets with a truth.json that holds each page's main text, judged by the multiset of words as their makers do.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Overlap, overlapRow, wordOverlap } from "../scoring.ts"
import { suite } from "../suite.ts"
import { markdownOf, pageReader, textOf } from "./extraction.ts"

interface Judged {
  readonly articleBody: string
  readonly url?: string
  /** The kind of page, in WCXB. */
  readonly type?: string
}

function judgedSet(name: string, folder: string, goal: string) {
  return suite({
    name,
    folder,
    goal,
    cases: async (root) => {
      const truth = JSON.parse(readFileSync(join(root, "truth.json"), "utf8")) as Record<string, Judged>
      return Object.entries(truth).map(([id, wanted]) => ({
        name: id,
        get input() {
          return readFileSync(join(root, "html", `${id}.html`))
        },
        url: wanted.url ?? "https://example.org/",
        wanted,
      }))
    },
    reader: pageReader,
    judge: ({ wanted }, reading): Overlap & { readonly type: string | undefined } => ({
      ...wordOverlap(textOf(reading), wanted.articleBody),
      type: wanted.type,
    }),
    rows: (marks) => {
      const kinds = [...new Set(marks.map(({ type }) => type))].filter((type) => type !== undefined)
      return [
        overlapRow("pages", marks),
        ...kinds.toSorted().map((kind) =>
          overlapRow(
            kind,
            marks.filter(({ type }) => type === kind),
          ),
        ),
      ]
    },
    text: markdownOf,
  })
}

export const aeb = judgedSet("aeb", "aeb", "F1 ≥ .97")
export const wcxb = judgedSet("wcxb", "wcxb-dev", "F1 ≥ .88")
