import { type FeatureTable, measureBlocks, type PageContext } from "./block-features.ts"
import { learned, scoreRows } from "./block-model.ts"
import { evenOut } from "./even-out.ts"
import type { MainContent } from "./main-content.ts"
import type { PageSigns } from "./page-signs.ts"
import type { BlockTree } from "./text-blocks.ts"

// Less is too little to judge by, and more than any page that one would want to read block by block.
const MIN_WORDS = 20
const MAX_BLOCKS = 20_000

export function canBeJudged({ blocks }: BlockTree): boolean {
  if (blocks.length > MAX_BLOCKS) return false
  let words = 0
  for (const { text } of blocks) {
    words += text.length > 200 ? MIN_WORDS : text.split(" ").length
    if (words >= MIN_WORDS) return true
  }
  return false
}

/** Which of a page's text blocks are main text: one for those to keep. */
export function judgeBlocks(tree: BlockTree, content: MainContent, context: PageContext): Uint8Array {
  const table = measureBlocks(tree, content, learned.tokens(kindOf(context.signs)), context)
  const scores = scoreRows(learned.forest, table.values, table.rows, table.width)
  const chosen = chooseBlocks(table, scores)
  evenOut(tree, chosen, table)
  return chosen
}

/** Which blocks to keep, by their log odds to be main text. */
export function chooseBlocks(table: FeatureTable, scores: Float64Array): Uint8Array {
  const likely = scores.map((score) => 1 / (1 + Math.exp(-score)))
  const least = leastLikelihood(likely, table.words)
  return Uint8Array.from(likely, (p, i) => {
    const doubted = !table.kept[i] && table.words[i]! > LONG_WORDS
    return p >= (doubted ? Math.max(DOUBTED_SHARE, least) : least) ? 1 : 0
  })
}

// A long text that the rules left out is often the article a second time, or the next one.
const LONG_WORDS = 250
const DOUBTED_SHARE = 0.7

/** The first letter of what the tokens of a page of this kind are filed under. */
export function kindOf(signs: PageSigns): string {
  return signs.isArticle ? "A" : signs.isDiscussion ? "D" : signs.isShop ? "S" : "O"
}

/**
 * How likely a block must be: half of the best F1 that can be expected of the page (Lipton, Elkan and Narayanaswamy,
 * "Optimal thresholding of classifiers to maximize F1 measure", 2014).
 */
function leastLikelihood(likely: Float64Array, words: ArrayLike<number>): number {
  const order = Array.from(likely, (_, i) => i).sort((a, b) => likely[b]! - likely[a]!)
  let expected = 0
  for (let i = 0; i < likely.length; i++) expected += likely[i]! * words[i]!
  let hits = 0
  let kept = 0
  let best = 0
  for (const i of order) {
    hits += likely[i]! * words[i]!
    kept += words[i]!
    best = Math.max(best, (2 * hits) / (kept + expected))
  }
  return best / 2
}
