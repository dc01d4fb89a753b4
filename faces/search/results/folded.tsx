import { languageName } from "../../reading/languages.ts"
import { PageLink } from "../../reading/page-link.tsx"
import type { Result } from "../use-search.ts"

/** Links to pages with the same text as this one: its translations, its other versions, and copies of it elsewhere. */
export function Folded({
  result: { translations = [], versions = [], copies = [] },
}: {
  readonly result: Result
}) {
  return (
    <>
      {translations.map(({ url, language }) => (
        <PageLink key={url} to={url}>
          {language === null ? "In another language" : `In ${languageName(language)}`}
        </PageLink>
      ))}
      <Others
        pages={versions}
        name={versions.length === 1 ? "1 other version" : `${versions.length} other versions`}
      />
      <Others
        pages={copies}
        name={copies.length === 1 ? "1 copy elsewhere" : `${copies.length} copies elsewhere`}
      />
    </>
  )
}

const Others = ({
  pages,
  name,
}: {
  readonly pages: readonly { readonly url: string }[]
  readonly name: string
}) =>
  pages.length === 0 ? null : (
    <details class="copies">
      <summary>{name}</summary>
      <ul>
        {pages.map(({ url }) => (
          <li key={url}>
            <PageLink to={url}>{url}</PageLink>
          </li>
        ))}
      </ul>
    </details>
  )
