import type { ReadersNow } from "#crawler/sources/readers/readers-now.ts"
import { contentFieldsOf } from "#crawler/source.ts"
import type { SourceTable } from "#crawler/sources/source-table.ts"
import { type Page, sourcesOf } from "#engine"
import { EVERYBODY, narrowedBy, type Principal, type Readers } from "#engine/index/page/readers.ts"

import type { Collections } from "../../identity/accounts/reach/collections.ts"
import { areLetIn, type Asked, roleTest } from "./asked-person.ts"

/** One of the rules that a reader of a page has to pass. */
export interface Rule {
  /** `person`: whether the person may do anything; `role`: the sources that the person's role allows. */
  readonly kind: "person" | "role" | "source" | "page"
  /** The source that the rule belongs to, or null. */
  readonly source: string | null
  /** Whether the rule admits the person or principals; null if the call named no one. */
  readonly letsIn: boolean | null
  readonly text: string
}

/** The readers of a page, and the rules that admit them. */
export interface PageTrace {
  readonly rules: readonly Rule[]
  /** The combined rules of the sources and the page. */
  readonly effective: Readers
}

/** The rules that a reader of a page has to pass, in order. @param asked who is checked against them; null for no one */
export async function tracePage(
  page: Page,
  asked: Asked | null,
  now: ReadersNow,
  collections: Pick<Collections, "sourcesOf">,
): Promise<PageTrace> {
  const names = sourcesOf(page)
  const of = (kind: "source" | "page", source: string, readers: Readers): Rule => ({
    kind,
    source,
    letsIn: asked && areLetIn(asked, readers),
    text: sentence(
      kind === "source" ? `Source ${source}` : `The page (from source ${source})`,
      readers,
      asked,
    ),
  })
  const ofSources = names.map((name) => ({ name, readers: now.sources.get(name) ?? EVERYBODY }))
  const ofPage = page.readers ?? []
  return {
    rules: [
      ...(asked === null ? [] : await personRules(asked, names, collections)),
      ...ofSources.map(({ name, readers }) => of("source", name, readers)),
      ...ofPage.map((readers) => of("page", readers.source, readers)),
    ],
    effective: [...ofSources.map(({ readers }) => readers), ...ofPage].reduce(narrowedBy, EVERYBODY),
  }
}

async function personRules(
  asked: Asked,
  names: readonly string[],
  collections: Pick<Collections, "sourcesOf">,
): Promise<readonly Rule[]> {
  const { person, principals, refusal } = asked
  if (person === null) return []
  if (refusal !== null) return [{ kind: "person", source: null, letsIn: false, text: refusal }]
  const may: Rule = {
    kind: "person",
    source: null,
    letsIn: true,
    text: principals === null ? "Admins can read every page." : "The provider vouches for this person.",
  }
  const isLeft = await roleTest(names, collections)(asked)
  if (isLeft === null) return [may]
  const text = isLeft
    ? "This person's role allows one of the page's sources."
    : "This person's role doesn't allow any of the page's sources."
  return [may, { kind: "role", source: null, letsIn: isLeft, text }]
}

/** `Source hr lets in group:hr, but not user:intern@example.com.` */
function sentence(who: string, readers: Readers, asked: Asked | null): string {
  const mine = new Set(asked?.principals)
  const denied = readers.deny.find((one) => mine.has(one))
  if (denied !== undefined) return `${who} keeps out ${denied}.`
  const lacking = readers.allow.find((list) => !list.some((one) => mine.has(one)))
  if (asked?.principals && lacking !== undefined)
    return lacking.length === 0 ? `${who} lets no one in.` : `${who} lets in only ${listed(lacking)}.`
  return `${who} ${readersText(readers)}.`
}

/** `is open to everybody`, `lets in group:hr, but not user:intern@example.com` */
export function readersText({ allow, deny }: Readers): string {
  const but = deny.length === 0 ? "" : `, but not ${listed(deny)}`
  if (allow.length === 0) return `is open to everybody${but}`
  if (allow.some((list) => list.length === 0)) return "lets no one in"
  return `lets in ${allow.map(listed).join(", who must also be ")}${but}`
}

const PLACES: Readonly<Record<string, string>> = {
  documents: "the document that was pushed",
  folder: "the folder: file permissions, access control lists, or a file of readers",
}

/** Where a rule is written, in words; null if it isn't written anywhere. */
export async function placeOf(
  { kind, source }: Pick<Rule, "kind" | "source">,
  sources: Pick<SourceTable, "get">,
): Promise<string | null> {
  if (kind === "person") return null
  if (kind === "role") return "the sign-on file"
  const entry = source === null ? null : await sources.get(source)
  if (entry === null) return null
  if (kind === "source") return entry.origin === "file" ? "the sources file" : "the source settings"
  const [field = "site"] = contentFieldsOf(entry.source)
  const isObserved = entry.source.observers.length > 0
  return (
    PLACES[field] ??
    `the site: its headers and meta tags${isObserved ? ", and what it showed the observers" : ""}`
  )
}

/** Maximum number of names in a sentence. */
const MOST_NAMED = 6

function listed(principals: readonly Principal[]): string {
  const names = principals.map((one) => (one === "signed-in" ? "everybody who has signed in" : one))
  if (names.length <= MOST_NAMED) return names.join(", ")
  return `${names.slice(0, MOST_NAMED).join(", ")} and ${names.length - MOST_NAMED} others`
}
