import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { Icon } from "../../design/icons.tsx"
import { onDay } from "../../reading/dates.ts"
import { PageLink } from "../../reading/page-link.tsx"
import { type Asked, hasFilters } from "../asked.ts"
import { AskFor } from "./ask-for.tsx"
import type { Found } from "../use-search.ts"

/** Why no result, or no likely one, was found, and what the user can do next. */
export function Nothing({
  asked,
  found,
  onClear,
}: {
  readonly asked: Asked
  readonly found: Found
  readonly onClear: () => void
}) {
  const { miss, coverage, results } = found
  if (miss === undefined && results.length > 0) return null
  const isEmpty = results.length === 0
  const link = miss?.held_as ?? miss?.url
  return (
    <section class="notice nothing" aria-label="Why">
      <Icon name="info" />
      <h2>{isEmpty ? `No results for “${asked.question}”` : `No good match for “${asked.question}”`}</h2>
      {miss && <p>{miss.text}</p>}
      {miss !== undefined && miss.cause === "other-address" && link !== undefined && (
        <p>
          <PageLink to={link}>{link}</PageLink>
        </p>
      )}
      {miss?.others !== undefined && miss.others.length > 0 && (
        <>
          <p>Similar pages that are not in the index:</p>
          <ul>
            {miss.others.map((one) => (
              <li key={one.url ?? one.text}>{one.text}</li>
            ))}
          </ul>
        </>
      )}
      {isEmpty && <Coverage coverage={coverage} />}
      <div class="buttons">
        {hasFilters(asked) && (
          <Button look="primary" icon="filter" onClick={onClear}>
            Search without filters
          </Button>
        )}
        <AskFor key={found.request_id} question={asked.question} url={miss?.url} />
      </div>
    </section>
  )
}

function Coverage({ coverage }: { readonly coverage: Found["coverage"] }) {
  if (coverage === undefined || coverage.sources.length === 0) return null
  return (
    <ul class="coverage" aria-label="What was searched">
      {coverage.sources.map(({ name, pages, complete, complete_as_of: at }) => (
        <li key={name}>
          <b>{name}</b>
          {pages != null && (
            <span>
              {pages.toLocaleString()} {pages === 1 ? "page" : "pages"}
            </span>
          )}
          <Chip tone={complete ? "good" : "warn"} icon={complete ? "check" : "alert"}>
            {complete ? (at == null ? "complete" : `complete as of ${onDay(at)}`) : "not complete"}
          </Chip>
        </li>
      ))}
    </ul>
  )
}

/** A search that failed. */
export function Problem({ text, onAgain }: { readonly text: string; readonly onAgain?: () => void }) {
  return (
    <section class="notice bad" role="alert">
      <Icon name="alert" />
      <h2>The search failed</h2>
      <p>{text}</p>
      {onAgain && (
        <div class="buttons">
          <Button onClick={onAgain}>Try again</Button>
        </div>
      )}
    </section>
  )
}
