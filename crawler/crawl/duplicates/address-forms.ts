import type { PageUrl } from "#engine"

/**
 * One way in which two addresses of a site can differ and still name the same page:
 * - `https`: http and https; `www`: the host with and without `www.`;
 * - `index`: the index file of a folder, and the folder; `slash`: with and without a slash at the end;
 * - `order`: the order of parameters;
 * - `parameter:<name>`: with and without this parameter.
 */
export type Difference = "https" | "www" | "index" | "slash" | "order" | `parameter:${string}`

/** The rules for a site's addresses. */
export interface AddressRules {
  /** Differences between addresses that name the same page. The value is whether the site prefers https, `www.`, or the slash. */
  readonly forms: ReadonlyMap<"https" | "www" | "index" | "slash" | "order", boolean>
  /** Parameters that do not affect the page, whatever their value. */
  readonly parameters: ReadonlySet<string>
  /** `name=value` of parameters that do not affect the page with this value. */
  readonly values: ReadonlySet<string>
}

/** Another spelling of an address, and the difference. */
export interface Form {
  readonly url: PageUrl
  readonly difference: Difference
  /** The parameter's value in the longer address; empty for other differences. */
  readonly value: string
}

const INDEX = /\/(?:index\.(?:html?|php|jsp|aspx?|cgi|shtml)|default\.aspx?|index)$/i

/** The host and port of an address, with or without `www.`. */
export function siteOf(url: PageUrl): string {
  const from = url.indexOf("//") + 2
  const host = url.slice(from, url.indexOf("/", from))
  return isWww(host) ? host.slice(4) : host
}

/**
 * The spelling that all forms of an address share, with every difference removed. Addresses whose common forms differ
 * name different pages, as far as addresses alone can show that.
 */
export function commonForm(url: PageUrl): string {
  const parts = partsOf(url)
  let { path } = parts
  // Removing one difference may reveal another.
  for (let before = ""; before !== path;) {
    before = path
    path = path.replace(INDEX, "/").replace(/\/+$/, "")
  }
  return `${siteOf(url)}${path}`
}

/** The spellings of an address that differ from it in one way, to check whether they return the same answer. */
export function forms(url: PageUrl): Form[] {
  const parts = partsOf(url)
  const found: Form[] = []
  const add = (difference: Difference, changed: Partial<Parts>, value = "") => {
    found.push({ url: joined({ ...parts, ...changed }), difference, value })
  }
  if (!parts.authority.includes(":")) {
    add("https", { scheme: parts.scheme === "https:" ? "http:" : "https:" })
  }
  if (isWww(parts.authority)) add("www", { authority: parts.authority.slice(4) })
  else if (mayHaveWww(parts.authority)) add("www", { authority: `www.${parts.authority}` })
  if (INDEX.test(parts.path)) add("index", { path: parts.path.replace(INDEX, "/") })
  if (parts.path !== "/" && parts.path.endsWith("/")) add("slash", { path: parts.path.slice(0, -1) })
  else if (parts.path !== "/" && !/\.\w+$/.test(parts.path)) add("slash", { path: `${parts.path}/` })
  const sorted = inOrder(parts.query)
  if (sorted.join("&") !== parts.query.join("&")) add("order", { query: sorted })
  for (const [at, one] of parts.query.entries()) {
    const query = parts.query.filter((_, other) => other !== at)
    add(`parameter:${nameOf(one)}`, { query }, one.slice(nameOf(one).length + 1))
  }
  return found
}

/** Maximum number of differences combined in {@link spellings}: http instead of https, no `www.`, and the slash. */
const MOST_DIFFERENCES = 3

/**
 * Other spellings of an address that almost never name another page, those with the fewest differences first. No
 * parameter is left out: only a site's own addresses show what a parameter does.
 */
export function spellings(url: PageUrl): PageUrl[] {
  const found = new Set([url])
  let last: readonly PageUrl[] = [url]
  for (let round = 0; round < MOST_DIFFERENCES; round++) {
    const next = last.flatMap((one) =>
      forms(one).flatMap((form) => (isParameter(form.difference) || found.has(form.url) ? [] : [form.url])),
    )
    for (const one of next) found.add(one)
    last = [...new Set(next)]
  }
  return [...found].slice(1)
}

