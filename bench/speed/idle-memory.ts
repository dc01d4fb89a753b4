import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { Jobs, openStateStore } from "#crawler"
import {
  machine,
  MB,
  memoryOf,
  processTree,
  residentTogether,
  short,
  stopProcess,
  table,
  untilAnswers,
} from "../measure.ts"
import { askable, askApi } from "../questions/ask-api.ts"
import { freePort } from "#base/testing/free-port.ts"

const FOSSICK = join(import.meta.dirname, "../../command/fossick.js")
const QUESTION = "how do I schedule a crawl?"
const POLL_MS = 50
const CRAWL_LIMIT_MS = 300_000

const { values } = parseArgs({ options: { rest: { type: "string", default: "30" } } })
const dataDir = await mkdtemp(join(tmpdir(), "fossick-idle-"))
const port = await freePort()
const url = `http://127.0.0.1:${port}`
const began = performance.now()
const appliance = spawn(process.execPath, [FOSSICK, "start"], {
  stdio: ["ignore", "ignore", "inherit"],
  env: { ...process.env, ...askable(dataDir, port) },
})
try {
  await untilAnswers(appliance, `${url}/readyz`)
  const readySeconds = (performance.now() - began) / 1000
  const ready = processTree(pid(appliance)).length
  await untilHandbookCrawled()
  const crawledSeconds = (performance.now() - began) / 1000
  const found = await ask()
  await sleep(Number(values.rest) * 1000)
  report(readySeconds, crawledSeconds, ready, found)
} finally {
  await stopProcess(appliance)
  await rm(dataDir, { recursive: true, force: true })
}

function report(readySeconds: number, crawledSeconds: number, ready: number, found: string): void {
  const processes = processTree(pid(appliance)).map((one) => ({ name: nameOf(one), ...memoryOf(one) }))
  const sum = (kind: "rss" | "pss" | "own") => processes.reduce((total, one) => total + one[kind], 0)
  const megabytes = (bytes: number) => short(bytes / MB)
  process.stdout.write(
    `${machine()}\n\nready after ${short(readySeconds)} s (${ready} processes), handbook crawled after ${short(crawledSeconds)} s, ` +
      `"${QUESTION}" found ${found}, then ${values.rest} s of rest\n\n`,
  )
  process.stdout.write(
    table([
      ["process", "resident MB", "proportional MB (PSS)", "own MB"],
      ...processes.map((one) => [one.name, megabytes(one.rss), megabytes(one.pss), megabytes(one.own)]),
      ["all", megabytes(sum("rss")), megabytes(sum("pss")), megabytes(sum("own"))],
    ]),
  )
  process.stdout.write(
    `\nresident together, shared pages counted once: ${megabytes(residentTogether(processes))} MB\n`,
  )
}

/** Whether the first crawl has finished and its process, which also creates the vectors, has ended. */
async function isHandbookCrawled(): Promise<boolean> {
  using db = await openStateStore(dataDir)
  const [job] = await new Jobs(db).list({ limit: 1 })
  if (job?.state === "failed") throw new Error(`the crawl of the handbook failed: ${job.error}`)
  return (
    job?.state === "finished" &&
    !processTree(pid(appliance)).some((one) => nameOf(one).endsWith("job-worker.ts"))
  )
}

async function ask(): Promise<string> {
  const { results } = JSON.parse(await askApi(url, { query: QUESTION })) as { results: { url: string }[] }
  if (!results[0]) throw new Error(`nothing found for "${QUESTION}"`)
  return results[0].url
}

async function untilHandbookCrawled(): Promise<void> {
  const late = performance.now() + CRAWL_LIMIT_MS
  while (!(await isHandbookCrawled())) {
    if (appliance.exitCode !== null) throw new Error(`the appliance exited with code ${appliance.exitCode}`)
    if (performance.now() > late)
      throw new Error(`the handbook was not crawled within ${CRAWL_LIMIT_MS / 1000} s`)
    await sleep(POLL_MS)
  }
}

function pid(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error("the appliance did not start")
  return child.pid
}

/** File name of the script that a process runs. */
function nameOf(pid: number): string {
  try {
    const script = readFileSync(`/proc/${pid}/cmdline`, "utf8")
      .split("\0")
      .find((one) => one.endsWith(".ts"))
    return script?.split("/").slice(-2).join("/") ?? `process ${pid}`
  } catch {
    return `process ${pid}`
  }
}
