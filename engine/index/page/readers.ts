import { createHash } from "node:crypto"

/** A user or group in the list of readers: `user:anna@example.com`, `group:hr`; or {@link SIGNED_IN}. Lower case, NFC. */
export type Principal = string

/** Anyone who has signed in through a sign-on provider. */
export const SIGNED_IN: Principal = "signed-in"

/** Who may read. A denial overrides any permission. */
export interface Readers {
  /** A reader must be on each list. Without lists anyone may read; an empty list admits no one. */
  readonly allow: readonly (readonly Principal[])[]
  readonly deny: readonly Principal[]
}

/** Readers as written in configuration. */
export interface WrittenReaders {
  /** A reader needs to match only one of these. Default: everyone. */
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
}

/** The readers that one source sets for a page, in addition to the source's own. */
export interface PageReaders extends Readers {
  readonly source: string
}

export const EVERYBODY: Readers = { allow: [], deny: [] }
export const NOBODY: Readers = { allow: [[]], deny: [] }

/** Maximum length of a principal in characters. */
export const LONGEST_PRINCIPAL = 200

/** The principal that a text names, or `null` if it names none. */
export function principalOf(text: string): Principal | null {
  const principal = text.normalize("NFC").trim().toLowerCase()
  if (principal.length > LONGEST_PRINCIPAL || /\p{Cc}/u.test(principal)) return null
  return principal === SIGNED_IN || /^(?:user|group):\S/.test(principal) ? principal : null
}

/** Parses readers as written in configuration. If an entry of `deny` can't be parsed by {@link principalOf}, no one may read. */
export function readersOf({ allow, deny = [] }: WrittenReaders): Readers {
  const principals = (texts: readonly string[]) => texts.flatMap((text) => principalOf(text) ?? [])
  const denied = principals(deny)
  if (denied.length < deny.length) return NOBODY
  return { allow: allow === undefined ? [] : [principals(allow)], deny: denied }
}

/** The readers admitted by both places, such as a folder and a file in it. */
export const narrowedBy = (outer: Readers, inner: Readers): Readers => ({
  allow: [...outer.allow, ...inner.allow],
  deny: [...outer.deny, ...inner.deny],
})

/** Whether readers admit someone with these principals. */
export const mayRead = (who: ReadonlySet<Principal>, { allow, deny }: Readers): boolean =>
  !deny.some((one) => who.has(one)) && allow.every((list) => list.some((one) => who.has(one)))

/** Whether these readers keep anyone out. */
export const restricts = ({ allow, deny }: Readers): boolean => allow.length + deny.length > 0

/** The normal form of a page's readers: equal readers have equal texts. Drops readers that keep no one out. */
export function normalReaders(given: readonly PageReaders[]): readonly PageReaders[] {
  return given
    .filter(restricts)
    .map(({ source, allow, deny }) => ({
      source,
      allow: distinctLists(allow.map(distinct)),
      deny: distinct(deny),
    }))
    .sort((a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : 0))
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].sort()

function distinctLists(lists: readonly (readonly string[])[]): (readonly string[])[] {
  const byText = new Map(lists.map((list) => [list.join("\n"), list]))
  return [...byText.keys()].sort().map((text) => byText.get(text)!)
}

const areTexts = (given: unknown): given is string[] =>
  Array.isArray(given) && given.every((one) => typeof one === "string")

/** Whether a value from outside has the shape of a page's readers. */
export const areReaders = (given: unknown): given is PageReaders[] =>
  Array.isArray(given) &&
  given.every(
    (one: Partial<PageReaders> | null) =>
      typeof one?.source === "string" &&
      Array.isArray(one.allow) &&
      one.allow.every(areTexts) &&
      areTexts(one.deny),
  )

/** A label for the readers of a page, so that an index can filter by them: 96 bits of SHA-256. `null` if anyone may read it. */
export function readersLabel(readers: readonly PageReaders[] = []): string | null {
  const normal = normalReaders(readers)
  if (normal.length === 0) return null
  return createHash("sha256").update(JSON.stringify(normal)).digest("base64url").slice(0, 16)
}
