import { plainWords } from "../words.ts"

/** A page's passages that have most of the question's words, with their places in the content, from 0; those with most come first. */
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
