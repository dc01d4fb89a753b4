import type { ComponentProps } from "preact"
import { useContext, useRef, useState } from "preact/hooks"

import { Button } from "../../design/button.tsx"
import { toast } from "../../design/toast.tsx"
import { appliance } from "../../session/appliance.ts"
import { Going } from "../link.tsx"
import { Form, Problem } from "../parts.tsx"
import type { Place } from "../place.ts"
import { counted, lasting } from "../words.ts"
import { wideningOf, Widening } from "../readers/widening.tsx"
import { AllowNetwork } from "../networks/allow-network.tsx"
import { type Draft, sourceOf } from "./draft.ts"
import { SourceForm } from "./source-form.tsx"
import { Reading } from "./tried.tsx"
import { useCall } from "../asking/use-call.ts"
import { type Preview, previewOf, usePreview } from "./use-preview.ts"
import { Yaml } from "./yaml.tsx"
import type { AnswerOf } from "../../../api/client/client.ts"

interface WritingProps {
  readonly start: Draft
  readonly isNew: boolean
  /** Where the user goes after saving. */
  readonly after: (name: string, isRun: boolean) => Place
}

/** A source being written: its form, its YAML, its pages as Fossick reads them, and the way to save it. */
export function Writing({
  seen = [],
  ...props
}: WritingProps & {
  /** Pages that were read during a look at the site. */
  readonly seen?: AnswerOf<"POST /admin/sources/propose">["pages"]
}) {
  const writing = useWriting(props)
  const { form, draft, isRefused } = writing
  return (
    <Form
      form={form}
      class="writing"
      onSubmit={() => {
        if (!isRefused) writing.save(true)
      }}
    >
      <div class="written">
        <SourceForm
          draft={draft}
          problems={writing.problems}
          isAsked={writing.isAsked || isRefused}
          isNew={props.isNew}
          onChange={writing.change}
        />
        <Reading draft={draft} seen={seen} onWrong={writing.tell} />
      </div>
      <Beside writing={writing} />
      {writing.widening !== null && (
        <Widening
          of={writing.widening.preview}
          onYes={() => writing.save(writing.widening!.isRun, true)}
          onClose={writing.closeWidening}
        />
      )}
    </Form>
  )
}

/** A draft, the appliance's preview of it, and a way to save it. */
function useWriting({ start, isNew, after }: WritingProps) {
  const [draft, setDraft] = useState(start)
  const [isAsked, setAsked] = useState(false)
  const preview = usePreview(draft)
  const [widening, setWidening] = useState<Widened | null>(null)
  const saving = useCall<void>()
  const go = useContext(Going)
  const form = useRef<HTMLFormElement>(null)
  const shown = preview.value
  const tell = () => {
    setAsked(true)
    // Screen readers announce the problems; focus moves to the first.
    setTimeout(() => form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus())
  }
  /** @param isAgreed whether the user agreed to give many more readers access */
  const save = (isRun: boolean, isAgreed = false) =>
    saving.call(async (signal) => {
      // Fetched again, because the preview shown may be a moment old.
      const latest = await previewOf(draft, signal)
      preview.put(latest)
      if (problemsOf(latest, isNew).length > 0) {
        tell()
        return
      }
      const name = draft.name.trim()
      const written = sourceOf(draft)
      const isChanged = JSON.stringify(written["readers"]) !== JSON.stringify(sourceOf(start)["readers"])
      if (isChanged && !isNew && !isAgreed) {
        const preview = await wideningOf(name, written["readers"], signal)
        setWidening(preview && { preview, isRun })
        if (preview !== null) return
      }
      await appliance.call("PUT /admin/sources/{name}", {
        path: { name },
        query: { run: isRun },
        // The draft was just checked; the call reports any remaining problem.
        body: written as never,
        signal,
      })
      toast(isRun ? `${name} has been saved and will run soon` : `${name} has been saved`)
      go(after(name, isRun))
    })
  return {
    form,
    draft,
    change: (fields: Partial<Draft>) => setDraft((before) => ({ ...before, ...fields })),
    preview,
    problems: shown === null ? [] : problemsOf(shown, isNew),
    /** Whether the console may not save the source, though the sources file can contain it. */
    isRefused: shown !== null && shown.problems.length > 0 && shown.fits_file,
    isAsked,
    tell,
    saving,
    save,
    /** The save that is waiting for the user's confirmation. */
    widening,
    closeWidening: () => setWidening(null),
  }
}

interface Widened {
  readonly preview: ComponentProps<typeof Widening>["of"]
  readonly isRun: boolean
}

/** The YAML, how long a run takes, and the buttons that save. */
function Beside({
  writing: { draft, preview, isRefused, saving, save },
}: {
  readonly writing: ReturnType<typeof useWriting>
}) {
  const shown = preview.value
  const closed = shown?.closed_addresses[0]
  return (
    <div class="beside">
      {shown !== null && <Yaml text={shown.yaml} />}
      {preview.problem !== null && <Problem text={preview.problem} />}
      {shown?.full_crawl != null && (
        <p class="small">
          {shown.full_crawl.pages_known
            ? `A run that visits the ${counted(shown.full_crawl.pages, "known page")} takes about ${lasting(shown.full_crawl.seconds)}.`
            : `A run that reaches its limit of ${counted(shown.full_crawl.pages, "page")} takes about ${lasting(shown.full_crawl.seconds)}.`}
        </p>
      )}
      {isRefused && (
        <div class="notice plain">
          <p>
            This source cannot be saved in the console, but it is allowed in the sources file: copy the YAML
            into <code>sources.yaml</code>.
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
      {saving.problem !== null && <Problem title="The source was not saved" text={saving.problem} />}
      <p class="row">
        <Button look="primary" icon="play" type="submit" disabled={saving.isBusy || isRefused}>
          Save and run
        </Button>
        <Button icon="check" disabled={saving.isBusy || isRefused} onClick={() => save(false)}>
          Save
        </Button>
      </p>
    </div>
  )
}

/** The reasons why the source can't be saved; one of them is that a new source can't replace another one. */
const problemsOf = ({ problems, exists }: Preview, isNew: boolean): Preview["problems"] =>
  isNew && exists !== null
    ? [...problems, { field: "name", message: "must not be the name of another source" }]
    : problems
