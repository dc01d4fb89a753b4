import { spawn } from "node:child_process"
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import type { Page } from "#engine"
import { freePort } from "#base/testing/free-port.ts"
import { englishManuals } from "../../corpora/manuals.ts"
import {
  machine,
  median,
  percentile,
  runMeasured,
  short,
  stopProcess,
  table,
  untilAnswers,
} from "../../measure.ts"
import { askable, askApi } from "../../questions/ask-api.ts"
import type { Filled } from "./filler.ts"

const OWN = join(import.meta.dirname, "../../..")
const FILLER = join(import.meta.dirname, "filler.ts")

/** Response times of questions, in milliseconds: before, while and after vectors are made. */
interface Asked {
  readonly idle: readonly number[]
  readonly filling: readonly number[]
  readonly after: readonly number[]
}

const { values } = parseArgs({
  options: {
    /** Another checkout, with its packages, that takes its turn in each round. */
    before: { type: "string" },
    every: { type: "string", default: "12" },
    rounds: { type: "string", default: "3" },
    /** Processor numbers, in the format of taskset; one run for each. */
    cores: { type: "string", multiple: true, default: ["0", "0,1"] },
    /** Number of questions per second; with 0, no questions are asked. */
    questions: { type: "string", default: "10" },
    /** How many seconds to ask questions before and after the vectors are made. */
    rest: { type: "string", default: "10" },
  },
})
const roots = new Map([...(values.before ? [["before", resolve(values.before)] as const] : []), ["now", OWN]])
const scratch = await mkdtemp(join(tmpdir(), "fossick-vectors-"))
try {
  const file = join(scratch, "pages.json")
  const pages = await samplePages(Number(values.every))
  await writeFile(file, JSON.stringify(pages))
  process.stdout.write(`${machine()}\n`)
  for (const [name, root] of roots) await filler(root, join(scratch, `${name}-pages`), null, "pages", file)
  for (const cores of values.cores) await compare(cores, pages)
} finally {
  await rm(scratch, { recursive: true, force: true })
}

/** Measures one table: with these processors, each checkout in turn, over several rounds. */
async function compare(cores: string, pages: readonly Page[]): Promise<void> {
  const filled = new Map<string, Filled[]>()
  const asked = new Map<string, Asked[]>()
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, root] of roots) {
      const dataDir = join(scratch, "round")
      await cp(join(scratch, `${name}-pages`), dataDir, { recursive: true })
      const alone = await filler(root, dataDir, cores, "vectors")
      filled.set(name, [...(filled.get(name) ?? []), alone])
      await rm(dataDir, { recursive: true })
      if (Number(values.questions) === 0) continue
      await cp(join(scratch, `${name}-pages`), dataDir, { recursive: true })
      asked.set(name, [...(asked.get(name) ?? []), await askMeanwhile(root, dataDir, cores, pages)])
      await rm(dataDir, { recursive: true })
    }
  }
  const { passages, pages: count } = [...filled.values()][0]![0]!
  process.stdout.write(
    `\nProcessors ${cores}; ${count} pages, ${passages} passages; ${values.rounds} rounds in turn, medians\n\n`,
  )
  const of = (name: string, value: (one: Filled) => number) => short(median(filled.get(name)!.map(value)))
  process.stdout.write(
    table([
      ["", "passages/s", "seconds", "CPU s", "CPU ms a passage", "peak MB"],
      ...[...filled.keys()].map((name) => [
        name,
        of(name, (one) => one.passages / one.seconds),
        of(name, (one) => one.seconds),
        of(name, (one) => one.cpuSeconds),
        of(name, (one) => (one.cpuSeconds * 1000) / one.passages),
        of(name, (one) => one.megabytes),
      ]),
    ]),
  )
  if (asked.size === 0) return
  const ms = (name: string, when: keyof Asked, p: number) =>
    median(asked.get(name)!.map((one) => percentile(one[when], p)))
  process.stdout.write("\nThe API meanwhile, milliseconds\n\n")
  process.stdout.write(
    table([
      ["", "idle p50", "p99", "filling p50", "p99", "after p50", "p99", "filling p99 / after p99"],
      ...[...asked.keys()].map((name) => [
        name,
        ...(["idle", "filling", "after"] as const).flatMap((when) => [
          short(ms(name, when, 0.5)),
          short(ms(name, when, 0.99)),
        ]),
        short(ms(name, "filling", 0.99) / ms(name, "after", 0.99)),
      ]),
    ]),
  )
}

async function samplePages(every: number): Promise<Page[]> {
  const pages: Page[] = []
  let i = 0
  for await (const page of englishManuals()) if (i++ % every === 0) pages.push(page)
  return pages
}

async function filler(
  root: string,
  dataDir: string,
  cores: string | null,
  task: "pages" | "vectors",
  file = "",
): Promise<Filled> {
  const command = [process.execPath, FILLER, root, dataDir, task, file]
  const [program, ...args] = cores === null ? command : ["taskset", "--cpu-list", cores, ...command]
  const { lastLine } = await runMeasured(program!, args)
  return JSON.parse(lastLine) as Filled
}

/** An API process on the same data folder is asked before, while and after the vectors are made. */
async function askMeanwhile(
  root: string,
  dataDir: string,
  cores: string,
  pages: readonly Page[],
): Promise<Asked> {
  const port = await freePort()
  const env = { ...process.env, ...askable(dataDir, port), FOSSICK_LOG_LEVEL: "error" }
  const api = spawn("taskset", ["--cpu-list", cores, process.execPath, join(root, "api/main.ts")], {
    stdio: ["ignore", "ignore", "inherit"],
    env,
  })
  try {
    const url = `http://127.0.0.1:${port}`
    await untilAnswers(api, `${url}/healthz`)
    const rest = () => sleep(Number(values.rest) * 1000)
    await ask(url, pages, sleep(3000))
    const idle = await ask(url, pages, rest())
    const filling = await ask(url, pages, filler(root, dataDir, cores, "vectors"))
    await ask(url, pages, sleep(3000))
    return { idle, filling, after: await ask(url, pages, rest()) }
  } finally {
    await stopProcess(api)
  }
}

/** Asks for titles at a steady pace, whether or not the previous question has been answered, until `over` settles. @returns the response times in milliseconds */
async function ask(url: string, pages: readonly Page[], over: Promise<unknown>): Promise<number[]> {
  const took: number[] = []
  const underWay = new Set<Promise<void>>()
  const end = new AbortController()
  void over.finally(() => end.abort()).catch(() => undefined)
  for (let i = 0; !end.signal.aborted; i++) {
    const began = performance.now()
    const asking = askApi(url, { query: pages[(i * 7) % pages.length]!.title, max_results: 5 })
      .then(() => void took.push(performance.now() - began))
      .finally(() => underWay.delete(asking))
    underWay.add(asking)
    await sleep(1000 / Number(values.questions))
  }
  await Promise.all(underWay)
  await over
  return took
}
