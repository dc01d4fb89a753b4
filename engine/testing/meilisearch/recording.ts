import { readFileSync, writeFileSync } from "node:fs"
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib"
import type { Read } from "./api-request.ts"
import type { DocumentVersion, IndexState, Succession } from "./index-state.ts"

export interface Answer {
  readonly status: number
  readonly body: string
}

/** How a change ended. */
export interface Outcome {
  /** The server's immediate answer, if the server rejected the change. */
  readonly refused?: Answer
  /** The error of the task, if it failed. */
  readonly error?: unknown
  /** Ids that the server removed, if only the server could tell which. */
  readonly removed?: readonly string[]
}

interface Kept {
  readonly state: number
  readonly value: number
}

interface Written {
  readonly format: 1
  readonly server: string
  readonly date: string
  readonly suite: string
  readonly documents: ReadonlyArray<readonly [id: string, content: string, vectors: string]>
  /** The documents of each state, by position in the list above, each position as the difference from the one before. */
  readonly states: ReadonlyArray<readonly [key: string, exists: 0 | 1, shape: string, ...number[]]>
  /** Pairs of positions of documents, before and after a change; -1 means no document. */
  readonly successions: readonly number[]
  readonly answers: readonly string[]
  /** By the request's key: pairs of a state and an answer; -1 means no state. */
  readonly reads: Readonly<Record<string, readonly number[]>>
  /** Like `reads`, for requests about one document: pairs of its version and an answer; -1 means no document. */
  readonly documentReads: Readonly<Record<string, readonly number[]>>
  readonly outcomes: readonly string[]
  readonly changes: Readonly<Record<string, readonly number[]>>
}

const FORMAT = 1
const NO_STATE = -1

