import type { RefObject } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"

import { FossickError } from "../../../api/client/client.ts"
import { inWords } from "../../session/appliance.ts"

/** What the appliance finds wrong with a form that was sent. */
export interface FormProblems {
  /** Of the form, whose first wrong field gets the focus. */
  readonly form: RefObject<HTMLFormElement | null>
  /** What is wrong with a field, or with one of its entries; null: nothing. */
  readonly wrong: (field: string) => string | null
  /** What went wrong and concerns no field, in words. */
  readonly problem: string | null
  /** Takes what a call failed with; null: nothing is wrong. */
  readonly tell: (failure: unknown) => void
}

export function useFormProblems(): FormProblems {
  const form = useRef<HTMLFormElement>(null)
  const [failure, tell] = useState<unknown>(null)
  const problems = failure instanceof FossickError ? failure.problems : []
  useEffect(() => {
    if (problems.length > 0) form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus()
  }, [failure])
  return {
    form,
    wrong: (field) => wrongOf(problems, field),
    problem: failure === null || problems.length > 0 ? null : inWords(failure),
    tell,
  }
}

/** Entries and rules of a list are named by their place: `words`, `rules[0].words`, `where.paths[0]`. */
function wrongOf(problems: FossickError["problems"], field: string): string | null {
  for (const problem of problems) {
    if (typeof problem === "string") continue
    const named = problem.field.replace(/^rules\[0\]\./, "")
    if (named === field || named.startsWith(`${field}[`) || named.startsWith(`${field}.`)) {
      return problem.message
    }
  }
  return null
}

/** A form whose draft is changed field by field. */
export interface DraftForm<Draft> extends Pick<FormProblems, "wrong"> {
  readonly draft: Draft
  readonly onChange: (fields: Partial<Draft>) => void
}

/** What binds a field of text to the draft. @param field what problems call it */
export const bound = <Name extends string, Draft extends Readonly<Record<Name, string>>>(
  { draft, onChange, wrong }: DraftForm<Draft>,
  name: Name,
  field: string = name,
) => ({
  name,
  value: draft[name],
  wrong: wrong(field),
  onWrite: (text: string) => onChange({ [name]: text } as Partial<Draft>),
})
