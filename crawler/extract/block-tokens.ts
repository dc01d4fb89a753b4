import type { Element } from "./tree.ts"

/** Weights of words, by {@link elementTokens} and {@link textTokens}. What is not listed weighs nothing. */
export type TokenWeights = ReadonlyMap<string, number>

/** What an element's tag, role and names say, each as one token. */
export function elementTokens(element: Element): string[] {
  const tokens = [`t:${element.tag}`]
  const role = element.get("role")
  if (role) tokens.push(`r:${role.slice(0, 20)}`)
  const property = element.get("itemprop")
  if (property) tokens.push(`p:${property.slice(0, 20)}`)
  const names = namesOf(element)
  if (names.length > 2)
    for (const word of new Set(
      names
        .replace(/([a-z])([A-Z])/g, "$1 $2")
        .toLowerCase()
        .split(/[^a-z]+/),
    ))
      if (word.length >= 2 && word.length <= 16) tokens.push(`c:${word}`)
  return tokens
}

export function namesOf(element: Element): string {
  const names = `${element.get("class") ?? ""} ${element.get("id") ?? ""}`
  return names.length > 300 ? names.slice(0, 300) : names
}

const MAX_TEXT_CHARS = 120

/** The first words of a text, pairs of them, and a short text as a whole; figures count as one digit. */
export function textTokens(text: string, prefix: string): string[] {
  const words =
    text
      .slice(0, MAX_TEXT_CHARS)
      .toLowerCase()
      .match(/\p{L}+|\p{N}+|[$€£¥%|©»›→•★:?]/gu) ?? []
  const tokens: string[] = []
  for (let i = 0; i < words.length && i < 12; i++) if (/^\p{N}/u.test(words[i]!)) words[i] = "0"
  for (let i = 0; i < words.length && i < 12; i++) {
    tokens.push(`${prefix}:${words[i]}`)
    if (i < 4 && i + 1 < words.length) tokens.push(`${prefix}:${words[i]} ${words[i + 1]}`)
  }
  if (words.length > 0) tokens.push(`${prefix}^${words[0]}`)
  if (words.length > 0 && words.length <= 5) tokens.push(`${prefix}=${words.join(" ")}`)
  return tokens
}
