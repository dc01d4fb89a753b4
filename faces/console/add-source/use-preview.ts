import { useEffect } from "preact/hooks"

import type { AnswerOf } from "../../../api/client/client.ts"
import { appliance } from "../../session/appliance.ts"
import { type Draft, sourceOf } from "./draft.ts"
import { type Called, useCall } from "../asking/use-call.ts"

export type Preview = AnswerOf<"POST /admin/sources/preview">
export type Problem = Preview["problems"][number]

/** How long the user must pause before the preview is fetched. */
const PAUSE_MS = 200

/** The appliance's preview of a draft. */
export const previewOf = (draft: Draft, signal: AbortSignal): Promise<Preview> =>
  appliance.call("POST /admin/sources/preview", { body: { source: sourceOf(draft) }, signal })

/** The appliance's preview of a draft, fetched again when the draft changes. */
export function usePreview(draft: Draft): Called<Preview> {
  const asked = useCall<Preview>()
  const { call } = asked
  const text = JSON.stringify(sourceOf(draft))
  useEffect(() => {
    const timer = setTimeout(() => {
      call((signal) => previewOf(draft, signal))
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return asked
}

/** Problems with a field of the form, or with a part of its value. */
export function wrongWith(problems: readonly Problem[], fields: readonly string[]): string | null {
  const own = problems.filter(({ field }) => fields.some((name) => isIn(field, name)))
  if (own.length === 0) return null
  return own.map(({ field, message }) => sentence(field, fields, message)).join(" ")
}

/** Problems that don't belong to any of these fields. */
export const otherProblems = (problems: readonly Problem[], fields: readonly string[]): readonly Problem[] =>
  problems.filter(({ field }) => !fields.some((name) => isIn(field, name)))

const isIn = (field: string, name: string): boolean =>
  field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`)

/** The problem with a line, such as `Line 2 must be an address.` */
function sentence(field: string, fields: readonly string[], message: string): string {
  const line = /\[(\d+)\]$/.exec(field)?.[1]
  const own = fields.includes(field)
  const name =
    line !== undefined ? `Line ${Number(line) + 1}` : own ? "This field" : field.replace(/^.*[.]/, "")
  return `${name} ${message}.`.replace(/\.\.$/, ".")
}
