import type { PageUrl } from "#engine"
import { isScriptShell, isThin } from "../../page/script-shell.ts"
import { findBrowser } from "../../fetch/render/find-browser.ts"
import type { Rendering } from "../../source.ts"
import type { CrawlerConfig } from "../../settings.ts"
import type { PoliteVisits } from "./polite-visits.ts"
import type { Advice } from "./programs/program.ts"
import type { SiteLook } from "./site-look.ts"

/** Whether a site's pages need a browser, and how this was determined. */
export interface RenderingLook {
  readonly rendering: Extract<Rendering, "auto" | "browser">
  readonly because: string
  /** What to do when a browser is needed but not available; `null` if one is available or none is needed. */
  readonly missing: string | null
  /** Links on the page after its scripts have run; empty if it wasn't opened in a browser. */
  readonly links: readonly string[]
  /** Number of characters of text without and with scripts; `rendered` is `null` if no browser opened the page. */
  readonly characters: { readonly plain: number; readonly rendered: number | null }
}

/** A browser is considered necessary if it finds at least this much more text, or this many more links. */
const MORE_TEXT = 1.5
const MORE_CHARS = 300
const MORE_LINKS = 5

/** Matches signs that scripts might produce much of the page even though it arrives with some text. */
const APPLICATION =
  /\bid=["']?(?:root|app|__next|__nuxt|___gatsby|svelte)["'\s>]|\sng-version=|<app-root\b|\sdata-(?:reactroot|v-app)\b|<script\s[^>]*type=["']?module/i

/** Determines how the pages of a site should be read; opens the first page in a browser if nothing else can settle the question. */
export async function lookAtRendering(
  look: SiteLook,
  { needsBrowser = false, sendsText = false, seed }: Advice,
  visits: PoliteVisits,
  config: CrawlerConfig,
): Promise<RenderingLook> {
  const found = await findBrowser(config.browserPath)
  const missing = "missing" in found ? found.missing : null
  const { markdown } = look.reading.extracted
  const unrendered = { links: [], characters: { plain: markdown.length, rendered: null } }
  const isShell = isThin(markdown) && (await isScriptShell(look.html))
  const isUnclear =
    !sendsText && (APPLICATION.test(look.html) || isThin(markdown)) && /<script\b/i.test(look.html)
  if (missing !== null && (needsBrowser || isShell)) {
    const because = needsBrowser ? "scripts render its pages" : "the page is empty until its scripts have run"
    return { rendering: "browser", because, missing, ...unrendered }
  }
  if (missing !== null || !(needsBrowser || isShell || isUnclear)) {
    const because = isUnclear
      ? "the page has text, and there was no browser to compare"
      : "the page contains its text without scripts"
    return { rendering: "auto", because, missing: null, ...unrendered }
  }
  const looked = await visits.look(seed ?? look.url, "browser")
  if (looked?.visit.kind !== "read") {
    return needsBrowser || isShell
      ? {
          rendering: "browser",
          because: "the page is empty until its scripts have run",
          missing: null,
          ...unrendered,
        }
      : {
          rendering: "auto",
          because: "the page contains its text without scripts",
          missing: null,
          ...unrendered,
        }
  }
  const { extracted } = looked.visit.reading
  const links = extracted.links.map(({ url }) => url)
  const [plain, rendered] = [markdown.length, extracted.markdown.length]
  const hasMore =
    rendered > plain * MORE_TEXT + MORE_CHARS ||
    newLinks(links, look) > look.links.length * (MORE_TEXT - 1) + MORE_LINKS
  const seen = { missing: null, links, characters: { plain, rendered } }
  const counts = `${plain} characters without a browser, ${rendered} in one`
  if (needsBrowser || isShell || hasMore)
    return { rendering: "browser", because: `scripts render its pages: ${counts}`, ...seen }
  return { rendering: "auto", because: `the page contains its text without scripts: ${counts}`, ...seen }
}

function newLinks(links: readonly string[], look: SiteLook): number {
  const before = new Set(look.links.map(({ url }) => url))
  const { host } = new URL(look.url)
  return new Set(links.filter((url) => !before.has(url) && new URL(url as PageUrl).host === host)).size
}
