import type { FeatureTable } from "./block-features.ts"
import { isAdmonition } from "./boilerplate.ts"
import type { BlockTree, Box } from "./text-blocks.ts"

/** Where this share of the words is of one mind, the rest follows. */
const MAJORITY = 0.85
const MIN_BLOCKS = 3
const HEADING = /^h[1-6]$/
const SERIES = new Set(["ul", "ol", "dl", "menu", "table", "tbody"])

/**
 * Makes the choice of blocks one that can be read: a list or table nearly all of which is kept or left out is so as
 * a whole, a note goes with the text it follows, and a heading that the rules kept with the text it leads.
 */
export function evenOut(
  { root, blocks }: BlockTree,
  chosen: Uint8Array,
  { words, kept: byRules }: Pick<FeatureTable, "words" | "kept">,
): void {
  const visit = (box: Box): void => {
    for (const child of box.children) visit(child)
    const { start, end, element } = box
    if (SERIES.has(element.tag) && end - start >= MIN_BLOCKS) {
      let all = 0
      let kept = 0
      for (let i = start; i < end; i++) {
        all += words[i]!
        if (chosen[i]) kept += words[i]!
      }
      if (kept >= MAJORITY * all) chosen.fill(1, start, end)
      else if (kept <= (1 - MAJORITY) * all) chosen.fill(0, start, end)
    } else if (start > 0 && end > start && isAdmonition(element)) chosen.fill(chosen[start - 1]!, start, end)
  }
  visit(root)
  // From the end: whether any text of the section below is kept. A heading right above another leads the same text.
  let leads = false
  let ended = false
  for (let i = blocks.length - 1; i >= 0; i--) {
    if (HEADING.test(blocks[i]!.box.element.tag)) {
      if (leads && byRules[i]! > 0) chosen[i] = 1
      ended = true
    } else {
      leads = (leads && !ended) || chosen[i] === 1
      ended = false
    }
  }
}
