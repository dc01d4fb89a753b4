import { toPassages } from "#engine/text/passages.ts"
import { documentationPages } from "../corpora/documentation-pages.ts"
import { DOCUMENTATION_QUESTIONS } from "./question-sets.ts"
import { chance } from "#base/testing/chance.ts"

/** Questions about the manuals, then stretches of 4 to 10 words from random passages, all different. */
export async function searchQuestions(count: number): Promise<string[]> {
  pool ??= await textPool()
  return stretchesOf(
    pool,
    count,
    DOCUMENTATION_QUESTIONS.map(({ text }) => text),
  )
}

/** The `first` questions, then stretches of 4 to 10 words from random texts of the pool, `count` in all and all different. */
export function stretchesOf(pool: readonly string[], count: number, first: readonly string[] = []): string[] {
  const random = chance(7).next
  const found = new Set(first)
  while (found.size < count) {
    const words = (pool[Math.floor(random() * pool.length)] ?? "").match(/[\p{L}\p{N}_]{2,}/gu) ?? []
    const length = 4 + Math.floor(random() * 7)
    if (words.length < length) continue
    const from = Math.floor(random() * (words.length - length))
    found.add(words.slice(from, from + length).join(" "))
  }
  return [...found]
}

let pool: string[] | null = null

async function textPool(): Promise<string[]> {
  const texts: string[] = []
  for await (const page of documentationPages(10)) {
    for (const { text } of toPassages(page.markdown)) texts.push(text)
  }
  return texts
}
