// What somebody types, letter by letter, asked of an embedded index in this process, beside searches for the whole.
//   node bench/speed/suggestions/typing.ts --passages 100000
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage } from "#engine/testing/pages.ts"
import { chance } from "#base/testing/chance.ts"
import { machine, percentile, short, table } from "../../measure.ts"

const { values } = parseArgs({ options: { passages: { type: "string", default: "100000" } } })
const SECTIONS = 10
const VOCABULARY = 20_000
const TYPED = 300
const SOURCES = 20
const pages = Math.ceil(Number(values.passages) / SECTIONS)

const random = chance(1).next
const SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split(" ")
/** Zipf: the n-th word comes about 1/n times as often as the first. */
const word = () => {
  let rank = Math.floor(VOCABULARY ** random())
  let text = ""
  do {
    text += SYLLABLES[rank % SYLLABLES.length]
    rank = Math.floor(rank / SYLLABLES.length)
  } while (rank > 0)
  return text
}
const words = (count: number) => Array.from({ length: count }, word).join(" ")

const dir = await mkdtemp(path.join(tmpdir(), "fossick-bench-suggestions-"))
try {
  await using engine = await EmbeddedEngine.open({
    dir,
    embedder: new HashingEmbedder(),
    mode: "write",
    embedding: "off",
  })
  const titles: string[] = []
  for (let from = 0; from < pages; from += 500) {
    await engine.index(
      Array.from({ length: Math.min(500, pages - from) }, (_, i) => {
        const title = words(4)
        titles.push(title)
        const sections = Array.from({ length: SECTIONS }, () => `## ${words(3)}\n\n${words(70)}.`)
        const source = `source-${(from + i) % SOURCES}`
        return aPage(`https://docs.example.com/${from + i}`, {
          title,
          source,
          markdown: sections.join("\n\n"),
        })
      }),
    )
  }
  const { passages } = await engine.stats()
  const asked = Array.from({ length: TYPED }, (_, i) => titles[Math.floor((i * titles.length) / TYPED)]!)
  const prefixes = asked.flatMap((title) => [1, 2, 4, 7, 11].map((length) => title.slice(0, length)))
  const time = async <T>(all: readonly T[], ask: (one: T) => Promise<unknown>) => {
    const each: number[] = []
    for (const one of all) {
      const start = performance.now()
      await ask(one)
      each.push(performance.now() - start)
    }
    return each
  }
  const one = { sources: ["source-7"] }
  const typed = await time(prefixes, (text) => engine.suggest({ text, limit: 8 }))
  const within = await time(prefixes, (text) => engine.suggest({ text, limit: 8, filter: one }))
  const query = { limit: 8, depth: "ultra-fast", passagesPerPage: 1, withMarkdown: false } as const
  const searched = await time(asked, (text) => engine.search({ text, ...query }))
  const row = (name: string, each: readonly number[]) => [
    name,
    short(percentile(each, 0.5)),
    short(percentile(each, 0.95)),
    short(Math.max(...each)),
    short(percentile(each, 0.95) / percentile(searched, 0.95)),
  ]
  process.stdout.write(
    `${machine()}\n${pages} pages, ${passages} passages\n${table([
      ["", "p50 ms", "p95 ms", "most", "p95 of a search"],
      row("suggest", typed),
      row("suggest, one source of twenty", within),
      row("search ultra-fast", searched),
    ])}\n`,
  )
} finally {
  await rm(dir, { recursive: true, force: true })
}