/** A real server's recorded answers, by question and by the state of the index (or document) at the time. */
export class Recording {
  readonly server: string
  readonly date: string
  /** Hash of the recorded stories. */
  readonly suite: string
  readonly #documents = new Numbered<DocumentVersion>(
    ({ id, content, vectors }) => `${id}\n${content}\n${vectors}`,
  )
  readonly #states = new Numbered<IndexState>(({ key }) => key)
  readonly #shapes = new Set<string>()
  readonly #next = new Map<number, Set<number>>()
  readonly #answers = new Numbered<Answer>(({ status, body }) => `${status} ${body}`)
  readonly #reads = new Map<string, Kept[]>()
  readonly #documentReads = new Map<string, Kept[]>()
  readonly #outcomes = new Numbered<Outcome>((outcome) => JSON.stringify(outcome))
  readonly #changes = new Map<string, Kept[]>()
  /** Number of answers that differed from the one already stored for the same question and state. */
  differing = 0

  constructor(about: { readonly server: string; readonly date: string; readonly suite: string }) {
    this.server = about.server
    this.date = about.date
    this.suite = about.suite
  }

  /** @param state state of the index that was asked; null if no index was. */
  keepAnswer(read: Read, state: IndexState | null, answer: Answer): void {
    if (read.document !== undefined) {
      const version = state?.documents.get(read.document)
      this.#keepOfDocument(read.key, version ? this.#documents.add(version) : NO_STATE, answer)
      return
    }
    const kept = { state: state ? this.keepState(state) : NO_STATE, value: this.#answers.add(answer) }
    if (add(this.#reads, read.key, kept) === "differs") this.differing++
  }

  #keepOfDocument(key: string, version: number, answer: Answer): void {
    const kept = { state: version, value: this.#answers.add(answer) }
    if (add(this.#documentReads, key, kept) === "differs") this.differing++
  }

  /** @param state state of the index before it was changed. */
  keepOutcome(key: string, state: IndexState, outcome: Outcome): void {
    add(this.#changes, key, { state: this.keepState(state), value: this.#outcomes.add(outcome) })
  }

  keepState(state: IndexState): number {
    this.#shapes.add(state.shape)
    return this.#states.add(state)
  }

  keepSuccessions(successions: readonly Succession[]): void {
    for (const [from, to] of successions) {
      const [a, b] = [from, to].map((one) => (one ? this.#documents.add(one) : NO_STATE)) as [number, number]
      if (a === b) continue
      if (!this.#next.has(a)) this.#next.set(a, new Set())
      this.#next.get(a)!.add(b)
    }
  }

  knowsDocument(version: DocumentVersion): boolean {
    return this.#documents.numberOf(version) !== undefined
  }

  /** Whether an index with these settings was ever recorded. */
  knowsShape(shape: string): boolean {
    return this.#shapes.has(shape)
  }

  /** The answer in this state, or else in the nearest state in which the same question was asked. */
  answerTo(read: Read, state: IndexState | null): { answer: Answer; exact: boolean } | null {
    const found =
      read.document === undefined
        ? this.#inState(this.#reads.get(read.key) ?? [], state)
        : this.#inVersion(
            this.#documentReads.get(read.key) ?? [],
            state?.documents.get(read.document) ?? null,
          )
    return found && { answer: this.#answers.at(found.kept.value), exact: found.exact }
  }

  outcomeOf(key: string, state: IndexState): Outcome | null {
    const found = this.#inState(this.#changes.get(key) ?? [], state)
    return found && this.#outcomes.at(found.kept.value)
  }

  merge(other: Recording): void {
    for (const state of other.#states.all) this.keepState(state)
    for (const [from, all] of other.#next) {
      const version = (at: number) => (at === NO_STATE ? null : other.#documents.at(at))
      this.keepSuccessions([...all].map((to) => [version(from), version(to)]))
    }
    const stateAt = (at: number) => (at === NO_STATE ? null : other.#states.at(at))
    for (const [key, kept] of other.#reads) {
      const read = { index: null, key }
      for (const { state, value } of kept) this.keepAnswer(read, stateAt(state), other.#answers.at(value))
    }
    for (const [key, kept] of other.#documentReads) {
      for (const { state, value } of kept) {
        const version = state === NO_STATE ? NO_STATE : this.#documents.add(other.#documents.at(state))
        this.#keepOfDocument(key, version, other.#answers.at(value))
      }
    }
    for (const [key, kept] of other.#changes)
      for (const { state, value } of kept) this.keepOutcome(key, stateAt(state)!, other.#outcomes.at(value))
    this.differing += other.differing
  }

  get counts(): { readonly requests: number; readonly states: number; readonly answers: number } {
    return {
      requests: this.#reads.size + this.#documentReads.size,
      states: this.#states.all.length,
      answers: this.#answers.all.length,
    }
  }

  save(file: string): void {
    const states = this.#states.all.map(({ key, exists, shape, documents }) => {
      const at = [...documents.values()].map((one) => this.#documents.add(one)).sort((a, b) => a - b)
      const steps = at.map((one, i) => one - (at[i - 1] ?? 0))
      return [key, exists ? 1 : 0, shape, ...steps] as const
    })
    const pairs = (of: Map<string, Kept[]>) =>
      Object.fromEntries(
        [...of].map(([key, kept]) => [key, kept.flatMap(({ state, value }) => [state, value])]),
      )
    const written: Written = {
      format: FORMAT,
      server: this.server,
      date: this.date,
      suite: this.suite,
      documents: this.#documents.all.map(({ id, content, vectors }) => [id, content, vectors]),
      states,
      successions: [...this.#next].flatMap(([from, all]) => [...all].flatMap((to) => [from, to])),
      answers: this.#answers.all.map(({ status, body }) => `${status} ${body}`),
      reads: pairs(this.#reads),
      documentReads: pairs(this.#documentReads),
      outcomes: this.#outcomes.all.map((outcome) => JSON.stringify(outcome)),
      changes: pairs(this.#changes),
    }
    const params = { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_windowLog]: 26 }
    writeFileSync(file, zstdCompressSync(JSON.stringify(written), { params }))
  }

  static load(file: string): Recording {
    const written = JSON.parse(zstdDecompressSync(readFileSync(file)).toString()) as Written
    if (written.format !== FORMAT) throw new Error(`${file} is of another format. Record it again.`)
    const recording = new Recording(written)
    for (const [id, content, vectors] of written.documents) recording.#documents.add({ id, content, vectors })
    for (const [key, exists, shape, ...steps] of written.states) {
      const documents = new Map<string, DocumentVersion>()
      let at = 0
      for (const step of steps) {
        const version = recording.#documents.at((at += step))
        documents.set(version.id, version)
      }
      recording.keepState({ key, exists: exists === 1, shape, documents })
    }
    for (const [from, to] of inPairs(written.successions)) {
      if (!recording.#next.has(from)) recording.#next.set(from, new Set())
      recording.#next.get(from)!.add(to)
    }
    for (const line of written.answers) {
      recording.#answers.add({ status: Number(line.slice(0, 3)), body: line.slice(4) })
    }
    for (const line of written.outcomes) recording.#outcomes.add(JSON.parse(line) as Outcome)
    const kept = (pairs: readonly number[]) => inPairs(pairs).map(([state, value]) => ({ state, value }))
    for (const [key, pairs] of Object.entries(written.reads)) recording.#reads.set(key, kept(pairs))
    for (const [key, pairs] of Object.entries(written.documentReads))
      recording.#documentReads.set(key, kept(pairs))
    for (const [key, pairs] of Object.entries(written.changes)) recording.#changes.set(key, kept(pairs))
    return recording
  }

  /** The answer for this version of the document, or else for another, preferably a later one. */
  #inVersion(all: readonly Kept[], version: DocumentVersion | null): { kept: Kept; exact: boolean } | null {
    const at = version ? this.#documents.numberOf(version) : NO_STATE
    const exact = all.find((kept) => kept.state === at)
    if (exact) return { kept: exact, exact: true }
    const there = all.filter(({ state }) => state !== NO_STATE)
    const ahead = there.find(({ state }) => this.#becomes(version, this.#documents.at(state)))
    const kept = version && (ahead ?? there[0])
    return kept ? { kept, exact: false } : null
  }

  #inState(all: readonly Kept[], state: IndexState | null): { kept: Kept; exact: boolean } | null {
    const at = state ? this.#states.numberOf(state) : NO_STATE
    const exact = all.find((kept) => kept.state === at)
    if (exact) return { kept: exact, exact: true }
    let nearest: Kept | null = null
    let least = Number.POSITIVE_INFINITY
    for (const kept of all) {
      const distance =
        state && kept.state !== NO_STATE ? this.#distance(state, this.#states.at(kept.state)) : null
      if (distance === null || distance >= least) continue
      nearest = kept
      least = distance
    }
    return nearest && { kept: nearest, exact: false }
  }

  /** Number of documents that differ, plus a penalty for states that aren't ahead in time, so that those ahead come first. Null if settings differ. */
  #distance(from: IndexState, to: IndexState): number | null {
    if (from.exists !== to.exists || from.shape !== to.shape) return null
    let differing = 0
    let ahead = true
    for (const id of new Set([...from.documents.keys(), ...to.documents.keys()])) {
      const [a, b] = [from.documents.get(id) ?? null, to.documents.get(id) ?? null]
      if (a && b && a.content === b.content && a.vectors === b.vectors) continue
      differing++
      ahead &&= this.#becomes(a, b)
    }
    return differing + (ahead ? 0 : BEHIND)
  }

  #becomes(from: DocumentVersion | null, to: DocumentVersion | null): boolean {
    if (!from) return true
    const start = this.#documents.numberOf(from)
    const goal = to ? this.#documents.numberOf(to) : NO_STATE
    if (start === undefined || goal === undefined) return false
    const seen = new Set([start])
    for (const one of seen) {
      if (one === goal) return true
      if (one !== NO_STATE) for (const next of this.#next.get(one) ?? []) seen.add(next)
    }
    return false
  }
}

const BEHIND = 1_000_000

/** Stores equal values once, and numbers them. */
class Numbered<T> {
  readonly all: T[] = []
  readonly #keyOf: (value: T) => string
  readonly #numbers = new Map<string, number>()

  constructor(keyOf: (value: T) => string) {
    this.#keyOf = keyOf
  }

  add(value: T): number {
    const key = this.#keyOf(value)
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.all.length)
    return this.all.push(value) - 1
  }

  numberOf(value: T): number | undefined {
    return this.#numbers.get(this.#keyOf(value))
  }

  at(number: number): T {
    return this.all[number]!
  }
}

/** Adds an answer; the first answer for a state is kept. */
function add(to: Map<string, Kept[]>, key: string, kept: Kept): "new" | "same" | "differs" {
  const all = to.get(key) ?? []
  to.set(key, all)
  const before = all.find(({ state }) => state === kept.state)
  if (before) return before.value === kept.value ? "same" : "differs"
  all.push(kept)
  return "new"
}

function inPairs(numbers: readonly number[]): Array<[number, number]> {
  return Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i]!, numbers[2 * i + 1]!])
}
