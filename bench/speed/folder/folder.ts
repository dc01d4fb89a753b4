import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { runJob } from "#crawler/crawl/run-job.ts"
import { FolderContent } from "#crawler/fetch/content/folder/folder-content.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import { crawlerSettings } from "#crawler/settings.ts"
import { defineSource } from "#crawler/source.ts"
import { openEngine } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { rareWord } from "#engine/testing/pages.ts"
import { machine, nextMessage, short, table } from "../../measure.ts"
import { CountingEmbedder } from "../counting-embedder.ts"

// Measures the cost of a folder with many files: the first run, a run in which nothing has changed, one after a few
// changes, and one check by the process that watches the folder. Each run is a separate process, as in the appliance;
// vectors are made by hashing.

/** The maximum cost of an unchanged run, as a share of the first run's. */
const MAX_RATIO = 0.02
const ADDRESS = "https://nas.example/files/"
const PER_FOLDER = 100
const LEAST = 2000

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "100000" },
    /** The part of this benchmark that this process runs. */
    as: { type: "string" },
    dir: { type: "string", default: "" },
  },
})

/** The result of one run. */
interface Run {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakMb: number
  readonly vectors: number
  readonly outcomes: Readonly<Record<string, number>>
}

/** Runs the source once, until the last vector is made. */
async function run(dir: string): Promise<Run> {
  await using embedder = new CountingEmbedder()
  const settings = { ...readSettings(engineSettings, {}), dataDir: join(dir, "data") }
  await using engine = await openEngine(settings, { mode: "write", embedder })
  using db = await openStateStore(join(dir, "data"))
  const jobs = new Jobs(db)
  const source = defineSource({ name: "files", folder: join(dir, "files"), seeds: [ADDRESS] })
  const { id } = await jobs.enqueue(source, { trigger: "schedule", visits: "due" })
  const startedAt = performance.now()
  const job = await runJob(id, {
    db,
    jobs,
    engine,
    config: readSettings(crawlerSettings, {}),
    signal: new AbortController().signal,
    whenAborted: "paused",
  })
  await engine.settled()
  if (job?.state !== "finished") throw new Error(`the run has ${job?.state}: ${job?.error}`)
  const { user, system } = process.cpuUsage()
  return {
    seconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: (user + system) / 1e6,
    peakMb: process.resourceUsage().maxRSS / 1024,
    vectors: embedder.vectors,
    outcomes: job.outcomes,
  }
}

async function measured(dir: string): Promise<Run> {
  const child = fork(import.meta.filename, ["--as", "run", "--dir", dir])
  const result = await nextMessage<Run>(child)
  if (child.exitCode === null) await once(child, "exit")
  return result
}

const pathOf = (dir: string, file: number): string =>
  join(dir, "files", `folder ${Math.floor(file / PER_FOLDER)}`, `file ${file}.md`)

function write(dir: string, file: number, edition = 1): void {
  const words = Array.from({ length: 80 }, (_, at) =>
    rareWord((file * 7919 + at * 104_729 + edition) % 50_000),
  )
  writeFileSync(
    pathOf(dir, file),
    `# File ${file}\n\n${words.join(" ")}.\n\n## Part ${edition}\n\n${words.toReversed().join(" ")}.\n`,
  )
}

async function compared(files: number): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), "fossick-folder-"))
  try {
    for (let file = 0; file < files; file += 1) {
      if (file % PER_FOLDER === 0)
        mkdirSync(join(dir, "files", `folder ${file / PER_FOLDER}`), { recursive: true })
      write(dir, file)
    }
    const first = await measured(dir)
    const rows = [row(`first run, ${files} files`, first, first)]
    const again = await measured(dir)
    rows.push(row("again, nothing changed", again, first))
    for (let file = 0; file < 100; file += 1) write(dir, file, 2)
    utimesSync(pathOf(dir, 0), 0, 0)
    rows.push(row("again, 100 files changed", await measured(dir), first))
    for (let folder = 1; folder <= 10; folder += 1)
      renameSync(join(dir, "files", `folder ${folder}`), join(dir, "files", `moved ${folder}`))
    rows.push(row("again, 1,000 files moved", await measured(dir), first))
    console.log(
      `${machine()}\n\n${table([["", "s", "CPU s", "peak MB", "vectors", "outcomes", "CPU, share"], ...rows])}`,
    )
    const content = new FolderContent(join(dir, "files"), ADDRESS)
    await content.fingerprint()
    const before = process.cpuUsage()
    const startedAt = performance.now()
    await content.fingerprint()
    const { user, system } = process.cpuUsage(before)
    console.log(
      `\nA look: ${short(performance.now() - startedAt)} ms, ${short((user + system) / 1000)} ms of CPU.`,
    )
    return again.cpuSeconds / first.cpuSeconds <= MAX_RATIO
  } finally {
    rmSync(dir, { recursive: true })
  }
}

const row = (name: string, run: Run, first: Run): string[] => [
  name,
  short(run.seconds),
  short(run.cpuSeconds),
  short(run.peakMb),
  String(run.vectors),
  Object.entries(run.outcomes)
    .map(([outcome, count]) => `${outcome} ${count}`)
    .join(", "),
  short(run.cpuSeconds / first.cpuSeconds),
]

if (!(Number(values.files) >= LEAST))
  throw new Error(`--files must be at least ${LEAST}, since 1,000 of them move`)
if (values.as === "run") process.send?.(await run(values.dir))
else process.exitCode = (await compared(Number(values.files))) ? 0 : 1
