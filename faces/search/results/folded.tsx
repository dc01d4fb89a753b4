import { languageName } from "../../reading/languages.ts"
import { PageLink } from "../../reading/page-link.tsx"
import type { Result } from "../use-search.ts"

/** Pages that stand behind this one, as they say the same: its translations by their language, and copies of it elsewhere. */
export function Folded({ result: { translations = [], copies = [] } }: { readonly result: Result }) {
  return (
    <>
      {translations.map(({ url, language }) => (
        <PageLink key={url} to={url}>
          {language === null ? "In another language" : `In ${languageName(language)}`}
        </PageLink>
      ))}
      {copies.length > 0 && (
        <details class="copies">
          <summary>{copies.length === 1 ? "1 copy elsewhere" : `${copies.length} copies elsewhere`}</summary>
          <ul>
            {copies.map(({ url }) => (
              <li key={url}>
                <PageLink to={url}>{url}</PageLink>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
