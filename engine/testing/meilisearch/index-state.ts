import { type Change, type Document, type DocumentChange, canonical, hash } from "./api-request.ts"

/** The properties of a document that answers depend on: hashes of its content and of its vectors. */
export interface DocumentVersion {
  readonly id: string
  readonly content: string
  readonly vectors: string
}

/** The state of an index: its documents and settings. Equal states produce equal answers. */
export interface IndexState {
  /** Equal states have equal keys. */
  readonly key: string
  readonly exists: boolean
  /** Hash of the settings and the primary key. */
  readonly shape: string
  readonly documents: ReadonlyMap<string, DocumentVersion>
}

export const ABSENT: IndexState = { key: "absent", exists: false, shape: "", documents: new Map() }

/** A document before and after a change; null means that it doesn't exist. */
export type Succession = readonly [from: DocumentVersion | null, to: DocumentVersion | null]

/** The indexes of one place, in the state that the requested changes left them in. */
export class PlaceState {
  readonly #indexes = new Map<string, TrackedIndex>()

  stateOf(index: string): IndexState {
    return this.#indexes.get(index)?.state() ?? ABSENT
  }

  /** The indexes that a change affects. */
  static indexesOf(change: Change): string[] {
    return change.kind === "swap" ? change.pairs.flat() : [change.index]
  }

  /**
   * Applies a change that the server made.
   * @param found ids that the server removed, if only the server could tell which.
   * @returns the affected documents, before and after.
   */
  apply(change: Change, found: readonly string[] = []): Succession[] {
    switch (change.kind) {
      case "create": {
        this.#indexes.set(change.index, new TrackedIndex(change.primaryKey))
        break
      }
      case "delete": {
        this.#indexes.delete(change.index)
        break
      }
      case "swap": {
        for (const [one, other] of change.pairs) {
          const [a, b] = [this.#indexes.get(one), this.#indexes.get(other)]
          if (b) this.#indexes.set(one, b)
          else this.#indexes.delete(one)
          if (a) this.#indexes.set(other, a)
          else this.#indexes.delete(other)
        }
        break
      }
      case "settings": {
        this.#made(change.index).set(change.settings)
        break
      }
      case "documents":
        return this.#changeDocuments(this.#made(change.index), change.change, found)
    }
    return []
  }

  #changeDocuments(index: TrackedIndex, change: DocumentChange, found: readonly string[]): Succession[] {
    if (change.kind === "add") return change.documents.map((document) => index.put(document, change.partial))
    const gone = change.kind === "remove" ? change.ids : change.kind === "remove all" ? index.ids() : found
    return gone.flatMap((id) => index.remove(id))
  }

  ids(index: string): string[] {
    return this.#indexes.get(index)?.ids() ?? []
  }

  primaryKey(index: string): string {
    return this.#indexes.get(index)?.primaryKey ?? "id"
  }

  /** A server creates an index when the first document or setting is written to it. */
  #made(name: string): TrackedIndex {
    const known = this.#indexes.get(name)
    if (known) return known
    const made = new TrackedIndex(null)
    this.#indexes.set(name, made)
    return made
  }
}

class TrackedIndex {
  readonly #primaryKey: string | null
  readonly #settings = new Map<string, string>()
  readonly #fields = new Map<string, Map<string, string>>()
  readonly #versions = new Map<string, DocumentVersion>()
  /** Sum of the documents' hashes: independent of order, and quickly updated when one document changes. */
  #sum = 0n
  #state: IndexState | null = null

  constructor(primaryKey: string | null) {
    this.#primaryKey = primaryKey
  }

  get primaryKey(): string {
    return this.#primaryKey ?? "id"
  }

  state(): IndexState {
    if (this.#state) return this.#state
    const shape = hash(canonical([this.#primaryKey, [...this.#settings].sort(byName)]))
    const key = `${shape}-${this.#sum.toString(16)}`
    this.#state = { key, exists: true, shape, documents: new Map(this.#versions) }
    return this.#state
  }

  ids(): string[] {
    return [...this.#versions.keys()]
  }

  set(settings: ReadonlyMap<string, unknown>): void {
    this.#state = null
    for (const [name, value] of settings) {
      if (value === null) this.#settings.delete(name)
      else this.#settings.set(name, hash(canonical(value)))
    }
  }

  put(document: Document, partial: boolean): Succession {
    const id = String(document[this.primaryKey])
    const fields = new Map(partial ? this.#fields.get(id) : undefined)
    for (const [name, value] of Object.entries(document)) fields.set(name, hash(canonical(value)))
    const former = this.#forget(id)
    const said = [...fields].filter(([name]) => name !== "_vectors").sort(byName)
    const version = { id, content: hash(canonical(said)), vectors: fields.get("_vectors") ?? "" }
    this.#fields.set(id, fields)
    this.#versions.set(id, version)
    this.#sum = BigInt.asUintN(64, this.#sum + hashOf(version))
    return [former, version]
  }

  remove(id: string): Succession[] {
    const former = this.#forget(id)
    return former ? [[former, null]] : []
  }

  #forget(id: string): DocumentVersion | null {
    this.#state = null
    const former = this.#versions.get(id)
    if (!former) return null
    this.#versions.delete(id)
    this.#fields.delete(id)
    this.#sum = BigInt.asUintN(64, this.#sum - hashOf(former))
    return former
  }
}

const byName = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : 1)
const hashOf = ({ id, content, vectors }: DocumentVersion) =>
  BigInt(`0x${hash(`${id}\n${content}\n${vectors}`)}`)
