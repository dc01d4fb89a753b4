import type { AnswerOf } from "../../../api/client/client.ts"
import { Chip } from "../../design/chip.tsx"
import { PageLink } from "../../reading/page-link.tsx"
import { languageName } from "../../reading/languages.ts"
import { Link } from "../link.tsx"
import { kindOf, shownOutcome } from "../run/outcomes.ts"
import { counted, whole } from "../words.ts"

type Page = AnswerOf<"POST /admin/sources/propose">["pages"][number]

const isGood = ({ outcome }: Page): boolean => outcome === "indexed" || outcome === "unchanged"

/** A few pages as a run would index them: their results, titles, and the beginning of their text. */
export function PagesRead({ pages }: { readonly pages: readonly Page[] }) {
  return (
    <ol class="pages-read" aria-label={`${counted(pages.length, "page")} as Fossick reads them`}>
      {pages.map((page) => (
        <li key={page.url}>
          <p class="title">
            <b>{page.title ?? (isGood(page) ? "Untitled" : "Not read")}</b>
            {isGood(page) ? (
              <Chip tone="good" icon="check">
                Readable
              </Chip>
            ) : (
              <Chip tone={kindOf(page.outcome) === "failed" ? "bad" : "warn"} icon="alert">
                {shownOutcome(page.outcome)}
              </Chip>
            )}
          </p>
          <p class="address">
            <PageLink to={page.url} isApart>
              {page.url}
            </PageLink>
            <Link to={{ view: "page", url: page.url, query: null }}>Inspect</Link>
          </p>
          {page.detail !== null && <p class="small">{page.detail}</p>}
          {page.text !== null && <p class="text">{page.text}</p>}
          {isGood(page) && (
            <p class="small">
              {whole(page.characters)} characters
              {page.language !== null && `, in ${languageName(page.language)}`}
            </p>
          )}
        </li>
      ))}
    </ol>
  )
}
