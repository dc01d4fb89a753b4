import { useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { Field } from "../../design/field.tsx"
import { appliance } from "../../session/appliance.ts"
import { Form, Head, Problem } from "../parts.tsx"
import type { Place } from "../place.ts"
import { draftOf, EMPTY } from "./draft.ts"
import { type Look, LookFacts } from "./look-facts.tsx"
import { Busy } from "../asking/status.tsx"
import { useCall } from "../asking/use-call.ts"
import { addressIn } from "../words.ts"
import { Writing } from "./writing.tsx"
import { Yaml } from "./yaml.tsx"

const whereTo = (source: string, isRun: boolean): Place =>
  isRun ? { view: "runs", source } : { view: "sources" }

/** A new source: one look at a site fills in the form. */
export function AddSource({ url }: { readonly url: string | null }) {
  return (
    <>
      <Head
        title="Add a source"
        page="Add a source"
        under={<p>A source is a site to crawl: where to start, how far to go, and how often.</p>}
      />
      <Adding url={url} after={whereTo} />
    </>
  )
}

/** The look at a site, and the form built from it; also used in the first run. */
export function Adding({
  url,
  after,
}: {
  readonly url: string | null
  readonly after: (name: string, isRun: boolean) => Place
}) {
  const look = useCall<Look>()
  /** The address in the form that was opened without a check, or null. */
  const [bare, setBare] = useState<string | null>(null)
  const isBare = bare !== null
  const ask = (address: string, ignoresRobots = false) => {
    setBare(null)
    look.call((signal) =>
      appliance.call("POST /admin/sources/propose", {
        body: { url: address, ignore_robots: ignoresRobots },
        signal,
      }),
    )
  }
  const { value: found, isBusy, problem } = look
  return (
    <>
      <LookForm
        url={url}
        isBusy={isBusy}
        canSkip={found === null && !isBare && !isBusy}
        onLook={ask}
        onSkip={setBare}
      />
      {isBusy && (
        <Busy label="Checking the site" onStop={look.cancel}>
          Checking the site: at most a dozen requests, with pauses between them …
        </Busy>
      )}
      {problem !== null && <Problem title="The site could not be checked" text={problem} />}
      {!isBusy && found !== null && !isBare && (
        <>
          <LookFacts
            look={found}
            onIgnoreRobots={() => ask(found.asked, true)}
            onAllowed={() => ask(found.asked)}
          />
          {isClosed(found) ? (
            found.obstacles.every(({ help }) => help !== null) && (
              <div class="written">
                <p class="small">
                  Until its network is allowed, this source can be declared only in the sources file.
                </p>
                <Yaml text={found.yaml} />
              </div>
            )
          ) : (
            <Writing
              key={`${found.asked} ${found.took_ms}`}
              start={draftOf(found.source)}
              isNew
              seen={found.pages}
              after={after}
            />
          )}
        </>
      )}
      {isBare && <Writing start={{ ...EMPTY, seeds: bare }} isNew after={after} />}
    </>
  )
}

/** Whether the site is in a network that isn't allowed: a source for it could be saved, but its runs would read nothing. */
const isClosed = ({ url, obstacles }: Look): boolean =>
  url === null && obstacles.some(({ kind }) => kind === "network")

function LookForm({
  url,
  isBusy,
  canSkip,
  onLook,
  onSkip,
}: {
  readonly url: string | null
  readonly isBusy: boolean
  readonly canSkip: boolean
  readonly onLook: (address: string) => void
  readonly onSkip: (address: string) => void
}) {
  const [written, setWritten] = useState(url ?? "")
  const [wrong, setWrong] = useState<string | null>(null)
  const submit = () => {
    const address = addressIn(written)
    setWrong(address === null ? "Enter the address of a site, such as https://docs.example.com/." : null)
    if (address !== null) onLook(address)
  }
  return (
    <Form class="look-form" onSubmit={submit}>
      <Field
        label="Address of the site"
        name="url"
        value={written}
        placeholder="https://docs.example.com/"
        hint="A path limits the crawl to that section."
        wrong={wrong}
        onWrite={setWritten}
      />
      <p class="row">
        <Button look="primary" icon="search" type="submit" disabled={isBusy}>
          Check the site
        </Button>
        {canSkip && (
          <Button look="quiet" onClick={() => onSkip(written.trim())}>
            Skip the check
          </Button>
        )}
      </p>
    </Form>
  )
}
