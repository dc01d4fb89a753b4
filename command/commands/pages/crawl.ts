import { PAGE_TOPICS } from "#engine/index/page/page.ts"
import { RENDERINGS, SCOPES } from "#crawler/source.ts"
import { command } from "../../spec.ts"

export const crawl = command({
  changes: () => true,
  about: `Crawls a site into the index and shows how it goes. A running appliance does it; without one the command does.
Ctrl-C pauses it after the pages in hand; the same command continues from there.`,
  args: { start: { about: "the address to start from, or the name of a declared source" } },
  options: {
    depth: { value: "n", about: "link steps from the start", default: "10" },
    limit: { value: "n", about: "pages to read in all", default: "10000" },
    minutes: { value: "n", about: "how long it may take; as long as it takes when not given" },
    scope: {
      value: "scope",
      about: "the same host; all hosts of its domain; or only below the start's folder",
      choices: SCOPES,
      default: "host",
    },
    include: {
      value: "pattern",
      several: true,
      about: "read only addresses that fit, such as /docs/**; may be given several times",
    },
    exclude: {
      value: "pattern",
      several: true,
      about: "do not read addresses that fit, such as *.pdf; may be given several times",
    },
    rendering: {
      value: "how",
      about: "load pages that come without content in a browser; none of them; all of them",
      choices: RENDERINGS,
      default: "auto",
    },
    topic: { value: "topic", about: "what all its pages are; else as each page says", choices: PAGE_TOPICS },
    failed: { about: "read only the pages that could not be read the last time" },
    source: { value: "name", about: "source the pages are filed under; the host when not given" },
  },
  json: "one JSON object a line instead of the display",
  examples: [
    { line: "fossick crawl https://docs.example.com/", about: "a whole site" },
    { line: "fossick crawl docs.example.com --include '/guide/**' --limit 500", about: "a part of it" },
    { line: "fossick crawl docs", about: "a source that is declared under this name" },
    { line: "fossick crawl docs --failed", about: "only those of its pages that failed" },
  ],
  async run({ args, options, named, json }) {
    const { describedCrawl } = await import("#crawler/commands/crawl/described-crawl.ts")
    const { failed } = options
    const wish = describedCrawl(args.start, options, named.size > (failed ? 1 : 0))
    const { crawl: run } = await import("#crawler/commands/crawl/crawl-session.ts")
    return await run({ ...wish, failed, json })
  },
})
