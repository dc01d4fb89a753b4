// Generates the tables of docs/capacity.md from the benches' measurements: npm run bench -- capacity [--write]
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { short, table } from "../measure.ts"
import { chance } from "#base/testing/chance.ts"
import { crawl, pagesOfHosts } from "./crawl.ts"
import { needsOf, readMeasured } from "./needs.ts"
import { fullestShard, OPENSEARCH_RECOVERY, recoverySeconds } from "./shards.ts"

const PAGE = join(import.meta.dirname, "../../docs/capacity.md")
const [MILLION, THOUSAND, HOUR, DAY] = [1e6, 1000, 3600, 86_400]

/** Assumptions, which docs/capacity.md lists. */
const PASSAGES_PER_PAGE = 12
/** CPU time for reading a page and finding its links, text and language (the bench `crawl`), and for a passage's vector (`vectors`). */
const READ_CPU_SECONDS = 26.8 / THOUSAND
const VECTOR_CPU_SECONDS = 6.28 / THOUSAND
const SIZES = [MILLION, 10 * MILLION, THOUSAND * MILLION]
/** Number of copies of each page, as measured. */
const COPIES = 2
const SHARD_GB = 40
const NODE_GB = 2000
const CRAWLER_CORES = 8
const REQUESTS_OF_CRAWLER = 32
const POLITE = { pauseSeconds: 1, requestSeconds: 0.3 }

const { values: options } = parseArgs({ options: { write: { type: "boolean", default: false } } })
const engines = readMeasured()
const names = [...new Set(engines.map(({ engine }) => engine))]
const of = (name: string) => engines.filter(({ engine }) => engine === name)

const count = (value: number): string =>
  value >= THOUSAND * MILLION
    ? `${short(value / THOUSAND / MILLION)} billion`
    : value >= MILLION
      ? `${short(value / MILLION)} million`
      : value.toLocaleString("en")
const bytes = (mb: number): string =>
  mb >= MILLION
    ? `${short(mb / MILLION)} TB`
    : mb >= THOUSAND
      ? `${short(mb / THOUSAND)} GB`
      : `${short(mb)} MB`
const time = (seconds: number): string =>
  seconds >= 2 * DAY
    ? `${short(seconds / DAY)} d`
    : seconds >= 2 * HOUR
      ? `${short(seconds / HOUR)} h`
      : seconds >= 120
        ? `${short(seconds / 60)} min`
        : `${short(seconds)} s`

function measuredTable(): string {
  return table([
    ["engine", "passages", "pages", "disk", "memory", "load, CPU s", "question, CPU ms"],
    ...engines.map((one) => [
      one.engine,
      count(one.passages),
      count(one.pages),
      bytes(one.diskMb),
      bytes(one.memoryMb),
      short(one.loadCpuSeconds),
      short(one.questionCpuMs),
    ]),
  ])
}

function needsTable(): string {
  const rows = SIZES.flatMap((pages) =>
    names.map((name) => {
      const passages = pages * PASSAGES_PER_PAGE
      const needs = needsOf(of(name), passages)
      const largest = Math.max(...of(name).map((one) => one.passages))
      return [
        count(pages),
        name,
        bytes(needs.diskMb),
        bytes(needs.memoryMb),
        time(needs.loadCpuSeconds),
        short(needs.questionCpuMs),
        `${short(passages / largest)} ×`,
      ]
    }),
  )
  return table([
    ["pages", "engine", "disk", "memory", "load, CPU", "question, CPU ms", "beyond what was measured"],
    ...rows,
  ])
}

function crawlTable(): string {
  const perPage = READ_CPU_SECONDS + PASSAGES_PER_PAGE * VECTOR_CPU_SECONDS
  const cases: readonly (readonly [pages: number, hosts: number, crawlers: number])[] = [
    [MILLION, 20, 1],
    [MILLION, 1000, 1],
    [10 * MILLION, 1000, 4],
    [10 * MILLION, 100_000, 4],
    [THOUSAND * MILLION, 1_000_000, 50],
  ]
  return table([
    [
      "pages",
      "hosts",
      "crawlers",
      "all read",
      "95 % read",
      "hosts unfinished at that point",
      "pages/s up to that point",
    ],
    ...cases.map(([pages, hosts, crawlers]) => {
      const { seconds, secondsTo95, hostsAfter95 } = crawl(pagesOfHosts(pages, hosts), {
        ...POLITE,
        atATime: crawlers * REQUESTS_OF_CRAWLER,
        pagesPerSecond: (crawlers * CRAWLER_CORES) / perPage,
      })
      return [
        count(pages),
        count(hosts),
        crawlers,
        time(seconds),
        time(secondsTo95),
        count(hostsAfter95),
        short((0.95 * pages) / secondsTo95),
      ]
    }),
  ])
}

function clusterTable(): string {
  return table([
    ["pages", "shards", "nodes", "fullest shard", "time to restore all copies after a node fails"],
    ...SIZES.map((pages) => {
      const { diskMb: diskMbOfAll } = needsOf(of("OpenSearch"), pages * PASSAGES_PER_PAGE)
      const diskMb = diskMbOfAll / COPIES
      const shards = Math.max(3, Math.ceil(diskMb / THOUSAND / SHARD_GB))
      const nodes = Math.max(3, Math.ceil(diskMbOfAll / THOUSAND / NODE_GB))
      const fullest = fullestShard(pages, shards, chance(1))
      const shardMb = diskMb / shards
      return [
        count(pages),
        shards,
        nodes,
        `${short((fullest - 1) * 100)} % above the mean`,
        time(recoverySeconds({ nodes, shards, replicas: COPIES - 1, shardMb }, OPENSEARCH_RECOVERY)),
      ]
    }),
  ])
}

const tables = {
  "What was measured": measuredTable(),
  "Larger indexes": needsTable(),
  "Shards and dead nodes": clusterTable(),
  "First crawls": crawlTable(),
}
if (options.write) {
  let page = await readFile(PAGE, "utf8")
  for (const [title, text] of Object.entries(tables)) page = withTable(page, title, text.trim())
  await writeFile(PAGE, page)
} else process.stdout.write(`${Object.values(tables).join("\n\n")}\n`)

/** The page with this text in place of the only table of a section. */
function withTable(page: string, title: string, text: string): string {
  const found = new RegExp(`(?<=^## ${title}\n(?:(?!## |\\|).*\n)*)(?:\\|.*\n)+`, "m")
  if (!found.test(page)) throw new Error(`docs/capacity.md has no table under ${title}`)
  return page.replace(found, () => `${text}\n`)
}
