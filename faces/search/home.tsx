import { useEffect, useState } from "preact/hooks"

import type { AnswerOf } from "../../api/client/client.ts"
import { since } from "../reading/dates.ts"
import { addressOf, appliance } from "../session/appliance.ts"

/** Maximum number of sources listed before the first question. */
const MOST_SOURCES = 8

const pagesOf = (count: number): string => `${count.toLocaleString()} ${count === 1 ? "page" : "pages"}`

interface Found {
  readonly known: AnswerOf<"GET /sources"> | null
  /** Whether no crawl has ever run. */
  readonly isNew: boolean
}

/** What there is to search, shown before the first question. */
export function Home({ isAdmin }: { readonly isAdmin: boolean }) {
  const [{ known, isNew }, setFound] = useState<Found>({ known: null, isNew: false })
  useEffect(() => {
    const given = new AbortController()
    const { signal } = given
    // The box works without the sources. They are shown together, because late content would push the rest down.
    const look = async () => {
      const [sources, about] = await Promise.all([
        appliance.call("GET /sources", { signal }).catch(() => null),
        isAdmin ? appliance.call("GET /admin/appliance", { signal }).catch(() => null) : null,
      ])
      if (!signal.aborted) setFound({ known: sources, isNew: about?.is_new ?? false })
    }
    void look()
    return () => given.abort()
  }, [isAdmin])
  const sources = known?.sources ?? []
  const pages = sources.reduce((sum, source) => sum + (source.pages ?? 0), 0)
  return (
    <main id="content" class="welcome" tabIndex={-1}>
      <h1 class="unseen">Search</h1>
      {isNew && (
        <section class="begin" aria-labelledby="begin">
          <h2 id="begin">No site has been added yet</h2>
          <p>Add your first site. You can search the first pages here while the rest are still being read.</p>
          <p>
            <a class="button primary" href={addressOf("console")}>
              Set it up
            </a>
          </p>
        </section>
      )}
      {known?.about != null && <p class="about">{known.about}</p>}
      {sources.length > 1 && (
        <p class="quiet">
          {pagesOf(pages)} from {sources.length} sources
        </p>
      )}
      <ul class="sources" aria-label="Sources">
        {sources.slice(0, MOST_SOURCES).map(({ name, pages: count, checked_at: checked }) => (
          <li key={name}>
            <b>{name}</b>
            {count !== null && <span>{pagesOf(count)}</span>}
            {checked !== null && <span>checked {since(checked)}</span>}
          </li>
        ))}
      </ul>
      <p class="quiet keys">
        <span class="hints">
          <kbd>/</kbd> to search · <kbd>↑</kbd> <kbd>↓</kbd> to move through results ·{" "}
        </span>
        <a href={addressOf("docs/")}>Handbook</a>
      </p>
    </main>
  )
}
