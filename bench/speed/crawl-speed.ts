import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { BENCH_DIR, startDocumentationSite } from "../corpora/documentation-site.ts"
import { MB, machine, median, runMeasured, short, table, type Usage } from "../measure.ts"
import type { CrawlReport } from "../peers/undici-loop.ts"

// lxml 6 moved its HTML cleaner to a separate package, which trafilatura's justext needs and does not declare.
const PYTHON_PACKAGES = ["scrapy==2.19.0", "trafilatura==2.3.1", "lxml_html_clean==0.4.6"]
/** A contestant that reads fewer pages than this did not read the site. */
const MIN_PAGES = 2000
const SPIDER = join(import.meta.dirname, "../peers/scrapy_spider.py")

/** One way to read the site, run as a separate process. */
interface Contestant {
  readonly name: string
  command(start: string, concurrency: string, tools: Tools): [command: string, args: string[]]
  /** Environment variables, added to the benchmark's own. */
  readonly env?: NodeJS.ProcessEnv
}

/** Environment of our own contestants, as under `fossick start`. */
const OURS = { MALLOC_ARENA_MAX: "2" }

/** Other projects' programs. */
interface Tools {
  readonly python: string
  /** `null` if Go is not installed, so that colly cannot be built. */
  readonly colly: string | null
}

const own =
  (mode: string): Contestant["command"] =>
  (start, concurrency) => [
    process.execPath,
    [import.meta.filename, "--as", mode, "--start", start, "--concurrency", concurrency],
  ]
const scrapy =
  (...options: string[]): Contestant["command"] =>
  (start, concurrency, { python }) => [python, [SPIDER, start, concurrency, ...options]]

const CONTESTANTS: Readonly<Record<string, Contestant>> = {
  links: { name: "Fossick: frontier, fetch, parse, links", command: own("links"), env: OURS },
  index: { name: "Fossick: fetch, extract, index, no vectors", command: own("index"), env: OURS },
  loop: { name: "bare undici and htmlparser2 loop", command: own("loop") },
  colly: {
    name: "colly: fetch, parse, links",
    command: (start, concurrency, { colly }) => [colly ?? "", [start, concurrency]],
  },
  scrapy: { name: "Scrapy: fetch, parse, links (XPath, each address of a page once)", command: scrapy() },
  tutorial: { name: "Scrapy: fetch, parse, links (LinkExtractor)", command: scrapy("--tutorial") },
  trafilatura: { name: "Scrapy with trafilatura, nothing indexed", command: scrapy("--extract") },
}

type Round = CrawlReport & Omit<Usage, "lastLine">

/** Python with Scrapy and trafilatura, in a virtual environment made on first use and safe to delete. */
async function pythonEnvironment(): Promise<string> {
  const run = promisify(execFile)
  const dir = join(BENCH_DIR, "python")
  const python = join(dir, "bin/python")
  const ready = join(dir, PYTHON_PACKAGES.join("-"))
  if (existsSync(ready)) return python
  process.stderr.write(`installing ${PYTHON_PACKAGES.join(" and ")} in ${dir}\n`)
  await mkdir(BENCH_DIR, { recursive: true })
  await run("python3", ["-m", "venv", "--clear", dir])
  await run(python, ["-m", "pip", "install", "--quiet", ...PYTHON_PACKAGES], { maxBuffer: 1 << 24 })
  await mkdir(ready)
  return python
}

/** colly's contestant, built with the installed Go. */
async function builtColly(): Promise<string | null> {
  const program = join(BENCH_DIR, "colly")
  try {
    await promisify(execFile)("go", ["build", "-o", program, "."], {
      cwd: join(import.meta.dirname, "../peers/colly"),
    })
    return program
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    process.stderr.write(`without colly: ${code === "ENOENT" ? "there is no go command" : message}
`)
    return null
  }
}

async function bench(rounds: number, concurrency: string, only: readonly string[]): Promise<void> {
  const tools = { python: await pythonEnvironment(), colly: await builtColly() }
  const keys = only.filter((key) => key !== "colly" || tools.colly !== null)
  await using site = await startDocumentationSite()
  const results = new Map<string, Round[]>()
  // The first round warms the server's memory and is not counted.
  for (let round = 0; round <= rounds; round++) {
    for (const key of keys) {
      const contestant = CONTESTANTS[key]
      if (!contestant)
        throw new Error(`unknown contestant ${key}; known: ${Object.keys(CONTESTANTS).join(", ")}`)
      if (round === 0 && key !== "loop") continue
      const [command, args] = contestant.command(site.url, concurrency, tools)
      const { lastLine, ...usage } = await runMeasured(command, args, { ...process.env, ...contestant.env })
      const result: Round = { ...(JSON.parse(lastLine) as CrawlReport), ...usage }
      process.stderr.write(`round ${round}: ${contestant.name}: ${JSON.stringify(result)}\n`)
      if (result.pages < MIN_PAGES) throw new Error(`${contestant.name} read ${result.pages} pages only`)
      if (round > 0) results.set(key, [...(results.get(key) ?? []), result])
    }
  }
  const of = (key: string, value: (round: Round) => number) => median((results.get(key) ?? []).map(value))
  const speed = (key: string) => of(key, (round) => round.pages / round.seconds)
  const rows = [...results.keys()].map((key) => [
    CONTESTANTS[key]?.name ?? key,
    of(key, (round) => round.pages),
    short(speed(key)),
    short(of(key, (round) => (round.cpuSeconds / round.pages) * 1000)),
    short(of(key, (round) => round.peakBytes) / MB),
  ])
  process.stdout.write(`${machine()}; ${concurrency} at once, medians of ${rounds} rounds\n\n`)
  process.stdout.write(table([["", "pages", "pages/s", "CPU s per 1,000 pages", "peak memory, MB"], ...rows]))
  const pairs = [
    ["links", "scrapy"],
    ["links", "colly"],
    ["links", "tutorial"],
    ["index", "trafilatura"],
    ["loop", "links"],
  ] as const
  for (const [a, b] of pairs) {
    if (results.has(a) && results.has(b)) process.stdout.write(`\n${a} / ${b}: ${short(speed(a) / speed(b))}`)
  }
  process.stdout.write("\n")
}

/** Runs one of our contestants in this process and prints its report. */
async function contest(mode: string, start: string, concurrency: number): Promise<void> {
  const report = await runOwn(mode, start, concurrency)
  process.stdout.write(`${JSON.stringify(report)}\n`)
}

async function runOwn(mode: string, start: string, concurrency: number): Promise<CrawlReport> {
  if (mode === "loop") return (await import("../peers/undici-loop.ts")).undiciLoop(start, concurrency)
  if (mode === "links" || mode === "index")
    return (await import("../corpora/own-crawl.ts")).ownCrawl(mode, start, concurrency)
  throw new Error(`unknown contestant ${mode}`)
}

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    concurrency: { type: "string", default: "32" },
    only: { type: "string", default: Object.keys(CONTESTANTS).join(",") },
    as: { type: "string" },
    start: { type: "string", default: "" },
  },
})
if (values.as === undefined) await bench(Number(values.rounds), values.concurrency, values.only.split(","))
else await contest(values.as, values.start, Number(values.concurrency))
