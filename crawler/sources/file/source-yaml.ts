import { isDeepStrictEqual } from "node:util"
import { Document, visit, type YAMLMap } from "yaml"
import { contentFieldsOf, defineSource, type Source, type SourceSpec } from "../../source.ts"

/** The format of sources files. */
export const FORMAT = { lineWidth: 0, flowCollectionPadding: true } as const

/** A source in the list of a file. `note`: a comment in front of it, of one or more lines; can be empty. */
export function sourceNode(document: Document, source: object, note: string): YAMLMap {
  const node = document.createNode(source, { aliasDuplicateObjects: false }) as YAMLMap
  if (note !== "") node.commentBefore = note.replace(/^/gm, " ")
  visit(node, {
    // Short groups are written on one line, as people do; lists of patterns have one pattern per line.
    Map: (_, map) => {
      if (map !== node) map.flow = true
    },
  })
  return node
}

/** A sources file with one source, in the form in which it could be added to another file. */
export const sourceYaml = (source: object, note = ""): string => sourcesYaml([{ source, note }])

/** A sources file. */
export function sourcesYaml(sources: readonly { readonly source: object; readonly note: string }[]): string {
  const document = new Document({ sources: [] })
  document.setIn(["sources"], document.createNode([]))
  for (const { source, note } of sources) document.addIn(["sources"], sourceNode(document, source, note))
  return document.toString(FORMAT)
}

/** The source as an operator would write it: its name, its start, and the settings that differ from the defaults. */
export function withoutDefaults(source: Source): SourceSpec & { readonly name: string } {
  const { name, seeds } = source
  const kind = contentFieldsOf(source).map((field) => [field, source[field]] as const)
  const defaults = defineSource({ name, seeds, ...Object.fromEntries(kind) })
  const written = Object.entries(source).flatMap(([field, value]) => {
    if (field === "name" || field === "seeds") return [[field, value]]
    if (kind.some(([ofKind]) => ofKind === field)) return [[field, withoutNulls(value)]]
    const usual: unknown = defaults[field as keyof Source]
    if (field === "schedule" && value !== null)
      return [[field, differing(value, { cron: null, everyHours: null, timeZone: "UTC", jitterMinutes: 0 })]]
    if (isGroup(value) && isGroup(usual)) {
      const group = differing(value, usual)
      return Object.keys(group).length === 0 ? [] : [[field, group]]
    }
    return isDeepStrictEqual(value, usual) ? [] : [[field, withoutNulls(value)]]
  })
  return Object.fromEntries(written) as SourceSpec & { readonly name: string }
}

function differing(value: object, usual: object): object {
  const known = usual as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(value).filter(([name, one]) => !isDeepStrictEqual(one, known[name])),
  )
}

/** In logins, certificates and webhooks, null means that a field was left out. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isGroup(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null))
}

const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
