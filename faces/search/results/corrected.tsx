import { linkTo } from "../asked.ts"
import type { Found } from "../use-search.ts"

/** The correction of misspelt words. The results are already for the corrected question; the user sees the correction, and can search for the words as typed. */
export function Corrected({ found: { query, corrected_query: corrected } }: { readonly found: Found }) {
  if (corrected === undefined) return null
  const asWritten = new Set(words(query))
  return (
    <p class="corrected">
      Results for{" "}
      <a href={linkTo(corrected)}>
        {corrected
          .split(/(\s+)/)
          .map((word, index) => (asWritten.has(word) ? word : <b key={index}>{word}</b>))}
      </a>
      <span>
        , because few or no pages contain{" "}
        {quoted(words(query).filter((word) => !words(corrected).includes(word)))}
      </span>
    </p>
  )
}

const words = (text: string): string[] => text.split(/\s+/)

/** Maximum number of misspelt words that are named. */
const MOST = 3
const quoted = (some: readonly string[]): string =>
  some
    .slice(0, MOST)
    .map((word) => `“${word}”`)
    .join(" or ")
