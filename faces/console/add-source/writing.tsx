import { useContext, useRef, useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { toast } from "../../design/toast.tsx"
import { appliance } from "../../session/appliance.ts"
import { Going } from "../link.tsx"
import { Problem } from "../parts.tsx"
import type { Place } from "../place.ts"
import { counted, lasting } from "../words.ts"
import { AllowNetwork } from "../networks/allow-network.tsx"
import { type Draft, sourceOf } from "./draft.ts"
import { SourceForm } from "./source-form.tsx"
import { Reading } from "./tried.tsx"
import { useCall } from "../asking/use-call.ts"
import { type Preview, previewOf, usePreview } from "./use-preview.ts"
import { Yaml } from "./yaml.tsx"
import type { AnswerOf } from "../../../api/client/client.ts"

/** A source that is written: its form, the same as YAML, its pages as they read, and the way to save it. */
export function Writing({
  start,
  isNew,
  seen = [],
  after,
}: {
  readonly start: Draft
  readonly isNew: boolean
  /** Pages that a look has read. */
  readonly seen?: AnswerOf<"POST /admin/sources/propose">["pages"]
  /** Where saving it leads. */
  readonly after: (name: string, isRun: boolean) => Place
}) {
  const [draft, setDraft] = useState(start)
  const [isAsked, setAsked] = useState(false)
  const preview = usePreview(draft)
  const saving = useCall<void>()
  const go = useContext(Going)
  const form = useRef<HTMLFormElement>(null)
  const shown = preview.value
  const problems = shown === null ? [] : problemsOf(shown, isNew)
  const isRefused = shown !== null && shown.problems.length > 0 && shown.fits_file
  const closed = shown?.closed_addresses[0]
  const tell = () => {
    setAsked(true)
    // Those who listen hear what is wrong; the first of it is where they go on.
    setTimeout(() => form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus())
  }
  const save = (isRun: boolean) =>
    saving.call(async (signal) => {
      // As it stands now: what is shown may be of a moment ago.
      const latest = await previewOf(draft, signal)
      preview.put(latest)
      if (problemsOf(latest, isNew).length > 0) {
        tell()
        return
      }
      const name = draft.name.trim()
      await appliance.call("PUT /admin/sources/{name}", {
        path: { name },
        query: { run: isRun },
        // Checked just now; what is wrong all the same is told by the call.
        body: sourceOf(draft) as never,
        signal,
      })
      toast(isRun ? `${name} is saved and will be run` : `${name} is saved`)
      go(after(name, isRun))
    })
  return (
    <form
      ref={form}
      class="writing"
      noValidate
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isRefused) save(true)
      }}
    >
      <div class="written">
        <SourceForm
          draft={draft}
          problems={problems}
          isAsked={isAsked || isRefused}
          isNew={isNew}
          onChange={(fields) => setDraft((before) => ({ ...before, ...fields }))}
        />
        <Reading draft={draft} seen={seen} onWrong={tell} />
      </div>
      <div class="beside">
        {shown !== null && <Yaml text={shown.yaml} />}
        {preview.problem !== null && <Problem text={preview.problem} />}
        {shown?.full_crawl != null && (
          <p class="small">
            {shown.full_crawl.pages_known
              ? `A run over the ${counted(shown.full_crawl.pages, "page")} that are known takes about ${lasting(shown.full_crawl.seconds)}.`
              : `A run that reaches its limit of ${counted(shown.full_crawl.pages, "page")} takes about ${lasting(shown.full_crawl.seconds)}.`}
          </p>
        )}
        {isRefused && (
          <div class="notice plain">
            <p>
              The console may not save this, but the file of sources may have it: copy the YAML into{" "}
              <code>sources.yaml</code>.
            </p>
            {closed !== undefined && (
              <AllowNetwork
                url={closed}
                otherwise={null}
                onAllowed={() => preview.call((signal) => previewOf(draft, signal))}
              />
            )}
          </div>
        )}
        {saving.problem !== null && <Problem title="It was not saved" text={saving.problem} />}
        <p class="row">
          <Button look="primary" icon="play" type="submit" disabled={saving.isBusy || isRefused}>
            Save and run
          </Button>
          <Button icon="check" disabled={saving.isBusy || isRefused} onClick={() => save(false)}>
            Save
          </Button>
        </p>
      </div>
    </form>
  )
}

/** What keeps it from being saved: a new source takes no other's place, either. */
const problemsOf = ({ problems, exists }: Preview, isNew: boolean): Preview["problems"] =>
  isNew && exists !== null
    ? [...problems, { field: "name", message: "is the name of another source" }]
    : problems
