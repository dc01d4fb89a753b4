import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { until } from "#base/testing/until.ts"

/** Processes whose working directory is in this folder. */
async function processesIn(folder: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => (await readlink(`/proc/${pid}/cwd`).catch(() => "")).startsWith(folder)),
  )
  return pids.filter((_, at) => found[at])
}

// Other systems have no /proc.
test("an interrupted queue bench leaves no appliance and no folder behind", { tags: ["linux"] }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "fossick-interrupted-"))
  try {
    const bench = spawn(process.execPath, [join(import.meta.dirname, "queue.ts"), "--pages=5", "--few=5"], {
      env: { ...process.env, TMPDIR: folder },
      stdio: "ignore",
    })
    const ended = once(bench, "exit")
    const log = async () => {
      const [own] = (await readdir(folder)).filter((name) => name.startsWith("fossick-queue-"))
      return own === undefined
        ? ""
        : await readFile(join(folder, own, "appliance.log"), "utf8").catch(() => "")
    }
    await until(async () => (await log()).includes("Ctrl-C"), 50)
    expect(await processesIn(folder)).not.toEqual([])
    bench.kill("SIGINT")
    expect(await ended).toEqual([130, null])
    await expect.poll(() => processesIn(folder)).toEqual([])
    await expect.poll(() => readdir(folder)).toEqual([])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
