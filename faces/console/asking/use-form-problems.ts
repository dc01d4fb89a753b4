import type { RefObject } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"

import { FossickError } from "../../../api/client/client.ts"
import { inWords } from "../../session/appliance.ts"

/** The problems that the appliance reports with a submitted form. */
export interface FormProblems {
  /** The form; its first wrong field gets the focus. */
  readonly form: RefObject<HTMLFormElement | null>
  /** The problem with a field or one of its entries; null when there is none. */
  readonly wrong: (field: string) => string | null
  /** The failure in words when it concerns no field; null otherwise. */
  readonly problem: string | null
  /** Sets the problems from a failed call; null clears all problems. */
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

/** Problems name an entry of a list by its index: `words`, `rules[0].words`, `where.paths[0]`. */
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

/** Props that bind a text field to the draft. @param field its name in problems */
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
