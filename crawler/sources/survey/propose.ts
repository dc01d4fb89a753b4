import type { PageUrl } from "#engine"
import { HANDBOOK_SOURCE } from "../../handbook-source.ts"
import { membership } from "../../crawl/scope/scope.ts"
import { defineSource, type SourceSpec } from "../../source.ts"
import type { LoginForm } from "./login-look.ts"
import type { Advice } from "./programs/program.ts"
import type { RenderingLook } from "./rendering-look.ts"
import type { SitemapLook } from "./sitemap-look.ts"

export type ProposedSource = SourceSpec & { readonly name: string }

/** Maximum number of pages per run if the source doesn't set one. */
const STANDARD_PAGES = defineSource({ seeds: ["https://example.com/"] }).limits.pages
/** The factor by which a limit exceeds the known number of pages: a site may grow before the next run. */
const ROOM_TO_GROW = 1.2
/** How often a proposed source runs: each run reads the pages that are due. */
const EVERY_HOURS = 24

interface Findings {
  readonly asked: PageUrl
  /** The address after redirects. */
  readonly url: PageUrl
  readonly advice: Advice
  /** `null` if not known. */
  readonly rendering: RenderingLook | null
  /** The login form, if nothing can be read without logging in. */
  readonly login: LoginForm | null
  /** Whether the server asks for a password in the browser's own dialog. */
  readonly asksForPassword: boolean
  /** Whether robots.txt is ignored: the operator asked for it, or nothing could be read otherwise. */
  readonly ignoresRobots: boolean
  /** Whether noindex is ignored: the pages ask not to be indexed, but the site belongs to the operator. */
  readonly ignoresNoindex: boolean
  /** Names of other sources. */
  readonly taken: ReadonlySet<string>
}

/** The source that fits the results, as an operator would write it: only fields that differ from the defaults. */
export function proposeSource(findings: Findings): ProposedSource {
  const { advice, rendering, login, asksForPassword, taken } = findings
  const seed = advice.seed ?? seedOf(findings)
  const isWhole = new URL(".", seed).pathname === "/"
  const name = freeName(nameOf(seed, isWhole), taken)
  return {
    name,
    seeds: [seed],
    ...(isWhole ? {} : { scope: "prefix" }),
    ...(advice.exclude && advice.exclude.length > 0 ? { exclude: advice.exclude } : {}),
    ...(rendering?.rendering === "browser" ? { rendering: "browser" } : {}),
    ...(findings.ignoresRobots ? { politeness: { robots: false } } : {}),
    ...(findings.ignoresNoindex && !findings.ignoresRobots ? { ignoreNoindex: true } : {}),
    ...(login ? { login: formLogin(login, name) } : {}),
    ...(asksForPassword ? { login: { kind: "basic", user: "crawler", password: secretOf(name) } } : {}),
    schedule: { everyHours: EVERY_HOURS },
  }
}

/** Adds what the sitemap shows: its address, if runs would not find it, and a limit high enough for all its pages. */
export function withSitemap(
  source: ProposedSource,
  sitemap: SitemapLook | null,
  pages: number,
): ProposedSource {
  const { schedule, ...rest } = source
  const most = Math.ceil((pages * ROOM_TO_GROW) / 1000) * 1000
  return {
    ...rest,
    ...(sitemap === null || sitemap.isFound ? {} : { sitemaps: [sitemap.url] }),
    ...(most > STANDARD_PAGES ? { limits: { pages: most } } : {}),
    ...(schedule === undefined ? {} : { schedule }),
  }
}

/** Which addresses a proposed source would read, given the target of its seed. */
export function membershipOf(source: ProposedSource, landing: PageUrl): (url: PageUrl) => boolean {
  const full = defineSource(source)
  const [seed = landing] = full.seeds
  return membership(full, new Map([[seed, landing]]))
}

/** The login without unused fields, and with a reference as the password: `${WIKI_EXAMPLE_COM_PASSWORD}`. */
function formLogin({ url, user, password }: LoginForm, name: string): NonNullable<SourceSpec["login"]> {
  return {
    kind: "form",
    url,
    fields: { ...(user === null ? {} : { [user]: "crawler" }), [password]: secretOf(name) },
  } as unknown as NonNullable<SourceSpec["login"]>
}

function secretOf(name: string): string {
  const words = name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
  return `\${${/^\d/.test(words) ? "SITE_" : ""}${words}_PASSWORD}`
}

/**
 * The given address, unless the site redirects it to another host, or to the folder of the same name. A start that
 * redirects to one page among many, or to a login, is kept as given.
 */
function seedOf({ asked, url, login }: Findings): PageUrl {
  if (login) return asked
  if (url === `${asked}/`) return url
  return new URL(url).host === new URL(asked).host && new URL(url).protocol === new URL(asked).protocol
    ? asked
    : new URL(url).pathname === new URL(asked).pathname
      ? url
      : ((new URL(url).origin + new URL(asked).pathname) as PageUrl)
}

/** The name for a whole site, `docs.example.com`, or for a part of it, `example.com-docs`. */
function nameOf(seed: PageUrl, isWhole: boolean): string {
  const { host, pathname } = new URL(seed)
  const folder = isWhole ? "" : `-${pathname.split("/").filter((part) => part !== "")[0] ?? ""}`
  return `${host.replace(/^www\./, "")}${folder}`
    .replace(/[^\w.:@-]+/g, "-")
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/gi, "")
    .slice(0, 80)
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name) && name !== HANDBOOK_SOURCE) return name
  for (let number = 2; ; number += 1) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`
}
