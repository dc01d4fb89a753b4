// Main-text extraction against judged pages:
//   node bench/quality/extraction.ts <folder> [--predictions <file>] [--pages]
// <folder> holds one folder a set, each with html/<id>.html and truth.json {id: {articleBody, url?, type?, with?, without?}}.
// Prints F1 by set and page kind, and milliseconds a page on one thread.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { extractHtml, toPlainText } from "#crawler/page/extract/extract.ts"

interface Judged {
  readonly articleBody: string
  readonly url?: string
  readonly type?: string
  readonly with?: readonly string[] | null
  readonly without?: readonly string[] | null
}

interface Row {
  readonly id: string
  readonly kind: string
  readonly precision: number
  readonly recall: number
  readonly f1: number
  readonly kept: number
  readonly slipped: number
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])
    counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Precision, recall and F1 over the multiset of words. */
function compareWords(predicted: string, judged: string): { precision: number; recall: number; f1: number } {
  const p = countWords(predicted)
  const t = countWords(judged)
  const total = (counts: Map<string, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0)
  if (p.size === 0 || t.size === 0) {
    const both = p.size === t.size ? 1 : 0
    return { precision: both, recall: both, f1: both }
  }
  let common = 0
  for (const [word, n] of p) common += Math.min(n, t.get(word) ?? 0)
  const precision = common / total(p)
  const recall = common / total(t)
  return { precision, recall, f1: common === 0 ? 0 : (2 * precision * recall) / (precision + recall) }
}

function share(snippets: readonly string[] | null | undefined, text: string, empty: number): number {
  if (!snippets || snippets.length === 0) return empty
  return snippets.filter((snippet) => text.includes(snippet.toLowerCase())).length / snippets.length
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0
}

function measureSet(folder: string): { rows: Row[]; times: number[]; predictions: Record<string, unknown> } {
  const truth = JSON.parse(readFileSync(join(folder, "truth.json"), "utf8")) as Record<string, Judged>
  const rows: Row[] = []
  const times: number[] = []
  const predictions: Record<string, unknown> = {}
  for (const [id, judged] of Object.entries(truth)) {
    const html = readFileSync(join(folder, "html", `${id}.html`), "utf8")
    const started = performance.now()
    const { markdown } = extractHtml(html, judged.url ?? "https://example.org/")
    times.push(performance.now() - started)
    const text = toPlainText(markdown)
    predictions[id] = { articleBody: text }
    rows.push({
      id,
      kind: judged.type ?? "article",
      ...compareWords(text, judged.articleBody),
      kept: share(judged.with, text.toLowerCase(), 1),
      slipped: share(judged.without, text.toLowerCase(), 0),
    })
  }
  return { rows, times: times.toSorted((a, b) => a - b), predictions }
}

function printRow(name: string, rows: readonly Row[], times?: readonly number[]): void {
  const figure = (value: (row: Row) => number) => mean(rows.map(value)).toFixed(3)
  const ms = times ? `${quantile(times, 0.5).toFixed(1)} | ${quantile(times, 0.95).toFixed(1)}` : " | "
  console.log(
    `| ${name} | ${rows.length} | ${figure((r) => r.f1)} | ${figure((r) => r.precision)} | ` +
      `${figure((r) => r.recall)} | ${figure((r) => r.kept)} | ${figure((r) => r.slipped)} | ${ms} |`,
  )
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { predictions: { type: "string" }, pages: { type: "boolean", default: false } },
})
const [root] = positionals
if (root === undefined || !existsSync(root)) {
  console.error(
    "usage: node bench/quality/extraction.ts <folder with the unpacked sets> [--predictions <file>] [--pages]",
  )
  process.exit(2)
}
const sets = existsSync(join(root, "truth.json"))
  ? [root]
  : readdirSync(root)
      .filter((name) => existsSync(join(root, name, "truth.json")))
      .map((name) => join(root, name))

console.log("| pages | n | F1 | precision | recall | with | without | ms median | ms p95 |")
console.log("|---|---|---|---|---|---|---|---|---|")
for (const folder of sets) {
  const { rows, times, predictions } = measureSet(folder)
  printRow(`**${folder.split("/").at(-1)}**`, rows, times)
  const kinds = [...new Set(rows.map((row) => row.kind))].toSorted()
  if (kinds.length > 1)
    for (const kind of kinds)
      printRow(
        kind,
        rows.filter((row) => row.kind === kind),
      )
  if (values.predictions !== undefined)
    writeFileSync(`${values.predictions}.${folder.split("/").at(-1)}.json`, JSON.stringify(predictions))
  if (values.pages)
    for (const row of rows.toSorted((a, b) => a.f1 - b.f1))
      console.log(
        `${row.id} ${row.kind} F1 ${row.f1.toFixed(3)} P ${row.precision.toFixed(3)} R ${row.recall.toFixed(3)}`,
      )
}
