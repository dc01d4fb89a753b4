import { PAGE_TOPICS } from "#engine/index/page/page.ts"
import { RENDERINGS, SCOPES } from "#crawler/source.ts"
import { command } from "../../spec.ts"

export const crawl = command({
  changes: () => true,
  about: `Crawls a site into the index and shows the progress. A running appliance does the work; without one, the command
does. Ctrl-C pauses it after the current pages; the same command continues from there.`,
  args: { start: { about: "the address to start from, or the name of a declared source" } },
  options: {
    depth: { value: "n", about: "follow at most this many links from the start", default: "10" },
    limit: { value: "n", about: "read at most this many pages", default: "10000" },
    minutes: { value: "n", about: "time limit for the crawl; default: none" },
    scope: {
      value: "scope",
      about: "what to crawl: the same host, all hosts of its domain, or only the folder of the start address",
      choices: SCOPES,
      default: "host",
    },
    include: {
      value: "pattern",
      several: true,
      about: "read only matching addresses, such as /docs/**; repeatable",
    },
    exclude: {
      value: "pattern",
      several: true,
      about: "do not read matching addresses, such as *.pdf; repeatable",
    },
    rendering: {
      value: "how",
      about: "load in a browser: only pages without content, none, or all",
      choices: RENDERINGS,
      default: "auto",
    },
    topic: {
      value: "topic",
      about: "topic of all pages; default: the one that each page states",
      choices: PAGE_TOPICS,
    },
    failed: { about: "read only the pages that failed last time" },
    source: { value: "name", about: "source to store the pages under; default: the host" },
  },
  json: "one JSON object per line instead of the display",
  examples: [
    { line: "fossick crawl https://docs.example.com/", about: "a whole site" },
    { line: "fossick crawl docs.example.com --include '/guide/**' --limit 500", about: "part of it" },
    { line: "fossick crawl docs", about: "a source that is declared under this name" },
    { line: "fossick crawl docs --failed", about: "only its failed pages" },
  ],
  async run({ args, options, named, json }) {
    const { describedCrawl } = await import("#crawler/commands/crawl/described-crawl.ts")
    const { failed } = options
    const wish = describedCrawl(args.start, options, named.size > (failed ? 1 : 0))
    const { crawl: run } = await import("#crawler/commands/crawl/crawl-session.ts")
    return await run({ ...wish, failed, json })
  },
})
