import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"

import { afterAll, vi } from "vitest"

import { childrenOfThisProcess, sharedProcesses } from "#base/testing/children.ts"

// Runs once for each test file, in the process that runs it: a file that leaves a process, a listening port or a folder behind fails.

/** Maximum number of checks for leftovers: a few seconds, even on a busy machine. */
const MOST_LOOKS = 200

/** Programs that may remain: the crawler keeps its browser and its reading processes for the next page until its own process ends. */
const KEPT_PROCESSES = /fossick-render-|\bread-process-worker\.ts/
/** Names of folders that may remain: profiles and sockets of browsers that are kept, and LanceDB's own temporary folders. */
const KEPT_FILES = /^(?:fossick-(?:render|browser)-|playwright|org\.chromium\.|\.tmp)/

/** The real timers of this process, whatever a test file does to them. */
const REAL = {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
  Date,
  fetch,
}

const OWN_FOLDER = Symbol.for("fossick.tests.folder")

/** A folder for the files of this process's tests, so that each test file can be checked for the files it leaves there. */
function ownFolder(): string {
  const here = globalThis as { [OWN_FOLDER]?: string }
  if (here[OWN_FOLDER] === undefined) {
    here[OWN_FOLDER] = process.env["TMPDIR"] = join(tmpdir(), String(process.pid))
    mkdirSync(here[OWN_FOLDER], { recursive: true, mode: 0o755 })
  }
  return here[OWN_FOLDER]
}

const nameOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()
  } catch {
    return ""
  }
}

const listening = () => process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length

const folder = ownFolder()
const before = {
  files: new Set(readdirSync(folder)),
  children: new Set(childrenOfThisProcess()),
  listening: listening(),
  env: { ...process.env },
}

const leftProcesses = (): number[] =>
  childrenOfThisProcess().filter((pid) => {
    const name = nameOf(pid)
    return (
      !before.children.has(pid) && !sharedProcesses().has(pid) && name !== "" && !KEPT_PROCESSES.test(name)
    )
  })

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // The process ended in the meantime.
  }
}

/** Things that exist now and did not exist before. */
function leftBehind(): string[] {
  const ports = listening() - before.listening
  return [
    ...readdirSync(folder)
      .filter((name) => !before.files.has(name) && !KEPT_FILES.test(name))
      .map((name) => `the folder or file ${name}`),
    ...leftProcesses().map((pid) => `the process ${pid}: ${nameOf(pid)}`),
    ...(ports > 0 ? [`${ports} listening ports`] : []),
  ]
}

afterAll(async () => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  // Restoring a spy on a fake clock's timer brings that timer back.
  Object.assign(globalThis, REAL)
  // Settings changed by a test would affect the next file.
  for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name]
  Object.assign(process.env, before.env)
  let left = leftBehind()
  // A closed port or process can take a moment to disappear.
  for (let looks = 0; left.length > 0 && looks < MOST_LOOKS; looks++) {
    await pause(20)
    left = leftBehind()
  }
  // A process that keeps the run's output open would keep its reader waiting forever.
  for (const pid of leftProcesses()) end(pid)
  if (left.length > 0) throw new Error(`These tests left behind ${left.join(", ")}.`)
})
