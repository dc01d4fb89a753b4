/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** One parameter in the path or the query. */
export interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly required?: boolean
  readonly description: string
  readonly schema: JsonSchema
}

/** A parameter in the query. */
export const query = (
  name: string,
  description: string,
  schema: JsonSchema,
  required = false,
): Parameter => ({
  name,
  in: "query",
  description,
  schema,
  ...(required && { required }),
})

/** An answer that is a success. */
export interface Answer {
  readonly description: string
  readonly schema: JsonSchema
  /** Media type; JSON when left out. */
  readonly type?: string
  /** Whether a caller may have it as {@link EVENT_STREAM} instead. */
  readonly streams?: boolean
}

/** Media type of server-sent events (HTML Living Standard, 9.2). */
export const EVENT_STREAM = "text/event-stream"
/** No schema says more of a stream: some programs hold it against all of the text, others against each event. */
export const EVENTS: JsonSchema = { description: "Server-sent events." }

/** A call that can be made as it stands, and how it is answered. The tests make it. */
export interface Example {
  /** In a few words, for a list. */
  readonly summary: string
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
  readonly status: number
  /** An answer as it may come; left out where the schema says it all. */
  readonly answer?: unknown
}

/**
 * Who may call: `none` is anybody, `key` any valid key, `admin` a key of the role admin in the header.
 */
export type Access = "none" | "key" | "admin"

/** Entries of lists of domains that a server takes in a search. */
export interface DomainCaps {
  readonly includeDomainsCap: number
  readonly excludeDomainsCap: number
}

/** What a feature says of its calls in the OpenAPI document. */
export interface Description {
  readonly operations: readonly Operation[]
  /** In `#/components/schemas`, by name. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** Headings of the reference that no other feature has, each with a sentence. */
  readonly tags?: Readonly<Record<string, string>>
}

/** One method of one path. */
export interface Operation {
  readonly id: string
  readonly method: "get" | "post" | "put" | "delete"
  /** `/admin/jobs/{id}` */
  readonly path: string
  /** Heading it stands under. */
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  readonly parameters?: readonly Parameter[]
  readonly body?: { readonly schema: JsonSchema; readonly required: boolean }
  readonly answers: Readonly<Record<number, Answer>>
  /** Statuses of refusals beside those that every call of its kind can have. */
  readonly refusals?: readonly number[]
  readonly examples?: readonly Example[]
}
