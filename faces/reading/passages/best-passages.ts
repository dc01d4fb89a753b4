import { plainWords } from "../words.ts"

/** The passages of a page with the most words of the question, with their positions in the content, from 0; best first. */
export function bestPassages(
  content: string,
  wanted: ReadonlySet<string>,
  count: number,
): { readonly text: string; readonly at: number }[] {
  const passages = content.split(" [...] ").map((text, at) => ({
    text,
    at,
    hits: new Set(plainWords(text).filter((word) => wanted.has(word))).size,
  }))
  return passages
    .sort((one, other) => other.hits - one.hits || one.at - other.at)
    .slice(0, count)
    .map(({ text, at }) => ({ text, at }))
}
