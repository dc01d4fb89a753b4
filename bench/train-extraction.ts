// Learns from judged pages which text blocks are main text:
//   node --max-old-space-size=12000 bench/train-extraction.ts <folder> [--write <file>]
// <folder> is that of bench/extraction.ts. Prints the F1 over blocks of pages that a model has not seen, by five-fold
// cross-validation over sites; --write learns from all pages and writes what crawler/extract/block-model.json holds.
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { canBeJudged, chooseBlocks, kindOf } from "../crawler/extract/block-judge.ts"
import { type FeatureTable, measureBlocks } from "../crawler/extract/block-features.ts"
import { LearnedTokens, readForest, scoreRows, TOKEN_STEP } from "../crawler/extract/block-model.ts"
import { elementTokens, textTokens } from "../crawler/extract/block-tokens.ts"
import type { PageBlocks } from "../crawler/extract/page-blocks.ts"
import type { Box } from "../crawler/extract/text-blocks.ts"
import { labelBlocks, wordsOf } from "./training/block-labels.ts"
import { type Binned, binColumns, trainForest } from "./training/boosted-trees.ts"
import { FOLDS, type JudgedPage, listJudgedPages, openJudgedPage } from "./training/judged-pages.ts"
import { trainLogistic } from "./training/logistic.ts"
import { mean } from "./metrics.ts"

/** Fewer sites than this, and a token tells of a site rather than of the web. */
const MIN_SITES = 8
const MAX_TOKENS = 8000
/** What a word that is not main text counts in a page's size, beside one that is. */
const OTHER_WORDS = 0.3

interface Read {
  readonly page: JudgedPage
  /** Index of its first block among all. */
  readonly start: number
  readonly words: readonly (readonly string[])[]
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "string" } },
})
const [folder] = positionals
if (folder === undefined) {
  console.error("usage: node bench/train-extraction.ts <folder with the unpacked sets> [--write <file>]")
  process.exit(2)
}

const numbers = new Map<string, number>()
const names: string[] = []
const sitesOf: Set<string>[] = []
const rows: Int32Array[] = []
const labels: number[] = []
const weights: number[] = []
const foldOf: number[] = []

const pages = listJudgedPages(folder).flatMap((page): Read[] => {
  const blocks = openJudgedPage(page)
  return canBeJudged(blocks.tree) ? [readPage(page, blocks)] : []
})
console.log(`${pages.length} pages, ${rows.length} blocks, ${names.length} tokens`)

const known = names.map((_, token) => sitesOf[token]!.size >= MIN_SITES)
const knownRows = rows.map((row) => row.filter((token) => known[token]))
// Each page counts the same in the end; for the tokens, long blocks count less than their words.
const meanWeight = mean(weights)
const ofTokens = weights.map((weight) => Math.sqrt(weight / meanWeight))
const ofForest = weights.map((weight) => weight / meanWeight)
const all = [...rows.keys()].filter((i) => weights[i]! > 0)

const tokensByFold = Array.from({ length: FOLDS }, (_, fold) =>
  learnTokens(all.filter((i) => foldOf[i] !== fold)),
)
const tables = pages.map(({ page }) => measure(openJudgedPage(page), tokensByFold[page.fold]!))
const width = tables[0]!.width
const measures = new Float32Array(rows.length * width)
pages.forEach(({ start }, p) => measures.set(tables[p]!.values, start * width))
const data: Binned = binColumns(measures, rows.length, width)

const scores = new Map<string, number[]>()
for (let fold = 0; fold < FOLDS; fold++) {
  const forest = readForest(
    trainForest(
      data,
      labels,
      ofForest,
      all.filter((i) => foldOf[i] !== fold),
    ),
  )
  pages.forEach(({ page, words }, p) => {
    if (page.fold !== fold) return
    const table = tables[p]!
    const chosen = chooseBlocks(table, scoreRows(forest, table.values, table.rows, table.width))
    const f1 = wordF1(words.filter((_, i) => chosen[i] === 1).flat(), wordsOf(page.judged))
    scores.set(page.set, [...(scores.get(page.set) ?? []), f1])
  })
  console.log(`fold ${fold + 1} of ${FOLDS}`)
}
for (const [set, list] of scores)
  console.log(`${set}: F1 ${mean(list).toFixed(4)} over ${list.length} unseen pages`)

