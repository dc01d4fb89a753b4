import type { ReadersNow } from "#crawler/sources/readers/readers-now.ts"
import type { PagesOfReaders } from "#engine"
import { EVERYBODY, mayRead, type Principal, type Readers, SIGNED_IN } from "#engine/index/page/readers.ts"

import type { Collections } from "../../identity/accounts/reach/collections.ts"
import { ofPerson, type People, roleTest } from "./asked-person.ts"
import { namedIn } from "./groups.ts"
import { type AllPeople, knownPeople } from "./known-people.ts"

/** A change that admits more than this share of the people, or opens more than this share of the pages, gets a warning. */
const WIDE_SHARE = 0.2

interface Change {
  readonly before: number
  readonly after: number
}

/** The effects of changing a source's readers. */
export interface ReadersPreview {
  /** Number of pages in the source. */
  readonly pages: number
  /** Number of pages that gain at least one reader, and of pages that lose one. */
  readonly pagesGained: number
  readonly pagesLost: number
  /** Number of people whom a source's readers can exclude: those who have rights and aren't admins. */
  readonly people: number
  readonly gaining: readonly string[]
  readonly losing: readonly string[]
  /** Number of pages that anyone may read, signed in or not, before and after the change. */
  readonly everybody: Change
  /** Number of pages that anyone who has signed in may read, before and after the change. */
  readonly signedIn: Change
  /** Reasons to check the change again. */
  readonly warnings: readonly string[]
}

export interface PreviewParts {
  readonly store: AllPeople
  readonly people: People
  readonly collections: Pick<Collections, "sourcesOf">
  readonly now: ReadersNow
  readonly counts: readonly PagesOfReaders[]
}

type Rows = ReadonlySet<PagesOfReaders>
const NO_ROWS: Rows = new Set()

/** The people who gain or lose pages when a source's readers change, and which pages those are. */
export async function previewReaders(
  source: string,
  after: Readers,
  { store, people, collections, now, counts }: PreviewParts,
): Promise<ReadersPreview> {
  const before = now.sources.get(source) ?? EVERYBODY
  const rows = counts.filter(({ sources }) => sources.includes(source))
  const pages = pagesFor(rows, source, now)
  /** The pages that these principals gain and lose. Only the rule of the source changes; the other rules of its pages stay the same. */
  const changeOf = (principals: readonly Principal[]) => {
    const who = new Set(principals)
    const [was, is] = [mayRead(who, before), mayRead(who, after)]
    return {
      gained: is && !was ? pages(principals) : NO_ROWS,
      lost: was && !is ? pages(principals) : NO_ROWS,
    }
  }
  const gaining: string[] = []
  const losing: string[] = []
  const gained = new Set<PagesOfReaders>()
  const lost = new Set<PagesOfReaders>()
  const add = (principals: readonly Principal[]) => {
    const change = changeOf(principals)
    for (const row of change.gained) gained.add(row)
    for (const row of change.lost) lost.add(row)
    return change
  }
  const leaves = roleTest([source], collections)
  let total = 0
  for await (const person of knownPeople(store)) {
    const asked = ofPerson(person, people)
    if (asked.refusal !== null || asked.principals === null) continue
    total += 1
    if ((await leaves(asked)) === false) continue
    const change = add(asked.principals)
    if (change.gained.size > 0) gaining.push(person.user)
    if (change.lost.size > 0) losing.push(person.user)
  }
  for (const principals of [[], [SIGNED_IN]]) add(principals)
  const open = (principals: readonly Principal[]): Change => {
    const who = new Set(principals)
    const count = (own: Readers) => (mayRead(who, own) ? sum(pages(principals)) : 0)
    return { before: count(before), after: count(after) }
  }
  const found = {
    pages: sum(rows),
    pagesGained: sum(gained),
    pagesLost: sum(lost),
    people: total,
    gaining,
    losing,
    everybody: open([]),
    signedIn: open([SIGNED_IN]),
  }
  return { ...found, warnings: warningsOf(source, found) }
}

/** The pages of a source that the other rules allow these principals to see. Principals that no rule names are ignored, so that many people share one result. */
function pagesFor(
  rows: readonly PagesOfReaders[],
  source: string,
  now: ReadersNow,
): (principals: readonly Principal[]) => Rows {
  const readersOf = new Map(rows.map((row) => [row, readersOfRow(row, source, now)]))
  const named = new Set([...readersOf.values()].flat().flatMap(namedIn))
  const known = new Map<string, Rows>()
  return (principals) => {
    const who = new Set(principals.filter((one) => named.has(one)).sort())
    const key = JSON.stringify([...who])
    const seen =
      known.get(key) ?? new Set(rows.filter((row) => readersOf.get(row)!.every((one) => mayRead(who, one))))
    known.set(key, seen)
    return seen
  }
}

/** The readers that apply to a row's pages, without those set for the source itself. An unknown label admits no one. */
function readersOfRow(
  { sources, label }: PagesOfReaders,
  source: string,
  now: ReadersNow,
): readonly Readers[] {
  const others = sources.filter((name) => name !== source).map((name) => now.sources.get(name) ?? EVERYBODY)
  return [...others, ...(label === null ? [] : (now.rules.get(label) ?? [{ allow: [[]], deny: [] }]))]
}

const sum = (rows: Iterable<PagesOfReaders>): number =>
  [...rows].reduce((total, { pages }) => total + pages, 0)

function warningsOf(source: string, found: Omit<ReadersPreview, "warnings">): readonly string[] {
  const { pages, people, gaining, everybody, signedIn } = found
  const isWide = ({ before, after }: Change) => after - before > WIDE_SHARE * pages
  const opened = ({ before, after }: Change) =>
    `${after} of the ${pages} pages of ${source}; now they can read ${before === 0 ? "none" : before}`
  return [
    ...(isWide(everybody) ? [`Everybody could read ${opened(everybody)}.`] : []),
    ...(isWide(signedIn) && !isWide(everybody)
      ? [`Everybody who signs in could read ${opened(signedIn)}.`]
      : []),
    ...(gaining.length > WIDE_SHARE * people
      ? [`${gaining.length} of ${people} people could read pages of ${source} that they can't read now.`]
      : []),
  ]
}
