// pdfminer.six's samples: whether we read the letters that poppler's pdftotext reads.
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Extracted } from "#crawler"
import { letterOverlap } from "../scoring.ts"
import { suite, SuiteSkipped } from "../suite.ts"
import { markdownOf, textOf } from "./extraction.ts"

const TOOL = "pdftotext"
/** Longer than any of the samples needs. */
const BUDGET_MS = 60_000
/** Share of poppler's letters that must be read for a file to count as read: the two programs write ligatures and headers differently. */
const GOOD = 0.9

type ReadDocument = (format: "pdf", body: Uint8Array, url: string, budgetMs: number) => Promise<Extracted>

export const pdf = suite({
  name: "pdf",
  folder: "pdfminer.six",
  goal: "none that poppler reads and we don't",
  cases: async (root) => {
    if (spawnSync(TOOL, ["-v"]).error)
      throw new SuiteSkipped("needs pdftotext (apt-get install poppler-utils)")
    return readdirSync(join(root, "samples"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".pdf"))
      .toSorted()
      .map((name) => {
        const path = join(root, "samples", name)
        const wanted = spawnSync(TOOL, ["-enc", "UTF-8", path, "-"], {
          encoding: "utf8",
          maxBuffer: 1e8,
        }).stdout
        return { name, input: readFileSync(path), url: "https://samples.example/file.pdf", wanted }
      })
  },
  reader: async (code) => {
    const { readDocument } = await code.load<{ readDocument: ReadDocument }>("page/formats/read-document.ts")
    // The reader gets its own copy of the bytes, since it may transfer them to a thread.
    return async ({ input, url }) => {
      try {
        return await readDocument("pdf", new Uint8Array(input), url, BUDGET_MS)
      } catch (error) {
        return error as Error
      }
    }
  },
  judge: ({ wanted }: { readonly wanted: string }, reading) => {
    const read = reading instanceof Error ? "" : textOf(reading)
    const { recall } = letterOverlap(read, wanted)
    const why = reading instanceof Error ? reading.message : (reading.note ?? "")
    const isEmpty = wanted.trim() === ""
    return {
      score: isEmpty ? 1 : recall,
      isEmpty,
      said: `${(recall * 100).toFixed(0)} % of the letters ${why}`,
    }
  },
  rows: (marks) => {
    const full = marks.filter(({ isEmpty }) => !isEmpty)
    const good = full.filter(({ score }) => score >= GOOD).length
    return [
      {
        of: "files",
        cases: marks.length,
        figures: {
          good: String(good),
          less: String(full.length - good),
          "no text for poppler": String(marks.length - full.length),
        },
      },
    ]
  },
  listBelow: GOOD,
  text: (reading) => (reading instanceof Error ? reading.message : markdownOf(reading)),
})
