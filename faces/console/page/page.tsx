import { useContext, useEffect, useState } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { Button } from "../../design/button.tsx"
import { Field } from "../../design/field.tsx"
import { Icon } from "../../design/icons.tsx"
import { appliance } from "../../session/appliance.ts"
import { Going, Link } from "../link.tsx"
import { Form, Head, Loading, Nothing, Problem } from "../parts.tsx"
import { addressIn } from "../words.ts"
import { useActions } from "../asking/use-actions.ts"
import { useCall } from "../asking/use-call.ts"
import { AsIndexed } from "./as-indexed.tsx"
import { Known } from "./known.tsx"
import { ReadsNow } from "./reads-now.tsx"
import { Steps } from "./steps.tsx"

interface Inspected {
  readonly trace: AnswerOf<"GET /admin/why">
  readonly state: AnswerOf<"GET /admin/page">
}

/**
 * One page: whether searches find it and why, how it is stored in the index, the facts known about it, and what it says
 * now.
 */
export function PageInspector({
  url,
  query,
}: {
  readonly url: string | null
  readonly query: string | null
}) {
  return (
    <>
      <Head title="Inspect a page" page="Inspect a page" />
      <Asking url={url} query={query} />
      {url === null ? (
        <Nothing icon="page" title="Why does a search find a page, or miss it?">
          <p>
            Enter its address, and a question if you want to know its rank among the results. Nothing is
            requested from its site until you choose “Read it now”.
          </p>
        </Nothing>
      ) : (
        <Page key={`${url} ${query ?? ""}`} url={url} query={query} />
      )}
    </>
  )
}

function Asking({ url, query }: { readonly url: string | null; readonly query: string | null }) {
  const [address, setAddress] = useState(url ?? "")
  const [question, setQuestion] = useState(query ?? "")
  const [wrong, setWrong] = useState<string | null>(null)
  const go = useContext(Going)
  useEffect(() => {
    setAddress(url ?? "")
    setQuestion(query ?? "")
  }, [url, query])
  const submit = () => {
    const whole = addressIn(address)
    setWrong(whole === null ? "Enter the address of a page." : null)
    if (whole !== null) go({ view: "page", url: whole, query: question.trim() || null })
  }
  return (
    <Form class="look-form inspect" onSubmit={submit}>
      <Field
        label="Address of the page"
        name="url"
        value={address}
        placeholder="https://docs.example.com/setup"
        wrong={wrong}
        onWrite={setAddress}
      />
      <Field label="Question (to see the page's rank)" name="query" value={question} onWrite={setQuestion} />
      <p class="row">
        <Button look="primary" icon="search" type="submit">
          Inspect
        </Button>
      </p>
    </Form>
  )
}

function Page({ url, query }: { readonly url: string; readonly query: string | null }) {
  const { value, problem, call } = useCall<Inspected>()
  const ask = () =>
    call(async (signal) => {
      const [trace, state] = await Promise.all([
        appliance.call("GET /admin/why", { query: { url, query: query ?? undefined }, signal }),
        appliance.call("GET /admin/page", { query: { url }, signal }),
      ])
      return { trace, state }
    })
  useEffect(ask, [])
  const { act, isBusy, problem: refused } = useActions(ask)
  if (value === null) {
    return problem === null ? <Loading /> : <Problem text={problem} onAgain={ask} />
  }
  const { trace, state } = value
  const recrawl = () => act("The page will be crawled again", "POST /admin/page/recrawl", { body: { url } })
  return (
    <>
      {problem !== null && <Problem title="This may be out of date" text={problem} onAgain={ask} />}
      <section class={trace.in_index ? "verdict good" : "verdict bad"} aria-label="Verdict">
        <Icon name={trace.in_index ? "check" : "close"} />
        <div>
          <h2>{trace.in_index ? state.page?.title || "Untitled" : "Not in the index"}</h2>
          <p>{trace.summary}</p>
        </div>
        {trace.in_index && (
          <Link to={{ view: "readers", url, who: null }} class="button">
            Who may read it
          </Link>
        )}
        {state.known.length > 0 && (
          <Button icon="restore" disabled={isBusy} onClick={() => void recrawl()}>
            Recrawl
          </Button>
        )}
        {state.known.length === 0 && !trace.in_index && (
          <Link to={{ view: "add-source", url }} class="button">
            Add a source for it
          </Link>
        )}
      </section>
      {refused !== null && <Problem text={refused} />}
      <Steps steps={trace.steps} />
      <ReadsNow url={url} />
      {state.page !== null && <AsIndexed page={state.page} forms={state.other_forms} />}
      <Known state={state} />
    </>
  )
}
