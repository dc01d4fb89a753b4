import { createHash } from "node:crypto"

/** A request to Meilisearch's HTTP API as received: the path with its query, the body as text. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly body: string
}

/** A read of one index, or of the server if `index` is null. */
export interface Read {
  readonly index: string | null
  /** Equal for requests that ask the same thing. */
  readonly key: string
  /** The id of the only document that the answer depends on; if omitted, the answer depends on the whole index. */
  readonly document?: string
}

export type DocumentChange =
  | { readonly kind: "add"; readonly documents: readonly Document[]; readonly partial: boolean }
  | { readonly kind: "remove"; readonly ids: readonly string[] }
  | { readonly kind: "remove all" }
  /** Only the server can tell which documents are removed. */
  | { readonly kind: "remove found" }

export type Document = Readonly<Record<string, unknown>>

export type Change =
  | { readonly kind: "documents"; readonly index: string; readonly change: DocumentChange }
  | { readonly kind: "settings"; readonly index: string; readonly settings: ReadonlyMap<string, unknown> }
  | { readonly kind: "create"; readonly index: string; readonly primaryKey: string | null }
  | { readonly kind: "delete"; readonly index: string }
  | { readonly kind: "swap"; readonly pairs: ReadonlyArray<readonly [string, string]> }

export type Understood =
  | { readonly kind: "read"; readonly read: Read }
  /** Documents by their ids: each is a separate question. */
  | { readonly kind: "documents"; readonly reads: readonly Read[]; readonly limit: number }
  /** A multi-search: each query is a separate question; if the server refuses the request, all queries together are one question. */
  | { readonly kind: "reads"; readonly reads: readonly Read[]; readonly whole: Read }
  | { readonly kind: "change"; readonly change: Change; readonly key: string }
  | { readonly kind: "task"; readonly uid: number }
  | { readonly kind: "tasks" }
  | { readonly kind: "unknown" }

const INDEX_ROUTE = /^\/indexes\/([^/]+)(?:\/(.*))?$/

/** Works out what a request asks of the server. Index names must already be independent of the place: see {@link withoutPlace}. */
export function understand({ method, path, body }: ApiRequest): Understood {
  const { pathname, searchParams } = new URL(path, "http://server")
  const [, name, rest = ""] = INDEX_ROUTE.exec(pathname) ?? []
  const index = name === undefined ? undefined : decodeURIComponent(name)
  searchParams.sort()
  const read = (of: string | null): Understood => ({
    kind: "read",
    read: { index: of, key: keyOf([method, pathname, searchParams.toString(), parsed(body)]) },
  })
  const change = (of: Change): Understood => ({
    kind: "change",
    change: of,
    key: keyOf([method, pathname, parsed(body)]),
  })
  const documents = (of: DocumentChange) => change({ kind: "documents", index: index!, change: of })

  const route = `${method} ${index === undefined ? pathname : `/indexes/:index${rest === "" ? "" : `/${rest}`}`}`
  switch (route) {
    case "GET /health":
    case "GET /version":
      return read(null)
    case "GET /tasks":
      return { kind: "tasks" }
    case "POST /multi-search":
      return searches(parsed(body) as MultiSearch)
    case "POST /swap-indexes":
      return change({
        kind: "swap",
        pairs: (parsed(body) as Array<{ indexes: [string, string] }>).map(({ indexes }) => indexes),
      })
    case "POST /indexes": {
      const { uid, primaryKey } = parsed(body) as { uid: string; primaryKey?: string }
      return change({ kind: "create", index: uid, primaryKey: primaryKey ?? null })
    }
    case "DELETE /indexes/:index":
      return change({ kind: "delete", index: index! })
    case "POST /indexes/:index/documents":
    case "PUT /indexes/:index/documents":
      return documents({ kind: "add", documents: documentsIn(body), partial: method === "PUT" })
    case "DELETE /indexes/:index/documents":
      return documents({ kind: "remove all" })
    case "POST /indexes/:index/documents/delete-batch":
      return documents({ kind: "remove", ids: (parsed(body) as unknown[]).map(String) })
    case "POST /indexes/:index/documents/delete":
      return documents({ kind: "remove found" })
    case "PATCH /indexes/:index/settings":
      return change({
        kind: "settings",
        index: index!,
        settings: new Map(Object.entries(parsed(body) as object)),
      })
    case "GET /indexes/:index":
    case "GET /indexes/:index/stats":
    case "GET /indexes/:index/settings":
    case "GET /indexes/:index/documents":
      return read(index!)
    case "POST /indexes/:index/documents/fetch":
      return fetchOf(index!, parsed(body) as Fetch) ?? read(index!)
    case "POST /indexes/:index/search":
    case "POST /indexes/:index/facet-search":
    case "POST /indexes/:index/similar":
      return read(index!)
  }
  const [, uid] = /^GET \/tasks\/(\d+)$/.exec(route) ?? []
  if (uid !== undefined) return { kind: "task", uid: Number(uid) }
  if (index === undefined) return { kind: "unknown" }
  const [, id] = /^documents\/([^/]+)$/.exec(rest) ?? []
  if (id !== undefined && method === "GET") {
    const key = keyOf(["document", id, searchParams.toString()])
    return { kind: "read", read: { index, key, document: decodeURIComponent(id) } }
  }
  if (id !== undefined && method === "DELETE")
    return documents({ kind: "remove", ids: [decodeURIComponent(id)] })
  return { kind: "unknown" }
}

