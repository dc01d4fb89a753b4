import { useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Field } from "../../design/field.tsx"
import { AnswerText } from "../../reading/answers/answer-text.tsx"
import { PageLink } from "../../reading/page-link.tsx"
import { StoredCopy } from "../../reading/stored-copy.tsx"
import { addressOf, appliance } from "../../session/appliance.ts"
import { Link } from "../link.tsx"
import { Block, Form, Problem } from "../parts.tsx"
import { useCall } from "../asking/use-call.ts"

type Found = AnswerOf<"POST /search">

const RESULTS = 5

/** Asks a question about one source's pages, and shows its answer with citations. */
export function AskIt({ source, isReady }: { readonly source: string; readonly isReady: boolean }) {
  const [question, setQuestion] = useState("")
  const asked = useCall<Found>()
  const ask = () => {
    if (question.trim() === "") return
    asked.call((signal) =>
      appliance.call("POST /search", {
        body: { query: question, include_answer: true, max_results: RESULTS, sources: [source] },
        signal,
      }),
    )
  }
  return (
    <Block id="ask" title="Ask a question">
      {isReady ? (
        <Form class="look-form" onSubmit={ask}>
          <Field
            label={`Question about the pages in ${source}`}
            name="question"
            value={question}
            onWrite={setQuestion}
          />
          <p class="row">
            <Button look="primary" icon="search" type="submit" disabled={asked.isBusy}>
              Ask
            </Button>
          </p>
        </Form>
      ) : (
        <p class="small">
          You can ask as soon as the first pages are in the index, while the crawl is still running.
        </p>
      )}
      {asked.isBusy && (
        <p class="loading" role="status">
          Reading the pages…
        </p>
      )}
      {asked.problem !== null && <Problem text={asked.problem} />}
      {asked.value !== null && !asked.isBusy && <Answered found={asked.value} />}
    </Block>
  )
}

function Answered({ found: { answer, results, miss } }: { readonly found: Found }) {
  const [copy, setCopy] = useState<{ readonly url: string; readonly passage: string } | null>(null)
  if (results.length === 0)
    return <p class="notice plain">None of the pages read so far says anything about this.</p>
  return (
    <>
      {miss !== undefined && (
        <p class="notice plain" role="status">
          None of the pages read so far is a good match. These come closest:
        </p>
      )}
      {answer != null && miss === undefined && (
        <div class="card answered" role="status" aria-label="Answer">
          <AnswerText
            answer={answer}
            isWhole
            cite={(number, unit) => {
              const of = results[number - 1]
              return of === undefined ? null : (
                <button
                  key={number}
                  type="button"
                  class="chip accent"
                  aria-label={`Source ${number}: ${of.title}`}
                  title={of.title}
                  onClick={() => setCopy({ url: of.url, passage: unit.pieces.join(" ") })}
                >
                  {number}
                </button>
              )
            }}
          />
        </div>
      )}
      <ol class="found" aria-label="Pages">
        {results.map(({ url, title }) => (
          <li key={url}>
            <PageLink to={url} isApart>
              {title || url}
            </PageLink>
            <Link to={{ view: "page", url, query: null }}>Inspect</Link>
          </li>
        ))}
      </ol>
      <p class="row">
        <a class="button primary" href={addressOf("")}>
          Open the search page
        </a>
        <Link to={{ view: "overview" }} class="button">
          Go to the overview
        </Link>
      </p>
      {copy !== null && <StoredCopy url={copy.url} passage={copy.passage} onClose={() => setCopy(null)} />}
    </>
  )
}