if (values.write !== undefined) {
  const tokens: Record<string, string> = {}
  for (const [token, weight] of learnTokens(all)) {
    const steps = String(Math.round(weight / TOKEN_STEP))
    tokens[steps] = tokens[steps] === undefined ? token : `${tokens[steps]}\n${token}`
  }
  const { base, trees } = trainForest(data, labels, ofForest, all)
  const lines = trees.map((tree) => JSON.stringify(tree)).join(",\n")
  writeFileSync(
    values.write,
    `{\n"tokens": ${JSON.stringify(tokens)},\n"forest": {"base": ${base}, "trees": [\n${lines}\n]}\n}\n`,
  )
}

function readPage(page: JudgedPage, { tree, context }: PageBlocks): Read {
  const start = rows.length
  const kind = kindOf(context.signs)
  const words = tree.blocks.map(({ text }) => wordsOf(text))
  const judged = wordsOf(page.judged).length
  const size = Math.max(50, judged) + OTHER_WORDS * words.reduce((sum, { length }) => sum + length, 0)
  const remembered = new Map<Box, number[]>()
  const shares = labelBlocks(words, page.judged)
  let heading: number[] = []
  tree.blocks.forEach(({ box, text }, i) => {
    if (/^h[1-6]$/.test(box.element.tag))
      heading = textTokens(text, "h").map((token) => numberOf(token, page.site))
    const row = textTokens(text, "w").map((token) => numberOf(token, page.site))
    for (let around: Box | null = box; around; around = around.parent) {
      let own = remembered.get(around)
      if (!own) {
        own = elementTokens(around.element).flatMap((token) => [
          numberOf(token, page.site),
          numberOf(kind + token, page.site),
        ])
        remembered.set(around, own)
      }
      row.push(...own)
    }
    rows.push(Int32Array.from([...row, ...heading]))
    labels.push(shares[i]!)
    weights.push(judged === 0 ? 0 : Math.max(OTHER_WORDS, words[i]!.length) / size)
    foldOf.push(page.fold)
  })
  return { page, start, words }
}

function numberOf(token: string, site: string): number {
  let number = numbers.get(token)
  if (number === undefined) {
    number = names.length
    numbers.set(token, number)
    names.push(token)
    sitesOf.push(new Set())
  }
  const sites = sitesOf[number]!
  if (sites.size < MIN_SITES) sites.add(site)
  return number
}

/** The weights of the tokens that matter most, in steps of {@link TOKEN_STEP}. */
function learnTokens(used: readonly number[]): Map<string, number> {
  const theta = trainLogistic(knownRows, labels, ofTokens, used, names.length)
  const weightOf = new Float64Array(names.length)
  for (const i of used) for (const token of knownRows[i]!) weightOf[token]! += weights[i]!
  const matters = (token: number) => Math.abs(theta[token]!) * Math.sqrt(weightOf[token]!)
  const order = [...theta.keys()].filter((token) => known[token]).sort((a, b) => matters(b) - matters(a))
  const learned = new Map<string, number>()
  for (const token of order.slice(0, MAX_TOKENS)) {
    const weight = Math.round(theta[token]! / TOKEN_STEP) * TOKEN_STEP
    if (weight !== 0) learned.set(names[token]!, weight)
  }
  return learned
}

function measure({ tree, rules, context }: PageBlocks, tokens: ReadonlyMap<string, number>): FeatureTable {
  return measureBlocks(tree, rules, new LearnedTokens(tokens, kindOf(context.signs), new Map()), context)
}

function wordF1(predicted: readonly string[], judged: readonly string[]): number {
  if (predicted.length === 0 || judged.length === 0) return predicted.length === judged.length ? 1 : 0
  const left = new Map<string, number>()
  for (const word of judged) left.set(word, (left.get(word) ?? 0) + 1)
  let common = 0
  for (const word of predicted) {
    const count = left.get(word) ?? 0
    if (count === 0) continue
    common++
    left.set(word, count - 1)
  }
  return (2 * common) / (predicted.length + judged.length)
}
