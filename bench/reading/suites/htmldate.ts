// htmldate's pages: the publication date, scored as htmldate's own evaluation does (the original date, to the day).
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { suite } from "../suite.ts"
import { pageReader } from "./extraction.ts"

const LISTS = { "800 pages": "eval_default.json", "200 news pages": "eval_mediacloud_2020.json" } as const
/** Folders with the pages, in the order in which htmldate's evaluation searches them. */
const FOLDERS = ["test_set", "cache", "eval"]
const DAY_MS = 86_400_000
const OUTCOMES = ["right", "a day off", "none", "wrong"] as const

type List = keyof typeof LISTS
type Outcome = (typeof OUTCOMES)[number]

interface Wanted {
  readonly list: List
  /** `2016-12-23`; `null` if the page has no date. */
  readonly day: string | null
}

export const htmldate = suite({
  name: "htmldate",
  folder: "htmldate",
  goal: "800: ≥ 85 % right, ≤ 2 % wrong",
  cases: async (root) =>
    Object.entries(LISTS).flatMap(([list, file]) => {
      // Python writes NaN for a page without a date.
      const text = readFileSync(join(root, "tests", file), "utf8").replace(/\bNaN\b/g, "null")
      const pages = JSON.parse(text) as Record<string, { file: string; date: string | null }>
      return Object.entries(pages).map(([url, { file, date }]) => ({
        name: file,
        get input() {
          return readFileSync(
            FOLDERS.map((folder) => join(root, "tests", folder, file)).find((path) => existsSync(path))!,
          )
        },
        url,
        wanted: { list: list as List, day: date },
      }))
    }),
  reader: pageReader,
  judge: ({ wanted }: { readonly wanted: Wanted }, { publishedAt }) => {
    const day = publishedAt?.toISOString().slice(0, 10) ?? null
    const outcome = outcomeOf(day, wanted.day)
    return {
      score: outcome === "right" ? 1 : 0,
      said: `${outcome}: ${day ?? "none"}, wanted ${wanted.day ?? "none"}`,
      outcome,
      list: wanted.list,
    }
  },
  rows: (marks) =>
    Object.keys(LISTS).map((list) => {
      const own = marks.filter((one) => one.list === list)
      const count = (outcome: Outcome) => String(own.filter((one) => one.outcome === outcome).length)
      return {
        of: list,
        cases: own.length,
        figures: Object.fromEntries(OUTCOMES.map((one) => [one, count(one)])),
      }
    }),
  text: ({ publishedAt }) => `${publishedAt?.toISOString() ?? "none"}\n`,
})

function outcomeOf(read: string | null, wanted: string | null): Outcome {
  if (read === wanted) return "right"
  if (read === null) return "none"
  if (wanted === null) return "wrong"
  return Math.abs(Date.parse(read) - Date.parse(wanted)) === DAY_MS ? "a day off" : "wrong"
}
