import { setTimeout as sleep } from "node:timers/promises"
import { toPageUrl } from "#engine"
import { PageReader } from "#crawler/fetch/visit/reader.ts"
import { browserProcesses } from "#crawler/testing/browser-processes.ts"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { article, bytes, redirect, startTestSite } from "#crawler/testing/test-site.ts"
import { memoryOf } from "../measure.ts"

export interface SoakOptions {
  readonly renders: number
  /** A sample is taken each time this many more pages are finished. */
  readonly every: number
  readonly onSample?: (sample: SoakSample) => void
}

export interface SoakSample {
  /** Number of pages finished so far. */
  readonly done: number
  /** Number of living browser processes. */
  readonly processes: number
  /** Private memory of these processes, in bytes. */
  readonly browserBytes: number
  /** Resident memory of this process, which controls the browser. */
  readonly ownBytes: number
}

export interface SoakResult {
  readonly samples: readonly SoakSample[]
  /** How the visits to the pages ended. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Number of browser processes after the reader is closed. */
  readonly left: number
}

const TEXT =
  "Windmills grind grain with the force of the wind, and have done so for a thousand years. ".repeat(20)
const TIMEOUT_MS = 10_000

/** Pages of a site built by a script, some of them hostile: the number decides what kind of page it is. */
function pageOf(number: number): string {
  const kind = number % 50
  if (kind === 10) return shell("for (;;);")
  if (kind === 20)
    return shell("const kept = []; setInterval(() => kept.push(new Uint8Array(50e6).fill(1)), 10)")
  if (kind === 30) return shell("location.href = '/moved'")
  if (kind === 40)
    return shell(`${RENDERS}; for (let n = 0; n < 1000; n++) setInterval(() => document.title += n, 50)`)
  return shell(RENDERS)
}

const RENDERS = `fetch("/data.json").then((answer) => answer.json()).then(({ text }) => {
  for (let n = 0; n < 200; n++) {
    const part = document.createElement("section")
    part.innerHTML = "<h2>Part " + n + "</h2><p>" + text + "</p><a href='/page/" + n + "'>Page " + n + "</a>"
    root.append(part)
  }
})`

function shell(script: string): string {
  return `<!doctype html><title>Windmills</title><div id="root"></div><script>${script}</script>`
}

/**
 * Renders a series of pages, as many at once as the settings allow, and counts the living processes. Linux only.
 * @throws Error when a healthy page is not read.
 */
export async function soakRenders(options: SoakOptions): Promise<SoakResult> {
  await using site = await startTestSite({
    "/data.json": bytes(JSON.stringify({ text: TEXT }), { "content-type": "application/json" }),
    "/moved": redirect("/landed"),
    "/landed": article("Landed"),
  })
  const config = testConfig({
    FOSSICK_ALLOWED_NETWORKS: site.authority,
    FOSSICK_RENDER_TIMEOUT_MS: String(TIMEOUT_MS),
    FOSSICK_BROWSER_MEMORY_MB: "700",
  })
  const reader = new PageReader(config, { rendering: "auto" })
  const samples: SoakSample[] = []
  const outcomes: Record<string, number> = {}
  let next = 0
  let done = 0
  const work = async () => {
    while (next < options.renders) {
      const number = (next += 1)
      const path = `/page/${number}`
      site.serve({ [path]: pageOf(number) })
      const visit = await reader.visit(toPageUrl(site.url(path))!, {})
      site.serve({ [path]: "" })
      const name =
        visit.kind === "read"
          ? `read${visit.reading.rendered === true ? " in the browser" : ""}`
          : visit.kind === "failed" || visit.kind === "skipped"
            ? `${visit.kind}:${visit.because}`
            : visit.kind
      outcomes[name] = (outcomes[name] ?? 0) + 1
      done += 1
      if (done % options.every > 0) continue
      const sample = await sampled(done)
      samples.push(sample)
      options.onSample?.(sample)
    }
  }
  try {
    await Promise.all(Array.from({ length: config.browserPages }, work))
  } finally {
    await reader[Symbol.asyncDispose]()
  }
  return { samples, outcomes, left: (await browserProcesses()).length }
}

async function sampled(done: number): Promise<SoakSample> {
  const processes = await lastingProcesses()
  return {
    done,
    processes: processes.length,
    browserBytes: processes.reduce((sum, pid) => sum + ownBytesOf(pid), 0),
    ownBytes: process.memoryUsage().rss,
  }
}

/**
 * The smallest number of processes in a few samples. The previous page's processes take a moment to end, longer on a
 * busy machine; a process that stays for good appears in every sample.
 */
async function lastingProcesses(): Promise<number[]> {
  let fewest: number[] | undefined
  for (let look = 0; look < 10; look++) {
    await sleep(200)
    const found = await browserProcesses()
    if (fewest === undefined || found.length < fewest.length) fewest = found
  }
  return fewest!
}

/** The memory of a process; 0 if it has ended since it was listed. */
function ownBytesOf(pid: number): number {
  try {
    return memoryOf(pid).own
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The kernel reports one error or the other, depending on how far the process has ended.
    if (code === "ENOENT" || code === "ESRCH") return 0
    throw error
  }
}