/** The only difference between two addresses; `null` if there are several, or if it is of another kind. */
export function differenceOf(
  a: PageUrl,
  b: PageUrl,
): { readonly difference: Difference; readonly value: string } | null {
  return forms(a).find((form) => form.url === b) ?? forms(b).find((form) => form.url === a) ?? null
}

/**
 * The address without a parameter, if two addresses differ only in that parameter's value; otherwise `null`. Whether it
 * names the same page is not known yet.
 */
export function withoutDifferingValue(a: PageUrl, b: PageUrl): Form | null {
  const others = new Set(forms(b).flatMap((form) => (isParameter(form.difference) ? form.url : [])))
  const [one, other] = [partsOf(a).query, partsOf(b).query]
  if (one.length !== other.length) return null
  const form = forms(a).find(({ url, difference }) => isParameter(difference) && others.has(url))
  return form ?? null
}

/** The one spelling used for all addresses that name the same page by these rules. */
export function folded(url: PageUrl, rules: AddressRules): PageUrl {
  const parts = partsOf(url)
  const prefers = (form: "https" | "www" | "index" | "slash" | "order") => rules.forms.get(form)
  let { scheme, authority, path, query } = parts
  const https = prefers("https")
  if (https !== undefined && !authority.includes(":")) scheme = https ? "https:" : "http:"
  const www = prefers("www")
  if (www === true && !isWww(authority) && mayHaveWww(authority)) authority = `www.${authority}`
  if (www === false && isWww(authority)) authority = authority.slice(4)
  const slash = prefers("slash")
  for (let before = ""; before !== path;) {
    before = path
    if (prefers("index") !== undefined) path = path.replace(INDEX, "/")
    if (slash === true && !path.endsWith("/") && !/\.\w+$/.test(path)) path = `${path}/`
    if (slash === false && path !== "/" && path.endsWith("/")) path = path.slice(0, -1)
  }
  query = query.filter((one) => !rules.parameters.has(nameOf(one)) && !rules.values.has(one))
  if (prefers("order") !== undefined) query = inOrder(query)
  return joined({ scheme, authority, path, query })
}

/** Describes a difference in words: why two addresses name the same page. */
export function inWords(difference: Difference, value = ""): string {
  switch (difference) {
    case "https":
      return "http and https lead to the same page here"
    case "www":
      return "www. makes no difference here"
    case "index":
      return "the index file is the same page as its folder here"
    case "slash":
      return "a trailing slash makes no difference here"
    case "order":
      return "the order of the parameters makes no difference here"
    default: {
      const name = difference.slice("parameter:".length)
      return `the parameter ${value === "" ? name : `${name}=${value}`} doesn't affect the content here`
    }
  }
}

interface Parts {
  readonly scheme: string
  readonly authority: string
  readonly path: string
  /** `name=value` as written. */
  readonly query: readonly string[]
}

// Parsed by hand, because a PageUrl is well formed and this runs for every link.
function partsOf(url: PageUrl): Parts {
  const from = url.indexOf("//")
  const slash = url.indexOf("/", from + 2)
  const mark = url.indexOf("?", slash)
  return {
    scheme: url.slice(0, from),
    authority: url.slice(from + 2, slash),
    path: mark < 0 ? url.slice(slash) : url.slice(slash, mark),
    query: mark < 0 ? [] : url.slice(mark + 1).split("&"),
  }
}

function joined({ scheme, authority, path, query }: Parts): PageUrl {
  return `${scheme}//${authority}${path}${query.length === 0 ? "" : `?${query.join("&")}`}` as PageUrl
}

const isParameter = (difference: Difference) => difference.startsWith("parameter:")

const nameOf = (parameter: string) => {
  const end = parameter.indexOf("=")
  return end < 0 ? parameter : parameter.slice(0, end)
}

/** Sorted by name; parameters with the same name keep their order, which may matter. */
const inOrder = (query: readonly string[]) =>
  query.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0))

const isWww = (authority: string) => authority.startsWith("www.") && authority.includes(".", 4)

/** A name with a dot that is not an IP address. */
const mayHaveWww = (authority: string) => /\.[a-z][a-z\d-]*(?::\d+)?$/.test(authority) && !isWww(authority)
