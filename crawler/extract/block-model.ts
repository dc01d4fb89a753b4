import stored from "./block-model.json" with { type: "json" }
import { elementTokens, namesOf, textTokens } from "./block-tokens.ts"
import type { TokenSums } from "./block-features.ts"
import type { Element } from "./tree.ts"

/** Decision trees whose leaves are summed, node after node: an inner node's left branch is the next node. */
export interface Forest {
  readonly base: number
  readonly roots: Int32Array
  /** Below zero at a leaf. */
  readonly features: Int16Array
  /** What goes left is below it; a leaf's value. */
  readonly numbers: Float32Array
  readonly rights: Int32Array
}

/** A forest as it is stored: `[feature, number, …]` in the order of a walk, `-1` for leaves. */
export interface StoredForest {
  readonly base: number
  readonly trees: readonly (readonly number[])[]
}

const LEAF = -1

export function readForest(stored: StoredForest): Forest {
  const count = stored.trees.reduce((sum, tree) => sum + tree.length / 2, 0)
  const roots = new Int32Array(stored.trees.length)
  const features = new Int16Array(count)
  const numbers = new Float32Array(count)
  const rights = new Int32Array(count)
  let at = 0
  stored.trees.forEach((tree, t) => {
    roots[t] = at
    let i = 0
    const read = (): void => {
      const node = at++
      features[node] = tree[i++]!
      numbers[node] = tree[i++]!
      if (features[node] === LEAF) return
      read()
      rights[node] = at
      read()
    }
    read()
  })
  return { base: stored.base, roots, features, numbers, rights }
}

/** The log odds that each row is main text. */
export function scoreRows(forest: Forest, values: Float32Array, rows: number, width: number): Float64Array {
  const { roots, features, numbers, rights } = forest
  const scores = new Float64Array(rows).fill(forest.base)
  // Tree by tree, so that one tree's nodes stay in the processor's cache.
  for (const root of roots)
    for (let i = 0, at = 0; i < rows; i++, at += width) {
      let node = root
      for (let feature = features[node]!; feature >= 0; feature = features[node]!)
        node = values[at + feature]! < numbers[node]! ? node + 1 : rights[node]!
      scores[i]! += numbers[node]!
    }
  return scores
}

export const TOKEN_STEP = 0.05
const MAX_REMEMBERED = 5000

/** Sums the learned weights of tokens; an element's are remembered, as its names repeat all over a site. */
export class LearnedTokens implements TokenSums {
  readonly #weights: ReadonlyMap<string, number>
  readonly #kind: string
  readonly #remembered: Map<string, number>

  constructor(weights: ReadonlyMap<string, number>, kind: string, remembered: Map<string, number>) {
    this.#weights = weights
    this.#kind = kind
    this.#remembered = remembered
  }

  element(element: Element): number {
    const key = `${this.#kind}${element.tag}|${element.get("role") ?? ""}|${element.get("itemprop") ?? ""}|${namesOf(element)}`
    const known = this.#remembered.get(key)
    if (known !== undefined) return known
    let sum = 0
    for (const token of elementTokens(element))
      sum += (this.#weights.get(token) ?? 0) + (this.#weights.get(this.#kind + token) ?? 0)
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear()
    this.#remembered.set(key, sum)
    return sum
  }

  text(text: string): number {
    return this.#sum(textTokens(text, "w"))
  }

  heading(text: string): number {
    return this.#sum(textTokens(text, "h"))
  }

  #sum(tokens: readonly string[]): number {
    let sum = 0
    for (const token of tokens) sum += this.#weights.get(token) ?? 0
    return sum
  }
}

/** Stored as `{weight in steps: "token\ntoken…"}`. */
export function readTokenWeights(stored: Readonly<Record<string, string>>): Map<string, number> {
  const weights = new Map<string, number>()
  for (const [steps, tokens] of Object.entries(stored))
    for (const token of tokens.split("\n")) weights.set(token, Number(steps) * TOKEN_STEP)
  return weights
}

const weights = readTokenWeights(stored.tokens)
const remembered = new Map<string, number>()

export const learned = {
  forest: readForest(stored.forest),
  tokens: (kind: string) => new LearnedTokens(weights, kind, remembered),
}
