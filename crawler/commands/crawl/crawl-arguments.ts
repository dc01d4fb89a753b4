import { ArgumentsError, readArguments } from "#base/command-arguments.ts"
import { type PageTopic, toPageUrl } from "#engine"
import { isMetadataHost } from "../../fetch/address-kind.ts"
import { bareHost } from "../../fetch/allowed-networks.ts"
import { addressPatterns } from "../../scope/globs.ts"
import { PatternError } from "../../scope/patterns.ts"
import { SCOPES } from "../../source.ts"
import { defineSource, type Rendering, type Source } from "../../source.ts"

export const CRAWL_HELP = `Usage: npm run crawl -- <url> [options]
       npm run crawl -- <name of a declared source>

Crawls a site into the index and shows how it goes. Ctrl-C pauses it after the pages in hand;
the same command goes on from there.

Options:
  --depth N        link steps from the start (default 10)
  --limit N        pages to read in all (default 10000)
  --minutes N      how long it may take (default: as long as it takes)
  --scope SCOPE    host (default): the same host; domain: all its domain's hosts;
                   prefix: only below the start's folder
  --include P      read only addresses that fit a pattern such as /docs/**; may be given
                   several times
  --exclude P      do not read addresses that fit a pattern such as *.pdf; likewise
  --rendering R    auto (default): load pages that come without content in a browser;
                   http: never; browser: load every page in one
  --topic TOPIC    news or finance: what all its pages are (default: as each page says)
  --source NAME    source the pages are filed under (default: the host)
  --json           one JSON object a line instead of the display
  --help           this text
`

export interface CrawlArguments {
  /** The crawl that was described. */
  readonly source: Source
  /** What stood in the place of the address, which may be the name of a declared source. */
  readonly name: string
  /** Whether there were options that describe the crawl. */
  readonly isDescribed: boolean
  readonly json: boolean
}

/** Reads the command's arguments; null when help is asked for. @throws ArgumentsError */
export function parseCrawlArguments(args: readonly string[]): CrawlArguments | null {
  const { values, positionals } = readArguments(args, {
    depth: { type: "string", default: "10" },
    limit: { type: "string", default: "10000" },
    scope: { type: "string", default: "host" },
    source: { type: "string" },
    topic: { type: "string" },
    minutes: { type: "string" },
    include: { type: "string", multiple: true, default: [] },
    exclude: { type: "string", multiple: true, default: [] },
    rendering: { type: "string", default: "auto" },
  })
  if (values.help) return null
  const [address, ...more] = positionals
  if (address === undefined) throw new ArgumentsError("The address to start from is missing")
  if (more.length > 0)
    throw new ArgumentsError(`One address at a time, please: ${more.join(" ")} is too much`)
  const url = toPageUrl(address.includes("://") ? address : `https://${address}`)
  if (url === null) throw new ArgumentsError(`${JSON.stringify(address)} is no http or https address`)
  if (isMetadataHost(bareHost(new URL(url))))
    throw new ArgumentsError(`${address} is the metadata service of a cloud, which is never read`)
  const name = values.source
  if (name?.trim() === "") throw new ArgumentsError("--source must not be empty")
  return {
    source: defineSource({
      seeds: [url],
      scope: oneOf("--scope", values.scope, SCOPES),
      include: patternArguments("--include", values.include),
      exclude: patternArguments("--exclude", values.exclude),
      rendering: oneOf("--rendering", values.rendering, RENDERINGS),
      limits: {
        depth: wholeNumber("--depth", values.depth, 0, 1000),
        pages: wholeNumber("--limit", values.limit, 1, 100_000_000),
        ...(values.minutes === undefined
          ? {}
          : { minutes: wholeNumber("--minutes", values.minutes, 1, 525_600) }),
      },
      ...(name === undefined ? {} : { name }),
      ...(values.topic === undefined ? {} : { pages: { topic: oneOf("--topic", values.topic, TOPICS) } }),
    }),
    name: address,
    isDescribed: args.some((arg) => arg.startsWith("--") && arg !== "--json"),
    json: values.json,
  }
}

const RENDERINGS: readonly Rendering[] = ["auto", "http", "browser"]
const TOPICS: readonly PageTopic[] = ["news", "finance"]

function oneOf<T extends string>(name: string, value: string, values: readonly T[]): T {
  const found = values.find((one) => one === value)
  if (found === undefined) throw new ArgumentsError(`${name} must be one of ${values.join(", ")}`)
  return found
}

function patternArguments(name: string, patterns: readonly string[]): readonly string[] {
  try {
    addressPatterns(name, patterns)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw new ArgumentsError(`${name}: ${error.message}`)
  }
  return patterns
}

function wholeNumber(name: string, value: string, min: number, max: number): number {
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < min || number > max) {
    throw new ArgumentsError(`${name} must be a whole number from ${min} to ${max}`)
  }
  return number
}
