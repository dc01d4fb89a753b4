// Records the contract suite's conversation with a real Meilisearch: MEILI_URL=<address> npm run record:meilisearch. To
// record only some stories and add them to the existing recording, append part of their titles (`-- "searches go on"`).
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { Recording } from "./recording.ts"
import type { Pace } from "./recording-proxy.ts"
import { HOW_TO_RECORD, RECORDING } from "./test-server.ts"

const SUITE = "engine/testing/meilisearch/contract.test.ts"
/** Runs of the suite: concurrent events happen in a different order in each run, and killed writers get further in some. */
const RUNS: ReadonlyArray<{ readonly pace: Pace; readonly killedAfter: number }> = [
  { pace: "changes first", killedAfter: 12 },
  { pace: "reads first", killedAfter: 14 },
  { pace: "at random", killedAfter: 17 },
]

if (!process.env["MEILI_URL"]) {
  console.error(`No server to record: ${HOW_TO_RECORD}`)
  process.exit(2)
}
const stories = process.argv[2]
const folder = await mkdtemp(path.join(tmpdir(), "fossick-recording-"))
try {
  let all: Recording | null = stories === undefined ? null : Recording.load(RECORDING)
  for (const [run, { pace, killedAfter }] of RUNS.entries()) {
    const file = path.join(folder, String(run))
    console.log(`Run ${run + 1} of ${RUNS.length}, ${pace}`)
    await runSuite(
      {
        ...process.env,
        MEILI_RECORD_TO: file,
        MEILI_RECORD_PACE: pace,
        MEILI_RECORD_KILLED_AFTER: String(killedAfter),
      },
      stories === undefined ? [] : ["--testNamePattern", stories],
    )
    const recording = Recording.load(file)
    if (all) all.merge(recording)
    else all = recording
    console.log(`Until now: ${told(all)}`)
  }
  await mkdir(path.dirname(RECORDING), { recursive: true })
  all!.save(RECORDING)
  console.log(`${told(all!)}; ${Math.ceil((await stat(RECORDING)).size / 1024)} KB in ${RECORDING}`)
} finally {
  await rm(folder, { recursive: true })
}
console.log("The suite on what was recorded:")
const { MEILI_URL: _, ...withoutServer } = process.env
await runSuite(withoutServer)

function told({ counts, differing }: Recording): string {
  const { requests, states, answers } = counts
  return `${requests} requests in ${states} states, ${answers} different answers, ${differing} not the same when asked again`
}

async function runSuite(env: NodeJS.ProcessEnv, only: readonly string[] = []): Promise<void> {
  const vitest = path.join(import.meta.dirname, "../../../node_modules/vitest/vitest.mjs")
  const child = spawn(process.execPath, [vitest, "run", SUITE, ...only], {
    env,
    stdio: "inherit",
  })
  const [code] = (await once(child, "exit")) as [number | null]
  if (code !== 0) throw new Error(`The suite failed: ${code}`)
}
