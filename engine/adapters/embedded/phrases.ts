import type { StoredPage } from "./schema.ts"
import { passagesOf } from "./schema.ts"

/** Whether every phrase stands in the page's title or text, ignoring case, white space and markdown's marks. */
export function holdsPhrases(
  page: Pick<StoredPage, "title" | "markdown" | "passages">,
  phrases: readonly string[],
): boolean {
  const plain = passagesOf(page).flatMap(({ headings, text }) => [headings.at(-1) ?? "", text])
  const texts = [page.title, page.markdown, plain.join(" "), ...plain].map(comparable)
  return phrases.map(comparable).every((phrase) => texts.some((text) => text.includes(phrase)))
}

const comparable = (text: string) => text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim()