/** Index names in the contract suite include their place, which differs each time. */
const PLACE = /contract-[0-9a-f]{12}/g
export const NEUTRAL = "contract-place"

/** @returns the request as it would be sent for any place, and the place; null if it names no place, or several. */
export function withoutPlace(request: ApiRequest): { request: ApiRequest; place: string | null } {
  const places = new Set([...request.path.matchAll(PLACE), ...request.body.matchAll(PLACE)].map(String))
  if (places.size !== 1) return { request, place: null }
  const path = request.path.replaceAll(PLACE, NEUTRAL)
  return { request: { ...request, path, body: neutral(request.body) }, place: [...places][0]! }
}

/** An answer without the name of the place it was sent to. */
export function neutral(text: string): string {
  return text.replaceAll(PLACE, NEUTRAL)
}

/** An answer as sent to this place. */
export function ofPlace(text: string, place: string | null): string {
  return place === null ? text : text.replaceAll(NEUTRAL, place)
}

export function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16)
}

/** A list of numbers in a filter is a set, so its order doesn't matter. */
const LIST = /IN \[([\d, ]+)\]/g
const inOrder = (filter: string) =>
  filter.replace(LIST, (_, numbers: string) => `IN [${numbers.split(", ").sort(byText).join(", ")}]`)
const byText = (a: string, b: string) => (a < b ? -1 : 1)

/** JSON with each object's keys in sorted order, so that equal values have equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

const keyOf = (parts: readonly unknown[]) => hash(inOrder(canonical(parts)))

interface Fetch {
  readonly ids?: readonly string[]
  readonly filter?: unknown
  readonly fields?: readonly string[]
  readonly limit?: number
}

/** The parts of a request that only asks for documents by their ids; null for any other request. */
function fetchOf(index: string, { ids, filter, limit = 0, ...rest }: Fetch): Understood | null {
  const filtered = filter !== undefined && !(Array.isArray(filter) && filter.length === 0)
  if (!ids || filtered || limit < ids.length || rest.fields?.includes("id") === false || "sort" in rest)
    return null
  const reads = ids.map((document) => ({ index, document, key: keyOf(["fetch", document, rest]) }))
  return { kind: "documents", reads, limit }
}

interface MultiSearch {
  readonly queries: ReadonlyArray<{ readonly indexUid: string }>
  readonly federation?: unknown
}

function searches({ queries, federation }: MultiSearch): Understood {
  // The answer combines several indexes, so it doesn't belong to the state of any single one.
  if (federation) return { kind: "unknown" }
  const reads = queries.map(({ indexUid, ...query }) => ({ index: indexUid, key: keyOf(["query", query]) }))
  return {
    kind: "reads",
    reads,
    whole: { index: queries[0]?.indexUid ?? null, key: keyOf(["queries", queries]) },
  }
}

function parsed(body: string): unknown {
  return body === "" ? null : JSON.parse(body)
}

/** A JSON list, a single document, or one document per line. */
function documentsIn(body: string): Document[] {
  try {
    const given = JSON.parse(body) as Document | Document[]
    return Array.isArray(given) ? given : [given]
  } catch {
    const lines = body.split("\n").filter((line) => line.trim() !== "")
    return lines.map((line) => JSON.parse(line) as Document)
  }
}
