import type { ComponentChildren } from "preact"
import { useMemo, useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { Icon } from "../../design/icons.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { Progress } from "../../design/progress.tsx"
import { degradedNote } from "../../reading/degraded.ts"
import { wantedWords } from "../../reading/words.ts"
import { type Asked, asking, hasFilters } from "../asked.ts"
import { type Found as FoundPages, isDoubtful, type Searched } from "../use-search.ts"
import { AskFor } from "./ask-for.tsx"
import { Corrected } from "./corrected.tsx"
import { Chosen, Filters } from "./filters.tsx"
import { Images, picturesOf } from "./images.tsx"
import { Nothing } from "./nothing.tsx"
import { ResultCard } from "./result.tsx"

const weakMatches = (count: number): string =>
  count === 1 ? "Show 1 weak match" : `Show ${count} weak matches`

/** Everything that was missing when the appliance answered. */
function Degraded({ parts }: { readonly parts: Searched["degraded"] }) {
  const note = degradedNote(parts)
  return note === null ? null : (
    <p class="degraded" role="status">
      <Icon name="alert" /> {note}
    </p>
  )
}

/** Tells the user which results may be missing: pages that couldn't be read, or pages in the question's language. */
function Missing({ warnings = [] }: Pick<FoundPages, "warnings">) {
  const texts = warnings.flatMap(({ code, text }) => (code === "unread" || code === "language" ? text : []))
  return texts.length === 0 ? null : (
    <p class="degraded" role="status">
      <Icon name="alert" /> {texts.join(" ")}
    </p>
  )
}

interface FoundProps {
  readonly asked: Asked
  readonly searched: Searched
  readonly onChange: (next: Partial<Asked>) => void
  readonly onOpen: (copy: NonNullable<Asked["copy"]>) => void
  /** The text above the pages. */
  readonly children: ComponentChildren
}

/** All results: pages with their filters beside them, or pictures. */
export function Found({ searched: { found, ...searched }, ...props }: FoundProps) {
  const { asked, onChange } = props
  const [areShown, setShown] = useState(false)
  const isWeak = found !== null && isDoubtful(found)
  const pictures = useMemo(() => picturesOf(isWeak ? [] : (found?.results ?? [])), [found, isWeak])
  if (found === null) return <Progress label="Searching" />
  const facets = found.facets ?? []
  const change = (filters: Asked["filters"]) => onChange({ filters })
  const hasAny = facets.some(({ values }) => values.length > 1) || hasFilters(asked)
  const tabs = [
    { name: "pages", label: "Pages" },
    {
      name: "images",
      label: <>Images {pictures.length > 0 && <small>{pictures.length}</small>}</>,
    },
  ]
  return (
    <div class={hasAny ? "found with-filters" : "found"}>
      {hasAny && (
        <aside class={areShown ? "narrow shown" : "narrow"}>
          <Button icon="filter" aria-expanded={areShown} onClick={() => setShown(!areShown)}>
            Filters
          </Button>
          <Filters asked={asked} facets={facets} onChange={change} />
        </aside>
      )}
      <div class="list">
        <Tabs
          label="What to show"
          tabs={tabs}
          chosen={asked.view}
          onChoose={(view) => onChange({ view: view === "images" ? "images" : "pages" })}
        >
          <Chosen asked={asked} onChange={change} />
          {asked.view === "images" ? (
            <Images pictures={pictures} />
          ) : (
            <Pages {...props} searched={{ ...searched, found }} isWeak={isWeak} />
          )}
        </Tabs>
      </div>
    </div>
  )
}

/** The pages, with notes above and below them; collapsed if none is likely to answer the question. */
function Pages({
  asked,
  searched: { found, question, degraded },
  isWeak,
  onChange,
  onOpen,
  children,
}: Omit<FoundProps, "searched"> & {
  readonly searched: Pick<Searched, "question" | "degraded"> & { readonly found: FoundPages }
  readonly isWeak: boolean
}) {
  const corrected = found.corrected_query
  const wanted = useMemo(() => wantedWords(`${question} ${corrected ?? ""}`), [question, corrected])
  // An answer arrives in pieces; the list isn't redrawn for each of them.
  const list = useMemo(
    () => (
      <ol class="results" aria-label="Results">
        {found.results.map((result) => (
          <li key={result.url}>
            <ResultCard result={result} wanted={wanted} onOpen={onOpen} />
          </li>
        ))}
      </ol>
    ),
    [found, wanted, onOpen],
  )
  return (
    <>
      <Corrected found={found} />
      <Degraded parts={isWeak ? (found.degraded ?? []) : degraded} />
      <Missing warnings={found.warnings} />
      {!isWeak && children}
      <Nothing asked={asked} found={found} onClear={() => onChange(asking(asked.question))} />
      {isWeak ? (
        <details key={found.request_id} class="weak">
          <summary>{weakMatches(found.results.length)}</summary>
          {list}
        </details>
      ) : (
        list
      )}
      {found.miss === undefined && found.results.length > 0 && (
        <p class="missing">
          <span>Not what you're looking for?</span> <AskFor key={question} question={question} />
        </p>
      )}
    </>
  )
}
