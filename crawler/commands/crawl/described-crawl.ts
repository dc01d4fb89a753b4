import { ArgumentsError, wholeNumber } from "#base/command-arguments.ts"
import { type PageTopic, toPageUrl } from "#engine"
import { isMetadataHost } from "../../fetch/guard/address-kind.ts"
import { bareHost } from "../../fetch/guard/allowed-networks.ts"
import { addressPatterns } from "../../crawl/scope/globs.ts"
import { PatternError } from "../../crawl/scope/patterns.ts"
import { defineSource, type Rendering, type Scope, type Source } from "../../source.ts"

/** The options of one `fossick crawl`. */
export interface DescribedCrawl {
  /** The crawl that was described; `null` if `name` is not an address, and can only be the name of a declared source. */
  readonly source: Source | null
  /** The argument given for the address; it may be the name of a declared source. */
  readonly name: string
  /** Whether any options describe the crawl. */
  readonly isDescribed: boolean
}

export interface CrawlOptions {
  readonly depth: string
  readonly limit: string
  readonly minutes: string | undefined
  readonly scope: Scope
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly rendering: Rendering
  readonly topic: PageTopic | undefined
  readonly source: string | undefined
}

/** The crawl of an address as described by its options. @throws ArgumentsError */
export function describedCrawl(address: string, options: CrawlOptions, isDescribed: boolean): DescribedCrawl {
  const { depth, limit, minutes, scope, include, exclude, rendering, topic, source: name } = options
  const url = toPageUrl(address.includes("://") ? address : `https://${address}`)
  // Names can contain spaces and many other characters that no address has.
  if (url === null && !address.includes("://") && address.trim() !== "") {
    return { source: null, name: address, isDescribed }
  }
  if (url === null) throw new ArgumentsError(`${JSON.stringify(address)} isn't an http or https address`)
  if (isMetadataHost(bareHost(new URL(url)))) {
    throw new ArgumentsError(`${address} is a cloud metadata service, which is never read`)
  }
  if (name?.trim() === "") throw new ArgumentsError("--source must not be empty")
  return {
    source: defineSource({
      seeds: [url],
      scope,
      include: patterns("--include", include),
      exclude: patterns("--exclude", exclude),
      rendering,
      limits: {
        depth: wholeNumber("--depth", depth, 0, 1000),
        pages: wholeNumber("--limit", limit, 1, 100_000_000),
        ...(minutes !== undefined && { minutes: wholeNumber("--minutes", minutes, 1, 525_600) }),
      },
      ...(name !== undefined && { name }),
      ...(topic !== undefined && { pages: { topic } }),
    }),
    name: address,
    isDescribed,
  }
}

function patterns(name: string, given: readonly string[]): readonly string[] {
  try {
    addressPatterns(name, given)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw new ArgumentsError(`${name}: ${error.message}`)
  }
  return given
}
