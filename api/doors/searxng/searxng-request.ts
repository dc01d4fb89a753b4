import type { Context } from "../../context.ts"
import { badRequest } from "../../errors.ts"
import { MAX_QUERY_CHARS, MOST_RESULTS, type PlainQuestion } from "../plain-search.ts"
import type { KnownNames } from "../../identity/accounts/reach/known-names.ts"

/** A search request in SearXNG's format. */
export interface SearxngRequest {
  readonly query: string
  readonly format: (typeof FORMATS)[number]
  readonly page: number
  readonly question: PlainQuestion
  readonly withImages: boolean
  readonly category: "general" | "news" | "images"
  /** Engines requested by name that don't exist here. */
  readonly unknownEngines: readonly string[]
}

const FORMATS = ["html", "json", "csv", "rss"] as const

export const ENGINE = "fossick"
/** Number of results per page, the same as in SearXNG. */
export const PAGE_RESULTS = 10
const MAX_NAMES = 100

/** A parameter from the caller: from the address, or from a form body. */
export type Given = (name: string) => string | undefined

/**
 * Reads a request. Parameters for the appearance of a page (`theme`, `image_proxy` and so on) are ignored, as SearXNG
 * ignores unknown fields.
 * @throws ApiError 400 naming the field
 */
export async function readSearxng(
  given: Given,
  names: Pick<KnownNames, "named" | "filing">,
): Promise<SearxngRequest> {
  const query = given("q")?.trim() ?? ""
  if (query === "" || query.length > MAX_QUERY_CHARS) {
    throw badRequest(`Invalid q. Must be a string of 1 to ${MAX_QUERY_CHARS} characters.`)
  }
  const format = given("format") || "html"
  if (!isFormat(format)) throw badRequest(`Invalid format. Must be one of ${FORMATS.join(", ")}.`)
  const page = Number(given("pageno") || "1")
  if (!Number.isInteger(page) || page < 1)
    throw badRequest("Invalid pageno. Must be a whole number of at least 1.")
  const time = given("time_range") ?? ""
  if (!["", "day", "week", "month", "year"].includes(time)) {
    throw badRequest("Invalid time_range. Must be day, week, month or year.")
  }
  const safe = given("safesearch") || "0"
  if (!["0", "1", "2"].includes(safe)) throw badRequest("Invalid safesearch. Must be 0, 1 or 2.")
  const categories = listOf(given("categories"))
  const category = categories.includes("images") ? "images" : categories.includes("news") ? "news" : "general"
  const { filter, unknown } = await filterOf([...listOf(given("engines"))], names)
  return {
    query,
    format,
    page,
    category,
    withImages: category === "images",
    unknownEngines: unknown,
    question: {
      text: query,
      results: Math.min(page * PAGE_RESULTS, MOST_RESULTS),
      isNews: category === "news",
      withImages: category === "images",
      dates: time === "" ? {} : { time_range: time },
      isSafe: safe !== "0",
      language: languageOf(given("language")),
      ...filter,
    },
  }
}

const isFormat = (text: string): text is (typeof FORMATS)[number] =>
  (FORMATS as readonly string[]).includes(text)

const listOf = (text = ""): readonly string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .slice(0, MAX_NAMES)

/** `en` and `en-US` express a preference for a language; `all`, `auto` and invalid values express none, as with SearXNG. */
const languageOf = (text = ""): string | undefined =>
  /^([a-z]{2})(?:[-_].*)?$/i.exec(text.trim())?.[1]?.toLowerCase()

/** Callers can use the names of sources and collections as engines, if the key may know about them. */
async function filterOf(engines: readonly string[], names: Pick<KnownNames, "named">) {
  const isKnown = async (asked: { sources?: string; collections?: string }): Promise<boolean> => {
    try {
      return (await names.named(asked)) !== undefined
    } catch {
      return false
    }
  }
  const wanted = engines.filter((one) => one !== ENGINE)
  const collections: string[] = []
  const sources: string[] = []
  const unknown: string[] = []
  for (const one of wanted) {
    if (await isKnown({ collections: one })) collections.push(one)
    else if (await isKnown({ sources: one })) sources.push(one)
    else unknown.push(one)
  }
  const isNarrow = !engines.includes(ENGINE) && collections.length + sources.length > 0
  return { unknown, filter: isNarrow ? { collections, sources } : {} }
}

/** The fields of an address or of a posted form; if a name occurs several times, the first field is used. */
export function givenBy(ctx: Context): Given {
  const query = new URLSearchParams(ctx.querystring)
  const { body }: Partial<Context["state"]> = ctx.state
  const form = (body ?? {}) as Readonly<Partial<Record<string, string>>>
  return (name) => (Object.hasOwn(form, name) ? form[name] : (query.get(name) ?? undefined))
}
