import { breather } from "#base/flow/breather.ts"
import type { ReadersNow } from "#crawler/sources/readers/readers-now.ts"
import type { PagesOfReaders } from "#engine"
import { EVERYBODY, mayRead, type Principal, type Readers, SIGNED_IN } from "#engine/index/page/readers.ts"

import type { PersonStore } from "../../identity/people/person-store.ts"
import type { Collections } from "../../identity/accounts/reach/collections.ts"
import { ofPerson, type People } from "./asked-person.ts"
import { namedIn } from "./groups.ts"
import { knownPeople } from "./known-people.ts"

/** A change that lets in more than this share of the people or to more than this share of the pages gets a warning. */
export const WIDE_SHARE = 0.2

interface Change {
  readonly before: number
  readonly after: number
}

/** What a change of a source's readers would do. */
export interface ReadersPreview {
  /** Of the source. */
  readonly pages: number
  /** Pages that somebody could read whom the readers keep out now, and the reverse. */
  readonly pagesGained: number
  readonly pagesLost: number
  /** People whom readers may keep out: admins and those who may do nothing aren't among them. */
  readonly people: number
  readonly gaining: readonly string[]
  readonly losing: readonly string[]
  /** Pages that anybody may read who searches, signed in or not. */
  readonly everybody: Change
  /** Pages that everybody who signed in may read. */
  readonly signedIn: Change
  /** Why the change should be looked at twice. */
  readonly warnings: readonly string[]
}

export interface PreviewParts {
  readonly store: Pick<PersonStore, "list">
  readonly people: People
  readonly collections: Pick<Collections, "sourcesOf">
  readonly now: ReadersNow
  readonly counts: readonly PagesOfReaders[]
}

/** People of whom readers of the source say the same, and the pages that they gain and lose. */
interface Alike {
  readonly users: string[]
  readonly rows: { readonly before: ReadonlySet<PagesOfReaders>; readonly after: ReadonlySet<PagesOfReaders> }
}

/** Who gains and who loses which pages when the readers of a source change. */
export async function previewReaders(
  source: string,
  after: Readers,
  { store, people, collections, now, counts }: PreviewParts,
): Promise<ReadersPreview> {
  const before = now.sources.get(source) ?? EVERYBODY
  const rows = counts.filter(({ sources }) => sources.includes(source))
  const readersOf = new Map(rows.map((row) => [row, readersOfRow(row, source, now)]))
  const visible = (who: ReadonlySet<Principal>, own: Readers) =>
    new Set(rows.filter((row) => mayRead(who, own) && readersOf.get(row)!.every((one) => mayRead(who, one))))
  const both = (who: ReadonlySet<Principal>) => ({ before: visible(who, before), after: visible(who, after) })
  const named = new Set([before, after, ...[...readersOf.values()].flat()].flatMap(namedIn))
  const groups = new Map<string, Alike>()
  let total = 0
  const breathe = breather()
  for await (const person of knownPeople(store)) {
    const { principals, scope, refusal } = ofPerson(person, people)
    if (refusal !== null || principals === null) continue
    total += 1
    const left = [...(scope.sources ?? []), ...(await collections.sourcesOf(scope.collections ?? []))]
    if ((scope.sources !== null || scope.collections !== null) && !left.includes(source)) continue
    const relevant = principals.filter((one) => named.has(one)).sort()
    const key = JSON.stringify(relevant)
    const alike = groups.get(key) ?? { users: [], rows: both(new Set(relevant)) }
    groups.set(key, alike)
    alike.users.push(person.user)
    await breathe()
  }
  const all = [...groups.values()]
  const nobody = both(new Set())
  const signedIn = both(new Set([SIGNED_IN]))
  const cases = [...all.map((one) => one.rows), nobody, signedIn]
  const found = {
    pages: sum(rows),
    pagesGained: sum(new Set(cases.flatMap((one) => [...one.after.difference(one.before)]))),
    pagesLost: sum(new Set(cases.flatMap((one) => [...one.before.difference(one.after)]))),
    people: total,
    gaining: all.flatMap(({ users, rows: { before: b, after: a } }) => (a.isSubsetOf(b) ? [] : users)),
    losing: all.flatMap(({ users, rows: { before: b, after: a } }) => (b.isSubsetOf(a) ? [] : users)),
    everybody: { before: sum(nobody.before), after: sum(nobody.after) },
    signedIn: { before: sum(signedIn.before), after: sum(signedIn.after) },
  }
  return { ...found, warnings: warningsOf(source, found) }
}

/** The readers of a row's pages, but for those of the source itself. A label that nobody knows is for nobody. */
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
