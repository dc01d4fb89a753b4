/** The rules of a robots.txt for one crawler (RFC 9309). */
export interface RobotsRules {
  /** Whether this absolute address may be visited. */
  allows(url: string): boolean
  /** Null when the visit is allowed; otherwise the reason why it is not, which quotes the deciding line. */
  refusal(url: string): string | null
  /** Minimum number of milliseconds between requests; null if the file doesn't specify it. */
  readonly crawlDelayMs: number | null
  readonly sitemaps: readonly string[]
}

/** Number of characters that are read. RFC 9309 §2.5 requires at least this many; we read no more. */
const MAX_CHARS = 500 * 1024

const SHOWN_CHARS = 200

interface Group {
  readonly agents: string[]
  readonly rules: Rule[]
  crawlDelay: number | null
}

interface Rule {
  readonly allow: boolean
  readonly pattern: string
}

/**
 * Parses a robots.txt for the crawler with this product token. Groups that name the crawler are combined; if there are
 * none, the groups for `*` apply. The longest matching pattern decides; on a tie, the one that allows the visit
 * (§2.2.2).
 */
export function parseRobots(text: string, agent: string): RobotsRules {
  const { groups, sitemaps } = parse(text.slice(0, MAX_CHARS).toWellFormed())
  const token = agent.toLowerCase()
  const named = groups.filter(({ agents }) => agents.includes(token))
  const chosen = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes("*"))
  const rules = chosen.flatMap((group) => group.rules)
  // Longest first, so that the first match decides; allow before disallow on a tie.
  rules.sort((a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow))
  const delays = chosen.flatMap(({ crawlDelay }) => (crawlDelay === null ? [] : [crawlDelay]))
  const refusing = (url: string): Rule | null => {
    const { pathname, search } = new URL(url)
    if (pathname === "/robots.txt") return null
    const path = normalise(pathname + search)
    const rule = rules.find(({ pattern }) => matches(pattern, path))
    return rule === undefined || rule.allow ? null : rule
  }
  return {
    allows: (url) => refusing(url) === null,
    refusal(url) {
      const rule = refusing(url)
      return rule && `robots.txt disallows it (Disallow: ${rule.pattern.slice(0, SHOWN_CHARS)})`
    },
    crawlDelayMs: delays.length === 0 ? null : Math.max(...delays) * 1000,
    sitemaps,
  }
}

function parse(text: string): { groups: Group[]; sitemaps: string[] } {
  const groups: Group[] = []
  const sitemaps: string[] = []
  let group: Group | null = null
  let naming = false
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)) {
    const content = line.split("#", 1)[0] ?? ""
    const colon = content.indexOf(":")
    if (colon < 0) continue
    const key = content.slice(0, colon).trim().toLowerCase()
    const value = content.slice(colon + 1).trim()
    if (key === "sitemap") {
      sitemaps.push(value)
    } else if (key === "user-agent") {
      if (!naming || !group) groups.push((group = { agents: [], rules: [], crawlDelay: null }))
      group.agents.push(productToken(value))
      naming = true
    } else if (group && (key === "allow" || key === "disallow")) {
      naming = false
      if (value !== "") group.rules.push({ allow: key === "allow", pattern: normalise(value) })
    } else if (group && key === "crawl-delay") {
      naming = false
      const seconds = Number(value)
      if (value !== "" && seconds >= 0 && Number.isFinite(seconds)) group.crawlDelay = seconds
    }
  }
  return { groups, sitemaps }
}

/** The product token in a `User-agent` line: `FossickBot/1.0 (…)` and `FossickBot*` both name `fossickbot`. */
function productToken(value: string): string {
  return (/^[\w-]+/.exec(value)?.[0] ?? value).toLowerCase()
}

// §2.2.2 compares octets: unreserved characters are percent-decoded, everything else is encoded.
function normalise(path: string): string {
  return path
    .replace(/%[0-9a-f]{2}/gi, (escape) => {
      const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
      return /[\w.~-]/.test(character) ? character : escape.toUpperCase()
    })
    .replace(/[^\u0021-\u007e]/gu, encodeURIComponent)
}

/** `*` matches anything, and a `$` at the end matches the end of the path. Takes time linear in the length of the path for each star, since it uses no regular expression. */
function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith("$")
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split("*")
  const [first = ""] = parts
  if (!path.startsWith(first)) return false
  let at = first.length
  if (parts.length === 1) return !anchored || at === path.length
  const last = parts.pop() ?? ""
  for (const part of parts.slice(1)) {
    const found = path.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return anchored ? path.length - last.length >= at && path.endsWith(last) : path.includes(last, at)
}
