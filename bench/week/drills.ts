import { mkdtemp, readFile, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { WeekAppliance } from "./appliance.ts"
import { rankOf, type Verdict } from "./judge.ts"
import type { Environment } from "./programs/site.ts"
import { processTree } from "../measure.ts"
import type { Stand } from "./world.ts"

const DAY = 6
const LOOK_MS = 200
const TRIES = 100

const line = (source: string, what: string, told: string, right: boolean): Verdict => ({
  day: DAY,
  source,
  what,
  told,
  when: "",
  right,
})

/** Stops the appliance as an upgrade would, and starts it again. */
export async function restart(appliance: WeekAppliance): Promise<Verdict[]> {
  const runs = (await appliance.runs()).length
  const code = await appliance.stop()
  await appliance.start()
  const after = (await appliance.runs()).length
  const told = `ended with ${code}, started again, knows ${after} of ${runs} runs`
  return [line("all", "the appliance is restarted for an upgrade", told, code === 0 && after >= runs)]
}

/** Kills the crawler's process in the middle of a run, as the system does when memory runs out. */
export async function killWorker(
  appliance: WeekAppliance,
  stands: ReadonlyMap<string, Stand>,
): Promise<Verdict[]> {
  const source = ["mediawiki", "dokuwiki", "postfix"].find((name) => stands.has(name))
  if (source === undefined) return []
  const { id } = await appliance.call<{ id: number }>(`/admin/sources/${source}/run`, {})
  const ofIt = async () => (await appliance.runs()).find((run) => run.id === id)
  for (let tries = 0; tries < TRIES; tries++) {
    const run = await ofIt()
    if (run?.state === "running" && Object.values(run.outcomes).some((count) => count > 3)) break
    await sleep(LOOK_MS)
  }
  const pids = await crawlers(appliance.pid)
  for (const pid of pids) process.kill(pid, "SIGKILL")
  await appliance.rest(5)
  const run = await ofIt()
  const told = `${run?.result ?? run?.state}${run?.reason ? `: ${run.reason}` : ""}`
  const well = pids.length > 0 && run?.result === "finished"
  return [
    line(
      source,
      `the crawler's process is killed in the middle of a run (${pids.length} of them)`,
      told,
      well,
    ),
  ]
}

/** Processes of the appliance that are crawling. */
async function crawlers(supervisor: number): Promise<number[]> {
  const found: number[] = []
  for (const pid of processTree(supervisor)) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
    if (/crawler\/(main|[\w/-]*worker)\.ts/.test(command)) found.push(pid)
  }
  return found
}

/** Makes a backup, checks it, and restores it into another folder, where the question must still find its answer. */
export async function drill(
  appliance: WeekAppliance,
  work: string,
  env: Environment,
  asked: { text: string; url: string },
): Promise<Verdict[]> {
  const file = join(work, "drill.tar")
  const made = await appliance.command("backup", file, "--force")
  const checked = await appliance.command("restore", file, "--verify")
  const folder = await mkdtemp(join(tmpdir(), "fossick-week-drill-"))
  try {
    const other = new WeekAppliance(folder, {
      ...env,
      FOSSICK_PORT: "0",
      FOSSICK_DATA_DIR: join(folder, "data"),
      FOSSICK_HANDBOOK: "off",
    })
    const restored = await other.command("restore", file)
    await other.start()
    other.trust(appliance)
    const rank = await rankOf(other, asked.text, asked.url)
    const code = await other.stop()
    const files = (await readdir(folder)).length
    const codes = [made.code, checked.code, restored.code, code]
    const told = `backup, check, restore, end: ${codes.join(", ")}; the question's page is at ${rank} (${files} files)`
    return [
      line(
        "all",
        "a backup is restored into another folder",
        told,
        codes.every((one) => one === 0) && rank > 0,
      ),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
