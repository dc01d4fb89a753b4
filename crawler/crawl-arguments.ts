import { parseArgs } from "node:util"
import { type PageTopic, toPageUrl } from "#engine"
import { type Scope, SCOPES } from "./scope.ts"
import { defineSource, type Source } from "./sources/source.ts"

export const CRAWL_HELP = `Usage: npm run crawl -- <url> [options]

Crawls a site into the index and shows how it goes. Ctrl-C stops after the pages in hand;
the same command goes on where it stopped.

Options:
  --depth N        link steps from the start (default 10)
  --limit N        pages to read in all (default 10000)
  --scope SCOPE    host (default): the same host; domain: all its domain's hosts;
                   prefix: only below the start's folder
  --topic TOPIC    news or finance: what all its pages are (default: as each page says)
  --source NAME    source the pages are filed under (default: the host)
  --json           one JSON object a line instead of the display
  --help           this text
`

export interface CrawlArguments {
  readonly source: Source
  readonly json: boolean
}

/** Arguments that cannot be understood; the message says what is expected. */
export class ArgumentsError extends Error {}

/** Reads the command's arguments; null when help is asked for. @throws ArgumentsError */
export function parseCrawlArguments(args: readonly string[]): CrawlArguments | null {
  let parsed
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        depth: { type: "string", default: "10" },
        limit: { type: "string", default: "10000" },
        scope: { type: "string", default: "host" },
        source: { type: "string" },
        topic: { type: "string" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    })
  } catch (error) {
    throw new ArgumentsError((error as Error).message)
  }
  const { values, positionals } = parsed
  if (values.help) return null
  const [address, ...more] = positionals
  if (address === undefined) throw new ArgumentsError("The address to start from is missing")
  if (more.length > 0)
    throw new ArgumentsError(`One address at a time, please: ${more.join(" ")} is too much`)
  const url = toPageUrl(address.includes("://") ? address : `https://${address}`)
  if (url === null) throw new ArgumentsError(`${JSON.stringify(address)} is no http or https address`)
  const name = values.source
  if (name?.trim() === "") throw new ArgumentsError("--source must not be empty")
  return {
    source: defineSource({
      seeds: [url],
      scope: scopeArgument(values.scope),
      limits: {
        depth: wholeNumber("--depth", values.depth, 0, 1000),
        pages: wholeNumber("--limit", values.limit, 1, 100_000_000),
      },
      ...(name === undefined ? {} : { name }),
      ...(values.topic === undefined ? {} : { pages: { topic: topicArgument(values.topic) } }),
    }),
    json: values.json,
  }
}

function scopeArgument(value: string): Scope {
  const scope = SCOPES.find((one) => one === value)
  if (scope === undefined) throw new ArgumentsError(`--scope must be one of ${SCOPES.join(", ")}`)
  return scope
}

const TOPICS: readonly PageTopic[] = ["news", "finance"]

function topicArgument(value: string): PageTopic {
  const topic = TOPICS.find((one) => one === value)
  if (topic === undefined) throw new ArgumentsError(`--topic must be one of ${TOPICS.join(", ")}`)
  return topic
}

function wholeNumber(name: string, value: string, min: number, max: number): number {
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < min || number > max) {
    throw new ArgumentsError(`${name} must be a whole number from ${min} to ${max}`)
  }
  return number
}
