import type { ComponentChildren } from "preact"
import { useMemo, useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { Progress } from "../../design/progress.tsx"
import { wantedWords } from "../../reading/words.ts"
import { type Asked, asking, hasFilters } from "../asked.ts"
import type { Searched } from "../use-search.ts"
import { AskFor } from "./ask-for.tsx"
import { Corrected } from "./corrected.tsx"
import { Chosen, Filters } from "./filters.tsx"
import { Images, picturesOf } from "./images.tsx"
import { Nothing } from "./nothing.tsx"
import { ResultCard } from "./result.tsx"

/** All that was found: pages with their filters beside them, or pictures. */
export function Found({
  asked,
  searched: { found, question },
  onChange,
  onOpen,
  children,
}: {
  readonly asked: Asked
  readonly searched: Searched
  readonly onChange: (next: Partial<Asked>) => void
  readonly onOpen: (copy: NonNullable<Asked["copy"]>) => void
  /** What stands above the pages. */
  readonly children: ComponentChildren
}) {
  const [areShown, setShown] = useState(false)
  const corrected = found?.corrected_query
  const wanted = useMemo(() => wantedWords(`${question} ${corrected ?? ""}`), [question, corrected])
  // An answer comes in pieces: what was found is not drawn again for each.
  const list = useMemo(
    () => (
      <ol class="results" aria-label="Results">
        {found?.results.map((result) => (
          <li key={result.url}>
            <ResultCard result={result} wanted={wanted} onOpen={onOpen} />
          </li>
        ))}
      </ol>
    ),
    [found, wanted, onOpen],
  )
  const pictures = useMemo(() => picturesOf(found?.results ?? []), [found])
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
            <>
              <Corrected found={found} />
              {children}
              <Nothing asked={asked} found={found} onClear={() => onChange(asking(asked.question))} />
              {list}
              {found.miss === undefined && found.results.length > 0 && (
                <p class="missing">
                  <span>Not what you look for?</span> <AskFor key={question} question={question} />
                </p>
              )}
            </>
          )}
        </Tabs>
      </div>
    </div>
  )
}
