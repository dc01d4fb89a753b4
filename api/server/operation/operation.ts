import type { JsonSchema, Of, Schema } from "../schema/schemas.ts"

/** One parameter in the path or the query. */
export interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly required?: boolean
  readonly description: string
  readonly schema: JsonSchema
}

/** A successful answer. */
export interface Answer<T = unknown> {
  readonly description: string
  readonly schema: Schema<T>
  /** Media type; JSON when left out. */
  readonly type?: string
  /** Whether a caller can get the answer as {@link EVENT_STREAM} instead. */
  readonly streams?: boolean
}

/** Media type of server-sent events (HTML Living Standard, 9.2). */
export const EVENT_STREAM = "text/event-stream"
/** No schema describes a stream in more detail: some programs validate the whole text against it, others each event. */
export const EVENTS: JsonSchema = { description: "Server-sent events." }

/** A complete call with its answer. The tests make this call. */
export interface Example {
  /** A few words, for a list. */
  readonly summary: string
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
  readonly status: number
  /** A possible response; left out if the schema already describes it completely. */
  readonly answer?: unknown
}

/**
 * Required access: `none` means anyone, `key` any valid key, `admin` a key with the role admin in the header,
 * `operator` also a key with the role operator.
 */
export type Access = "none" | "key" | "operator" | "admin"

/** Number of entries that a server accepts in a search's lists of domains. */
export interface DomainCaps {
  readonly includeDomainsCap: number
  readonly excludeDomainsCap: number
}

/** A feature's description of its calls for the OpenAPI document. */
export interface Description {
  readonly operations: readonly Operation[]
  /** Additional entries of `#/components/schemas`; named schemas that operations use are found without this. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>
  /** Headings of the reference that no other feature has, each with a sentence. */
  readonly tags?: Readonly<Record<string, string>>
}

/** A body of a request. */
export interface Body<T = unknown> {
  /** The schema that callers see. */
  readonly schema: JsonSchema
  readonly required: boolean
  /** The schema used to check the body; without it, the handler checks the body. */
  readonly checked?: Schema<T>
}

type Method = "get" | "post" | "put" | "delete"

/** One method of one path, with the types of its query `Q`, its body `B`, its answer `A` and its path `P`. */
export interface Operation<Q = unknown, B = unknown, A = unknown, P extends string = string> {
  readonly id: string
  readonly method: Method
  /** `/admin/jobs/{id}` */
  readonly path: P
  /** The heading for the operation. */
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  readonly parameters?: readonly Parameter[]
  /** Schemas of the query parameters, by name. */
  readonly query?: Schema<Q>
  readonly body?: Body<B>
  readonly answers: Readonly<Record<number, Answer<A>>>
  /** Statuses of refusals, in addition to those that every call of this kind can have. */
  readonly refusals?: readonly number[]
  readonly examples?: readonly Example[]
}

type Fields = Readonly<Record<string, JsonSchema>>

/** An operation as a feature writes it, under its id. */
interface Written {
  /** `GET /admin/jobs/{id}` */
  readonly at: `${Uppercase<Method>} /${string}`
  readonly tag?: string
  readonly access?: Access
  readonly summary: string
  readonly description?: string
  /** Schemas of path parameters; by default, any text. */
  readonly path?: Fields
  readonly query?: Fields
  /** Names of the required query parameters. */
  readonly needs?: readonly string[]
  readonly body?: Body
  readonly answers: Readonly<Record<number, Answer>>
  readonly refusals?: readonly number[]
  /** The status defaults to the first one in `answers`. */
  readonly examples?: readonly (Omit<Example, "status"> & { readonly status?: number })[]
}

type QueryOf<F> = {
  readonly [K in keyof F]: F[K] extends { readonly default: unknown } ? Of<F[K]> : Of<F[K]> | undefined
}
type OperationOf<W extends Written> = Operation<
  W extends { readonly query: infer F } ? QueryOf<F> : unknown,
  W extends { readonly body: Body<infer B> } ? B : undefined,
  W["answers"] extends Readonly<Record<number, Answer<infer A>>> ? A : never,
  W["at"] extends `${string} ${infer P}` ? P : string
>

/** Operations by their ids. @param tag default for operations without a tag @param access default for operations without an access level */
export function operations<const W extends Readonly<Record<string, Written>>>(
  tag: string,
  access: Access,
  written: W,
): { readonly [Id in keyof W]: OperationOf<W[Id]> } {
  const all = Object.entries(written).map(([id, one]) => [id, operation(id, { tag, access, ...one })])
  return Object.fromEntries(all) as { readonly [Id in keyof W]: OperationOf<W[Id]> }
}

function operation(
  id: string,
  written: Written & { readonly tag: string; readonly access: Access },
): Operation {
  const { at, path: inPath = {}, query = {}, needs = [], examples = [], ...rest } = written
  const [method = "", path = ""] = at.split(" ")
  const status = Number(Object.keys(rest.answers)[0])
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1]!)
  const parameters = [
    ...names.map((name) => ({ ...parameter(name, "path", inPath[name] ?? ANY), required: true })),
    ...Object.entries(query).map(([name, schema]) => ({
      ...parameter(name, "query", schema),
      ...(needs.includes(name) && { required: true }),
    })),
  ]
  return {
    id,
    method: method.toLowerCase() as Method,
    path,
    ...rest,
    query,
    ...(parameters.length > 0 && { parameters }),
    examples: examples.map((example) => ({ status, ...example })),
  }
}

const ANY: JsonSchema = { type: "string", minLength: 1, description: "Its id." }

function parameter(name: string, place: Parameter["in"], schema: JsonSchema): Parameter {
  const { description, ...rules } = schema
  return { name, in: place, description: String(description), schema: rules }
}

type Success<Status extends number, T> = { readonly [S in Status]: Answer<T> }

/** The responses of an operation that succeeds with 200. */
export const ok = <T>(schema: Schema<T>, description: string): Success<200, T> => ({
  200: { description, schema },
})
/** The responses of an operation that succeeds with 201. */
export const created = <T>(schema: Schema<T>, description: string): Success<201, T> => ({
  201: { description, schema },
})
/** The responses of an operation that succeeds with 202. */
export const accepted = <T>(schema: Schema<T>, description: string): Success<202, T> => ({
  202: { description, schema },
})
