import { plainWords } from "./words.ts"

/** A block that shares fewer of the passage's words is another one that speaks of the same. */
const LEAST_SHARED = 0.5

/**
 * Which of a page's blocks a passage stands in: every block that is part of it, or the one that holds it, or the one that
 * shares most of its words. Passages have the words of the page and not its marks, so words are compared.
 * @param blocks texts of the blocks
 */
export function findPassage(blocks: readonly string[], passage: string): ReadonlySet<number> {
  const wanted = plainWords(passage)
  if (wanted.length === 0) return new Set()
  const inOrder = ` ${wanted.join(" ")} `
  const within = new Set<number>()
  let best = -1
  let bestShare = LEAST_SHARED
  const set = new Set(wanted)
  for (const [index, block] of blocks.entries()) {
    const words = plainWords(block)
    const text = ` ${words.join(" ")} `
    if (text.includes(inOrder)) return new Set([index])
    // A heading of one word is in many passages.
    if (words.length > 2 && inOrder.includes(text)) within.add(index)
    const share = new Set(words.filter((word) => set.has(word))).size / set.size
    if (share > bestShare) [best, bestShare] = [index, share]
  }
  if (within.size > 0) return within
  return best < 0 ? new Set() : new Set([best])
}
