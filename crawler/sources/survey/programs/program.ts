import type { PageUrl } from "#engine"
import type { SiteLook } from "../site-look.ts"

/** A program that generates sites: how to recognise it, and how best to crawl its sites. */
export interface Program {
  readonly name: string
  /** The program's section in docs/recipes.md. */
  readonly recipe: string
  /** The signs on the page that this program made it; empty if there are none. */
  evidence(look: SiteLook): readonly string[]
  /** The version, if the page names it. */
  version(look: SiteLook): string | null
  advise(look: SiteLook): Advice
}

/** Known facts about a program's sites. */
export interface Advice {
  /** Patterns of addresses without content of their own. */
  readonly exclude?: readonly string[]
  /** Where to start instead of the given address. */
  readonly seed?: PageUrl
  /** Whether the program's pages are built by scripts. */
  readonly needsBrowser?: boolean
  /** Whether the HTML contains the text even though the page looks like an application. */
  readonly sendsText?: boolean
  /** The address of the site's sitemap, if robots.txt lists none. */
  readonly sitemap?: string
  /** The address of the site's login form. */
  readonly login?: string
  /** Notes for the operator, one sentence each. */
  readonly notes?: readonly string[]
}

/** A feature of a page that only one program produces. */
export interface Mark {
  readonly where: "generator" | "asset" | "markup" | "header" | "address"
  readonly fits: RegExp
  /** The header to match. */
  readonly header?: string
  readonly says: string
}

/** Descriptions of the marks found on a page. */
export function marksOn(look: SiteLook, marks: readonly Mark[]): string[] {
  return marks.filter((mark) => bears(look, mark)).map(({ says }) => says)
}

function bears(look: SiteLook, { where, fits, header = "" }: Mark): boolean {
  switch (where) {
    case "generator":
      return fits.test(look.generator)
    case "asset":
      return look.assets.some((asset) => fits.test(asset))
    case "markup":
      return fits.test(look.html)
    case "header":
      return fits.test(String(look.headers[header] ?? ""))
    default:
      return fits.test(look.url)
  }
}

/** The first capture group of the generator match; `null` if it doesn't match. */
export const generatorVersion =
  (fits: RegExp) =>
  ({ generator }: SiteLook): string | null =>
    fits.exec(generator)?.[1] ?? null

export const noVersion = (): null => null

/** The folder where a program is installed, derived from one of its assets: `https://example.com/docs/`. The page's own folder if no asset matches. */
export function folderOf({ assets, url }: SiteLook, asset: RegExp): string {
  for (const one of assets) {
    const found = asset.exec(one)
    if (found && new URL(one).origin === new URL(url).origin) return one.slice(0, found.index + 1)
  }
  return new URL(".", url).href
}
