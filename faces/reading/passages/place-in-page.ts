import type { AnswerOf } from "../../../api/client/client.ts"

type Result = Pick<AnswerOf<"POST /search">["results"][number], "url" | "title" | "type" | "section">

/** Where the best passage of a result is: its heading, where that is not the title, and its page or slide; null where neither is known. */
export function placeInWords({ title, type, section }: Result): string | null {
  if (section === undefined) return null
  const { heading, page } = section
  const number = page === undefined ? "" : pageInWords(page, type)
  const isSaid = [title, number].some((said) => said.toLowerCase() === heading?.toLowerCase())
  return [isSaid ? "" : heading, number].filter(Boolean).join(" · ") || null
}

/** Where the link to a result leads: viewers of PDF files open them at a page. A web page is seen from its beginning. */
export const wayIn = ({ url, type, section }: Result): string =>
  type === "pdf" ? (section?.url ?? url) : url

/** `page 12`, `pages 12–13`, `slide 3`. */
function pageInWords(page: string, type: string): string {
  const word = type === "pptx" || type === "odp" ? "slide" : "page"
  return `${word}${page.includes("–") ? "s" : ""} ${page}`
}
