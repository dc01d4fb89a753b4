/** The words of a text, as the measure of extraction counts them. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
}

const LONG = 6

/**
 * The share of each block's words that the judged text holds, every word of it given away once. Long blocks take
 * what they share three words in a row of; short ones must be found together with their neighbours, or as a line.
 */
export function labelBlocks(blocks: readonly (readonly string[])[], judged: string): Float64Array {
  const truth = wordsOf(judged)
  const left = countOf(truth)
  const triples = new Set(triplesOf(truth))
  const lines = countOf(judged.split("\n").map((line) => wordsOf(line).join(" ")))
  const shares = new Float64Array(blocks.length)
  const take = (words: readonly string[]) => {
    let taken = 0
    for (const word of words) {
      const count = left.get(word) ?? 0
      if (count === 0) continue
      left.set(word, count - 1)
      taken++
    }
    return taken
  }
  const shared = (words: readonly string[]) => {
    const found = new Uint8Array(words.length)
    triplesOf(words).forEach((triple, i) => {
      if (triples.has(triple)) found[i] = found[i + 1] = found[i + 2] = 1
    })
    return found
  }

  const open: number[] = []
  blocks.forEach((words, i) => {
    if (words.length < LONG) {
      if (words.length > 0) open.push(i)
      return
    }
    const found = shared(words)
    shares[i] = take(words.filter((_, k) => found[k])) / words.length
  })
  const alone: number[] = []
  for (const i of open) {
    const words = blocks[i]!
    const before = wordsBefore(blocks, i)
    const after = wordsAfter(blocks, i)
    const found = shared([...before, ...words, ...after])
    const own = found.subarray(before.length, before.length + words.length)
    const beside = found[before.length - 1] === 1 || found[before.length + words.length] === 1
    if (own.every((value) => value === 1) && (beside || words.length > 2))
      shares[i] = take(words) / words.length
    else alone.push(i)
  }
  for (const i of alone) {
    const line = blocks[i]!.join(" ")
    const count = lines.get(line) ?? 0
    if (count === 0 || !blocks[i]!.every((word) => (left.get(word) ?? 0) > 0)) continue
    lines.set(line, count - 1)
    shares[i] = take(blocks[i]!) / blocks[i]!.length
  }
  return shares
}

function triplesOf(words: readonly string[]): string[] {
  return words.slice(2).map((word, i) => `${words[i]} ${words[i + 1]} ${word}`)
}

function countOf(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}

function wordsBefore(blocks: readonly (readonly string[])[], at: number): string[] {
  const found: string[] = []
  for (let i = at - 1; i >= 0 && found.length < 2; i--) found.unshift(...blocks[i]!.slice(-2))
  return found.slice(-2)
}

function wordsAfter(blocks: readonly (readonly string[])[], at: number): string[] {
  const found: string[] = []
  for (let i = at + 1; i < blocks.length && found.length < 2; i++) found.push(...blocks[i]!.slice(0, 2))
  return found.slice(0, 2)
}
