import { masked } from "#base/telemetry/log/masked.ts"

import type { FieldChange } from "./audit-log.ts"

/** Maximum number of fields in one change, and of characters in a value: an entry only names the change, and the rest can be found in the object itself. */
const MOST_FIELDS = 20
const MAX_VALUE_CHARS = 160
const MAX_DEPTH = 6
const HIDDEN = "(hidden)"
/** Names of fields whose values are, or may be, secrets. A reference to a secret, such as `${NAME}`, is not one itself. */
const SECRET_NAME =
  /(?:^|[._-])(?:api_?key|key|password|passphrase|secret|token|authorization|cookies?|credentials?|headers?|private_?key)(?:$|[._-])/i
/** Matches parameters in addresses that grant access. */
const IN_QUERIES = /([?&][^=&"]*(?:token|key|secret|sig|password|auth|code)[^=&"]*=)[^&"#]+/gi
const REFERENCE = /^"(\w+ )?(\$\{\w+\}|file:[^"]+)"$/

/**
 * The differences between two states of an object, field by field, shortened and without secrets.
 * @param before null: the object did not exist, or its state is unknown
 * @param after null: the object is gone
 */
export function fieldChanges(before: unknown, after: unknown): readonly FieldChange[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter(
    (field) => old.get(field) !== now.get(field),
  )
  const shown = changed.slice(0, MOST_FIELDS).map((field) => ({
    field: field.slice(0, MAX_VALUE_CHARS),
    before: shownValue(field, old.get(field)),
    after: shownValue(field, now.get(field)),
  }))
  const left = changed.length - shown.length
  return left === 0 ? shown : [...shown, { field: `and ${left} more`, before: null, after: null }]
}

/** A key that was created or revoked, as an entry lists it in addition to the entry's object: `keys/3f9c2a`, with the key's name before and after. */
export const keyChange = (
  { id, name }: { readonly id: string; readonly name: string },
  what: "made" | "ended",
  kind: "keys" | "public-keys" = "keys",
): FieldChange => {
  const shown = shownValue("name", JSON.stringify(name))
  return {
    field: `${kind}/${id}`,
    before: what === "made" ? null : shown,
    after: what === "made" ? shown : null,
  }
}

/** The fields of an object by path, such as `limits.pages` → `10`, as JSON. Lists count as values. */
function fieldsOf(value: unknown): Map<string, string> {
  const fields = new Map<string, string>()
  const walk = (one: unknown, path: string, depth: number): void => {
    if (one === undefined) return
    if (
      one instanceof Date ||
      typeof one !== "object" ||
      one === null ||
      Array.isArray(one) ||
      depth > MAX_DEPTH
    ) {
      fields.set(path, JSON.stringify(one) ?? "")
      return
    }
    for (const [name, inner] of Object.entries(one))
      walk(inner, path === "" ? name : `${path}.${name}`, depth + 1)
  }
  if (value !== null && value !== undefined) walk(value, "", 0)
  return fields
}

function shownValue(field: string, value: string | undefined): string | null {
  if (value === undefined) return null
  // A list of objects may contain a secret, too.
  if (isSecret(field, value) || /"[^"]*(?:password|secret|token|authorization)[^"]*":/i.test(value))
    return HIDDEN
  const text = masked(value).replace(IN_QUERIES, "$1…")
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS - 1)}…` : text
}

const isSecret = (field: string, value: string): boolean =>
  SECRET_NAME.test(field) && !REFERENCE.test(value) && !/^(?:null|true|false|\d+|\[\]|"")$/.test(value)
