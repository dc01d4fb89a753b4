import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Chip } from "../../design/chip.tsx"
import { Field } from "../../design/field.tsx"
import { type Column, Table } from "../../design/table.tsx"
import { appliance } from "../../session/appliance.ts"
import { useCall } from "../asking/use-call.ts"
import { Link } from "../link.tsx"
import { Block, Form, Nothing, Problem } from "../parts.tsx"
import { counted, whole } from "../words.ts"

type Seen = AnswerOf<"GET /admin/readers/seen-by">
type SourceSeen = Seen["sources"][number]

/** A person or principals, as calls name them. */
export type Whom = { readonly person: string } | { readonly principals: string }

/** All, some or none of a source's pages, in words and a colour. */
export const Reach = ({
  of: { reach, pages, readable },
}: {
  readonly of: Pick<SourceSeen, "reach" | "pages" | "readable">
}) => {
  if (reach === "all") return <Chip tone="good">All</Chip>
  if (reach === "none") return <Chip>None</Chip>
  return (
    <Chip tone="warn" title={`${whole(readable)} of ${counted(pages, "page")}`}>
      {whole(readable)}
    </Chip>
  )
}

/** The pages a person or group may read: source by source, with some of the pages. */
export const Sees = ({
  of: { sources, sample, pages, readable },
  whom,
}: {
  readonly of: Seen
  readonly whom: Whom
}) => (
  <>
    <Block id="sees" title="What they may read">
      <p class="small">
        {whole(readable)} of {counted(pages, "page")} in the index.
      </p>
      <Table caption="Sources" columns={SOURCES} rows={sources} keyOf={({ source }) => source} />
    </Block>
    {sample.length > 0 && (
      <Block id="sample" title="Sample pages">
        <ul class="some-pages">
          {sample.map(({ url, title, source }) => (
            <li key={url}>
              <Link to={{ view: "readers", url, who: "person" in whom ? whom.person : whom.principals }}>
                {title || url}
              </Link>{" "}
              <span class="small">{source}</span>
            </li>
          ))}
        </ul>
      </Block>
    )}
    <SearchAs whom={whom} />
  </>
)

const SOURCES: readonly Column<SourceSeen>[] = [
  {
    heading: "Source",
    cell: ({ source }) => (
      <Link to={{ view: "source", source }} class="strong">
        {source}
      </Link>
    ),
  },
  { heading: "Access", cell: (one) => <Reach of={one} /> },
  {
    heading: "Pages",
    isNumber: true,
    cell: ({ readable, pages }) => `${whole(readable)} of ${whole(pages)}`,
  },
  { heading: "Source rule", cell: ({ text }) => text },
]

/** Shows the results that the person or group would get. */
function SearchAs({ whom }: { readonly whom: Whom }) {
  const [query, setQuery] = useState("")
  const { value, problem, isBusy, call } = useCall<AnswerOf<"POST /admin/readers/search">>()
  const submit = () => {
    if (query.trim() === "") return
    call((signal) => appliance.call("POST /admin/readers/search", { body: { query, ...whom }, signal }))
  }
  return (
    <Block id="search-as" title="Search as they would">
      <p class="small">
        The audit log records the question, and that you searched as them.{" "}
        <a href="docs/people">About this</a>
      </p>
      <Form class="search-as" onSubmit={submit}>
        <Field label="Question" name="query" value={query} onWrite={setQuery} />
        <Button icon="search" type="submit" disabled={isBusy}>
          Search
        </Button>
      </Form>
      {problem !== null && <Problem text={problem} />}
      {value?.results.length === 0 && <Nothing icon="search" title="They would find nothing" />}
      {value !== null && value.results.length > 0 && (
        <ol class="found-as" aria-label="Results">
          {value.results.map(({ url, title, text, sources }) => (
            <li key={url}>
              <Link to={{ view: "page", url, query: null }} class="strong">
                {title || url}
              </Link>
              <p class="small">
                {sources.join(", ")} · {url}
              </p>
              <p class="excerpt">{text}</p>
            </li>
          ))}
        </ol>
      )}
    </Block>
  )
}
