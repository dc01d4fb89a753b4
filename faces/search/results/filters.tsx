import { Button } from "../../design/button.tsx"
import { type Asked, type Filter, FILTERS, hasFilters, toggled } from "../asked.ts"
import { languageName } from "../../reading/languages.ts"
import { formatOf } from "../../reading/passages/page-formats.ts"
import type { Facet } from "../use-search.ts"

const HEADINGS: Readonly<Record<Filter, string>> = {
  source: "Source",
  domain: "Site",
  path: "Folder",
  version: "Version",
  type: "Format",
  topic: "Topic",
  language: "Language",
  published: "Published",
}

/** Maximum number of values shown per field; rarer ones can be found by including them in the question. */
const MOST_VALUES = 8

/** The name people use for a value. */
export function valueName(name: Filter, value: string): string {
  if (name === "type") return formatOf(value).name
  if (name === "topic") return TOPICS[value] ?? value
  if (name === "path") return value.replace(/^\/\//, "")
  return name === "language" ? languageName(value) : value
}

const TOPICS: Readonly<Record<string, string>> = { news: "News", finance: "Finance" }

/** The facets that can narrow the results down, with the number of pages for each. */
export function Filters({
  asked,
  facets,
  onChange,
}: {
  readonly asked: Asked
  readonly facets: readonly Facet[]
  readonly onChange: (filters: Asked["filters"]) => void
}) {
  const groups = FILTERS.map((name) => ({ name, values: valuesOf(name, asked, facets) }))
  const shown = groups.filter(({ name, values }) => values.length > 1 || asked.filters[name].length > 0)
  if (shown.length === 0) return null
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      {shown.flatMap(groupsOf).map(({ name, site, values }) => (
        <fieldset key={`${name} ${site}`}>
          <legend>{site === "" ? HEADINGS[name] : `${HEADINGS[name]} on ${site}`}</legend>
          {values.map(({ value, count }) => (
            <label key={value}>
              <input
                type="checkbox"
                checked={asked.filters[name].includes(value)}
                onChange={() => onChange(toggled(asked.filters, name, value))}
              />
              <span title={valueName(name, value)}>
                {site === "" ? valueName(name, value) : value.slice(site.length + 2)}
              </span>
              {count !== null && <small>{count}</small>}
            </label>
          ))}
        </fieldset>
      ))}
    </form>
  )
}

/** Folders grouped by site if they include its name; all other values as they are. */
function groupsOf({ name, values }: { readonly name: Filter; readonly values: readonly Value[] }) {
  const siteOf = ({ value }: Value) => (name === "path" ? (/^\/\/([^/]+)/.exec(value)?.[1] ?? "") : "")
  return Array.from(Map.groupBy(values, siteOf), ([site, some]) => ({ name, site, values: some }))
}

interface Value {
  readonly value: string
  /** Null if the count isn't known. */
  readonly count: string | null
}

/** The most frequent values, and the chosen ones even if no page has them. */
function valuesOf(name: Filter, asked: Asked, facets: readonly Facet[]): readonly Value[] {
  const facet = facets.find(({ field }) => field === name)
  // If not all pages were counted, the count is a minimum.
  const more = facet?.exact === false ? "+" : ""
  const all = (facet?.values ?? []).map(({ value, count }) => ({
    value,
    count: `${count.toLocaleString()}${more}`,
  }))
  const chosen = asked.filters[name].filter((value) => !all.some((one) => one.value === value))
  return [
    ...chosen.map((value) => ({ value, count: null })),
    ...all.filter(({ value }, index) => index < MOST_VALUES || asked.filters[name].includes(value)),
  ]
}

/** The current choices, each with a way to remove it. */
export function Chosen({
  asked,
  onChange,
}: {
  readonly asked: Asked
  readonly onChange: (filters: Asked["filters"]) => void
}) {
  if (!hasFilters(asked)) return null
  return (
    <ul class="chosen" aria-label="Chosen filters">
      {FILTERS.flatMap((name) =>
        asked.filters[name].map((value) => (
          <li key={`${name} ${value}`}>
            <Button
              icon="close"
              class="chip accent"
              title={`Remove the filter: ${HEADINGS[name]} ${valueName(name, value)}`}
              onClick={() => onChange(toggled(asked.filters, name, value))}
            >
              {valueName(name, value)}
            </Button>
          </li>
        )),
      )}
    </ul>
  )
}
