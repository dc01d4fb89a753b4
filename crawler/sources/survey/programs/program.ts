import type { PageUrl } from "#engine"
import type { SiteLook } from "../site-look.ts"

/** A program that makes sites: how it is recognised, and how its sites are crawled well. */
export interface Program {
  readonly name: string
  /** Its section in docs/recipes.md. */
  readonly recipe: string
  /** Where the page shows that this program made it, each in words; empty: it did not. */
  evidence(look: SiteLook): readonly string[]
  /** The version, if the page names it. */
  version(look: SiteLook): string | null
  advise(look: SiteLook): Advice
}

/** Known facts about a program's sites. */
export interface Advice {
  /** Patterns of addresses that hold no page of their own. */
  readonly exclude?: readonly string[]
  /** Where to start instead of the address that was given. */
  readonly seed?: PageUrl
  /** Its pages are made by scripts. */
  readonly needsBrowser?: boolean
  /** The text comes with the page although it looks like an application's. */
  readonly sendsText?: boolean
  /** Where its sitemap is, when robots.txt names none. */
  readonly sitemap?: string
  /** Where its login form is. */
  readonly login?: string
  /** What an operator should know, each in one sentence. */
  readonly notes?: readonly string[]
}

/** Something on a page that one program alone writes. */
export interface Mark {
  readonly where: "generator" | "asset" | "markup" | "header" | "address"
  readonly fits: RegExp
  /** The header to match. */
  readonly header?: string
  readonly says: string
}

/** The marks that a page bears, in words. */
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

/** The first group of what fits the generator; null when nothing does. */
export const generatorVersion =
  (fits: RegExp) =>
  ({ generator }: SiteLook): string | null =>
    fits.exec(generator)?.[1] ?? null

export const noVersion = (): null => null

/** The folder in which a program lies, by an asset of it: `https://example.com/docs/`. The page's own when none fits. */
export function folderOf({ assets, url }: SiteLook, asset: RegExp): string {
  for (const one of assets) {
    const found = asset.exec(one)
    if (found && new URL(one).origin === new URL(url).origin) return one.slice(0, found.index + 1)
  }
  return new URL(".", url).href
}
