/** The choices that narrow a search; each is a field of the address. */
export const FILTERS = [
  "source",
  "domain",
  "path",
  "version",
  "type",
  "topic",
  "language",
  "published",
] as const

export type Filter = (typeof FILTERS)[number]

/** The state of the page: the question, and what is open. It is kept entirely in the page's address. */
export interface Asked {
  /** Empty if nothing has been asked yet. */
  readonly question: string
  readonly filters: Readonly<Record<Filter, readonly string[]>>
  readonly view: "pages" | "images"
  readonly count: number
  /** A page whose stored copy is open, with the words that were searched for. */
  readonly copy: { readonly url: string; readonly passage: string } | null
}

/** Number of results at first, and after "more results". */
export const COUNTS = [10, 20, 50] as const

/** Maximum length of a passage in the address: enough to find the passage again. */
const MAX_PASSAGE_CHARS = 240

const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, []])) as unknown as Asked["filters"]

export const asking = (question: string): Asked => ({
  question,
  filters: NO_FILTERS,
  view: "pages",
  count: COUNTS[0],
  copy: null,
})

export function askedOf(search: string): Asked {
  const given = new URLSearchParams(search)
  const copy = given.get("copy")
  const count = Number(given.get("count"))
  return {
    question: given.get("q")?.trim() ?? "",
    filters: Object.fromEntries(
      FILTERS.map((name) => [name, given.getAll(name)]),
    ) as unknown as Asked["filters"],
    view: given.get("view") === "images" ? "images" : "pages",
    count: COUNTS.find((one) => one === count) ?? COUNTS[0],
    copy: copy === null ? null : { url: copy, passage: given.get("passage") ?? "" },
  }
}

export function searchOf({ question, filters, view, count, copy }: Asked): string {
  const given = new URLSearchParams()
  if (question !== "") given.set("q", question)
  for (const name of FILTERS) for (const value of filters[name]) given.append(name, value)
  if (view !== "pages") given.set("view", view)
  if (count !== COUNTS[0]) given.set("count", String(count))
  if (copy !== null) {
    given.set("copy", copy.url)
    if (copy.passage !== "") given.set("passage", copy.passage.slice(0, MAX_PASSAGE_CHARS))
  }
  return given.size === 0 ? "" : `?${given.toString()}`
}

export const hasFilters = ({ filters }: Asked): boolean => FILTERS.some((name) => filters[name].length > 0)

/** The filters with a value added, or removed if it was already there. */
export function toggled(filters: Asked["filters"], name: Filter, value: string): Asked["filters"] {
  const now = filters[name]
  const isIn = now.includes(value)
  // Fields with a single value: a page has one language, and one date.
  const isSingle = name === "language" || name === "published"
  const next = isIn ? now.filter((one) => one !== value) : [...(isSingle ? [] : now), value]
  return { ...filters, [name]: next }
}

/** The address, relative to this page, that only asks a question. */
export const linkTo = (question: string): string => searchOf(asking(question))
