// feedparser's feeds: the addresses of the entries, as feedparser itself reads them.
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type PageUrl, toPageUrl } from "#engine"
import type { Listed, ListParser, Take } from "#crawler/crawl/listings/list-parser.ts"
import { rightOrWrong, rightRow } from "../scoring.ts"
import { suite, SuiteSkipped } from "../suite.ts"

const BASE = "http://feeds.example/feed" as PageUrl
/** A Python interpreter with feedparser installed, such as one in a virtual environment. */
const PYTHON = process.env["PYTHON"] ?? "python3"
/** A test about the address of an entry, even an entry without one. */
const ABOUT_LINKS = /Expect:.*entries\[\d+\][^=]*\blink/

type ListedBy = (
  body: Uint8Array,
  parserFor: (beginning: string, take: Take) => ListParser,
) => AsyncIterable<Listed>

export const feeds = suite({
  name: "feeds",
  folder: "feedparser",
  goal: "all",
  cases: async (root) => {
    const files = readdirSync(join(root, "tests"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".xml"))
      .toSorted()
    const links = linksOf(files.map((file) => join(root, "tests", file)))
    return files
      .map((name, i) => ({
        name,
        input: readFileSync(join(root, "tests", name)),
        url: BASE,
        wanted: [
          ...new Set(
            links[i]!.map((one) => (one === null ? null : toPageUrl(one, BASE))).filter(
              (one) => one !== null,
            ),
          ),
        ],
      }))
      .filter(({ input, wanted }) => wanted.length > 0 || ABOUT_LINKS.test(input.toString("latin1")))
  },
  reader: async (code) => {
    const { listed } = await code.load<{ listed: ListedBy }>("crawl/listings/list-parser.ts")
    const { feedParser } = await code.load<{ feedParser: (base: PageUrl, take: Take) => ListParser }>(
      "crawl/listings/feeds.ts",
    )
    return async ({ input }) => {
      const pages = new Set<PageUrl>()
      for await (const part of listed(input, (_, take) => feedParser(BASE, take)))
        for (const { url } of part.pages) pages.add(url)
      return [...pages]
    }
  },
  judge: ({ wanted }: { readonly wanted: readonly PageUrl[] }, read) => {
    const isRight = read.length === wanted.length && read.every((one, i) => one === wanted[i])
    return rightOrWrong(isRight, `${read.join(" ") || "none"}, wanted ${wanted.join(" ") || "none"}`)
  },
  rows: (marks) => [rightRow("feeds", marks)],
  listBelow: 1,
})

/** The links of the entries in each file. */
function linksOf(files: readonly string[]): readonly (readonly (string | null)[])[] {
  const script = join(import.meta.dirname, "feed_links.py")
  const { stdout, status } = spawnSync(PYTHON, [script, BASE], {
    input: files.join("\n"),
    encoding: "utf8",
    maxBuffer: 1e8,
  })
  if (status !== 0)
    throw new SuiteSkipped(
      "needs python with feedparser: python3 -m venv /tmp/fp && /tmp/fp/bin/pip install feedparser, then PYTHON=/tmp/fp/bin/python",
    )
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as (string | null)[])
}
