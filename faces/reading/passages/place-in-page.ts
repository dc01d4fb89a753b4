import type { AnswerOf } from "../../../api/client/client.ts"

type Result = Pick<
  AnswerOf<"POST /search">["results"][number],
  "url" | "title" | "type" | "section" | "pages"
>

/** A passage's place, in words, and the address that links to it. */
export interface Place {
  readonly text: string
  readonly to: string | undefined
}

/**
 * The place of a result's passage: its page or slide, and the heading, unless that is the title; null if neither is
 * known.
 *
 * @param at position of the passage in the content, from 0; the heading is only known for the best passage
 */
export function placeOf({ title, type, section, pages }: Result, at: number): Place | null {
  const own = pages?.[at]
  const isBest = own === undefined || own.page === section?.page
  const { page, url } = isBest ? (section ?? {}) : own
  const heading = isBest ? section?.heading : null
  const number = page === undefined ? "" : pageInWords(page, type)
  const isSaid = [title, number].some((said) => said.toLowerCase() === heading?.toLowerCase())
  const text = [isSaid ? "" : heading, number].filter(Boolean).join(" · ")
  return text === "" ? null : { text, to: url }
}

/**
 * The address that a result links to. A PDF opens at the page of its best passage if that is shown, otherwise at the
 * page of the first one shown; a web page opens at the top.
 *
 * @param shown places of the passages that are shown
 */
export function wayIn({ url, type, section }: Result, shown: readonly (Place | null)[] = []): string {
  if (type !== "pdf") return url
  const best = section?.url
  const [first] = shown
  return (shown.some((place) => place?.to === best) ? best : (first?.to ?? best)) ?? url
}

/** `page 12`, `pages 12–13`, `slide 3`. */
function pageInWords(page: string, type: string): string {
  const word = type === "pptx" || type === "odp" ? "slide" : "page"
  return `${word}${page.includes("–") ? "s" : ""} ${page}`
}
