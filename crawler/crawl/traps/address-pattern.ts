/**
 * The kinds of series of addresses:
 * - `calendar`: they differ in a date;
 * - `facets`: they combine parameters;
 * - `loop`: their path repeats itself;
 * - `tokens`: their path contains a random part, such as a session id;
 * - `series`: they differ in a number, like most pages of most sites.
 */
export type PatternKind = "calendar" | "facets" | "loop" | "tokens" | "series"

/** A series of addresses that one rule could continue endlessly. */
export interface AddressPattern {
  readonly kind: PatternKind
  /** Key that is the same for all addresses of the series. */
  readonly key: string
  /** An address with a placeholder for the part that differs, to show to people. */
  readonly shown: string
}

const DATE_NAME =
  /^(?:(?:cal|calendar|event|view|start|end|from|to|tribe-bar)[-_]?)?(?:date|day|month|year|week|yearmonth|from|to)$/i
const DATE_VALUE = /^((?:19|2\d)\d\d)-?(0[1-9]|1[0-2])(?:-?(?:0[1-9]|[12]\d|3[01]))?(?:T.*)?$/
/** At the end of a path: `/2031/04`, `/2031-04-05/`, perhaps followed by the name of a view. */
const DATE_IN_PATH =
  /\/((?:19|2\d)\d\d)(?:[-/](0?[1-9]|1[0-2])(?:[-/](?:0?[1-9]|[12]\d|3[01]))?)(?:\/(?:day|week|month|list|agenda))?\/?$/i
/** Long runs of mixed letters and digits that no person would write. */
const TOKEN = /^(?=.*\d)(?=.*[a-z])[a-z\d_-]{16,}$/i
const WORDED = /[a-z]{3,}-[a-z]{2,}/i
/** Number of repeats of a part of a path, in a row or in total, that make the path a loop. */
const REPEATS_IN_ROW = 3
const REPEATS = 5
const LONGEST_BLOCK = 4
/** Number of nested folders above which a path is a loop; real sites have fewer. */
const DEEPEST = 20

/**
 * The patterns that an address belongs to, narrower ones first; empty for an address that consists only of words.
 *
 * @param now milliseconds since 1970: past and future dates are two patterns, because an endless calendar may have past
 * months that are worth reading.
 */
export function patternsOf(url: string, now: number): AddressPattern[] {
  // A route in the fragment counts as a path, because scripts use it as one.
  const { host, pathname, search } = new URL(url.replace(/\/?#!?(?=\/)/, ""))
  const segments = pathname.split("/").filter((segment) => segment !== "")
  const query = search === "" ? [] : search.slice(1).split("&")
  if (repeatsItself(segments, query)) {
    const below = `/${segments[0] ?? ""}`
    return [{ kind: "loop", key: `loop ${host}${below}`, shown: `${below}/…` }]
  }
  const date = dateOf(pathname, query)
  if (date !== null) {
    const side = date > new Date(now).toISOString().slice(0, 7) ? "to come" : "gone by"
    const shown =
      date === DATELESS ? shape(pathname, query) : shape(pathname.replace(DATE_IN_PATH, "/…"), query)
    return [{ kind: "calendar", key: `calendar ${host}${shown} ${side}`, shown: `${shown} (dates ${side})` }]
  }
  const patterns: AddressPattern[] = []
  const token = segments.findIndex((segment) => isToken(segment))
  if (token >= 0) {
    const shown = shape(pathname, query)
    const rest = segments.map((segment) => (isToken(segment) ? "…" : segment)).join("/")
    patterns.push({ kind: "tokens", key: `token ${host}/${rest}${search}`, shown: `/${rest}${search}` })
    if (token < segments.length - 1) {
      const folder = `/${segments.slice(0, token).join("/")}${token > 0 ? "/" : ""}…/`
      patterns.push({ kind: "tokens", key: `tokens ${host}${folder}`, shown: `all of ${folder}` })
    }
    if (query.length < 2) return [...patterns, { kind: "series", key: `series ${host}${shown}`, shown }]
  }
  if (query.length >= 2) {
    const shown = `${shape(pathname, [])}?…`
    return [...patterns, { kind: "facets", key: `facets ${host}${shown}`, shown }]
  }
  if (query.length > 0 || /\d/.test(pathname)) {
    const shown = shape(pathname, query)
    return [...patterns, { kind: "series", key: `series ${host}${shown}`, shown }]
  }
  return patterns
}

/** Whether links to an address with these patterns are worth following from any page. */
export function isPlain(patterns: readonly AddressPattern[]): boolean {
  return patterns.every(({ kind }) => kind === "series")
}

/** The parameters of an address, as `name=value`. */
export function parametersOf(url: string): string[] {
  const at = url.indexOf("?")
  return at < 0 ? [] : url.slice(at + 1).split("&")
}

const isToken = (segment: string) => TOKEN.test(segment) && !WORDED.test(segment)

/** The address with its numbers, random parts and values removed. */
function shape(pathname: string, query: readonly string[]): string {
  const path = pathname
    .split("/")
    .map((segment) => (isToken(segment) ? "…" : segment.replace(/\d+/g, "#")))
    .join("/")
  const names = query.map((one) => one.split("=", 1)[0] ?? "").toSorted()
  return names.length === 0 ? path : `${path}?${names.map((name) => `${name}=…`).join("&")}`
}

const DATELESS = "0"

/** The month that an address names, as `2031-04`; {@link DATELESS} if it names another kind of date; otherwise `null`. */
function dateOf(pathname: string, query: readonly string[]): string | null {
  const inPath = DATE_IN_PATH.exec(pathname)
  if (inPath) return `${inPath[1]}-${(inPath[2] ?? "01").padStart(2, "0")}`
  let year: string | null = null
  let month: string | null = null
  let isDated = false
  for (const one of query) {
    const [name = "", value = ""] = one.split("=", 2)
    const whole = DATE_VALUE.exec(value)
    if (whole && (value.includes("-") || DATE_NAME.test(name))) return `${whole[1]}-${whole[2]}`
    if (!DATE_NAME.test(name) || !/^\d{1,10}$/.test(value)) continue
    isDated = true
    if (/^(?:19|2\d)\d\d$/.test(value)) year = value
    else if (/month/i.test(name) && Number(value) <= 12) month = value.padStart(2, "0")
    else if (value.length >= 9) return new Date(Number(value) * 1000).toISOString().slice(0, 7)
  }
  if (year !== null) return `${year}-${month ?? "01"}`
  return isDated ? DATELESS : null
}

/** Whether a path or a query repeats a part. Repeated numbers are fine: `/2031/01/01`, `/psalms/1/1/1`. */
function repeatsItself(segments: readonly string[], query: readonly string[]): boolean {
  if (segments.length > DEEPEST) return true
  const isWord = (segment: string) => /\D/.test(segment)
  for (let length = 1; length <= LONGEST_BLOCK; length++) {
    let run = 0
    for (let at = length; at < segments.length; at++) {
      run = segments[at] === segments[at - length] ? run + 1 : 0
      const isRepeated = run >= length * (REPEATS_IN_ROW - 1)
      if (isRepeated && segments.slice(at - length + 1, at + 1).some(isWord)) return true
    }
  }
  return mostEqual(segments.filter(isWord)) >= REPEATS || mostEqual(query) >= REPEATS_IN_ROW
}

/** How often the most frequent text occurs. */
function mostEqual(texts: readonly string[]): number {
  if (texts.length < REPEATS_IN_ROW) return 0
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return Math.max(...counts.values())
}
