import { useState } from "preact/hooks"

import { Field, Select, TextArea } from "../../design/field.tsx"
import { onceReleased } from "../../design/once-released.ts"
import { type Draft, PLACES } from "./draft.ts"
import { type FormField, GROUPS } from "./fields.tsx"
import { otherProblems, type Problem, wrongWith } from "./use-preview.ts"

/** Fields of a source that the form shows. */
const SHOWN = Object.values(GROUPS).flat().flatMap(placesOf)

interface FormProps {
  readonly draft: Draft
  readonly problems: readonly Problem[]
  /** Whether the user has tried to save the source; if so, all problems are shown. */
  readonly isAsked: boolean
  readonly isNew: boolean
  readonly onChange: (fields: Partial<Draft>) => void
}

/** The fields of a source. Problems are shown at a field once the user has left it or tried to save. */
export function SourceForm(form: FormProps) {
  const [left, setLeft] = useState<readonly string[]>([])
  const leave = (field: string) =>
    onceReleased(() => setLeft((before) => (before.includes(field) ? before : [...before, field])))
  const others = form.isAsked ? otherProblems(form.problems, SHOWN) : []
  return (
    <div class="source-form">
      {others.length > 0 && (
        <ul class="notice bad plain" role="alert">
          {others.map(({ field, message }) => (
            <li key={field}>
              <code>{field}</code> {message}.
            </li>
          ))}
        </ul>
      )}
      {Object.entries(GROUPS).map(([title, fields]) => (
        <fieldset key={title} class="group">
          <legend>{title}</legend>
          <div class="fields">
            {fields
              .filter(({ isFor }) => isFor?.(form.draft) ?? true)
              .map((field) => (
                <DraftField key={field.name} of={field} form={form} left={left} onLeave={leave} />
              ))}
          </div>
        </fieldset>
      ))}
    </div>
  )
}

/** The fields of the source that a field of the form fills in. */
function placesOf({ name, at = PLACES.get(name) ?? [] }: FormField): readonly string[] {
  return [at].flat()
}

const MOST_ROWS = 8

/** A field of the draft; one with several lines is as tall as its text. */
function DraftField({
  of,
  form: { draft, problems, isAsked, isNew, onChange },
  left,
  onLeave,
}: {
  readonly of: FormField
  readonly form: FormProps
  readonly left: readonly string[]
  readonly onLeave: (field: string) => void
}) {
  const { at: _, fixed, isTall, options, isFor: __, showsProblemsAt, partOf, ...shown } = of
  const fields = placesOf(of)
  const value = draft[shown.name]
  const isDue = isAsked || fields.some((field) => left.includes(field))
  const ofGroup = problems.find(({ field }) => field === partOf)
  const wrong =
    (isDue && (showsProblemsAt ?? value) === value ? wrongWith(problems, fields) : null) ??
    (ofGroup === undefined ? null : `This field ${ofGroup.message}.`)
  const write = (text: string) => onChange({ [shown.name]: text })
  if (options !== undefined) {
    const offered = Object.entries(options).map(([one, label]) => ({ value: one, label }))
    return <Select {...shown} value={value} options={offered} wrong={wrong} onChoose={write} />
  }
  const written = { ...shown, value, wrong, onWrite: write, onBlur: () => onLeave(fields[0]!) }
  if (isTall === true) {
    const rows = Math.min(MOST_ROWS, Math.max(2, value.split("\n").length))
    return <TextArea {...written} rows={rows} />
  }
  const isFixed = !isNew && fixed !== undefined
  return <Field {...written} hint={isFixed ? fixed : shown.hint} readOnly={isFixed} />
}
