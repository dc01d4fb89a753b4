import { plainWords } from "./words.ts"

/** Minimum share of the passage's words: a block with fewer is a different one on the same subject. */
const LEAST_SHARED = 0.5

/** Maximum number of other blocks between two parts of a passage. A part further away is a heading, or the same words elsewhere. */
const MOST_BETWEEN = 2

/**
 * The blocks of a page that a passage is in: every block that is part of it, or the one that contains it, or the one
 * that shares most of its words. Passages have the words of the page but not its marks, so words are compared.
 * @param blocks texts of the blocks
 */
export function findPassage(blocks: readonly string[], passage: string): ReadonlySet<number> {
  const wanted = plainWords(passage)
  if (wanted.length === 0) return new Set()
  const inOrder = ` ${wanted.join(" ")} `
  /** Word counts, by the block's index. */
  const within = new Map<number, number>()
  let best = -1
  let bestShare = LEAST_SHARED
  const set = new Set(wanted)
  for (const [index, block] of blocks.entries()) {
    const words = plainWords(block)
    const text = ` ${words.join(" ")} `
    if (text.includes(inOrder)) return new Set([index])
    // A heading of one or two words is in many passages.
    if (words.length > 2 && inOrder.includes(text)) within.set(index, words.length)
    const share = new Set(words.filter((word) => set.has(word))).size / set.size
    if (share > bestShare) [best, bestShare] = [index, share]
  }
  const near = nearby(within)
  const covered = sum(near)
  // If only the passage's heading matches a whole block, most of its words are part of another block.
  if (best >= 0 && covered < wanted.length / 2) return new Set([best])
  return new Set(near.map(([index]) => index))
}

type Words = readonly (readonly [index: number, words: number])[]

const sum = (blocks: Words): number => blocks.reduce((all, [, words]) => all + words, 0)

/** The group of neighbouring blocks that has the most words. */
function nearby(within: ReadonlyMap<number, number>): Words {
  const groups: [number, number][][] = []
  for (const block of within) {
    const last = groups.at(-1)?.at(-1)
    if (last !== undefined && block[0] - last[0] <= MOST_BETWEEN + 1) groups.at(-1)!.push(block)
    else groups.push([block])
  }
  return groups.reduce<Words>((most, group) => (sum(group) > sum(most) ? group : most), [])
}
