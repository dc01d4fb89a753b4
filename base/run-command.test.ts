import { X509Certificate } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest"
import { ArgumentsError } from "./command-arguments.ts"
import { UnwritableError } from "./disk-space.ts"
import { KnownError } from "./errors.ts"
import { CommandError, runCommand } from "./run-command.ts"
import { SettingsError } from "./settings.ts"

const folder = mkdtempSync(join(tmpdir(), "fossick-command-"))
afterAll(() => rmSync(folder, { recursive: true }))

let written: string[]
let exitCode: typeof process.exitCode
beforeEach(() => {
  written = []
  exitCode = process.exitCode
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, "on").mockReturnValue(stream)
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0)
  vi.stubEnv("FOSSICK_DATA_DIR", folder)
})
afterEach(() => {
  process.exitCode = exitCode
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

/** The result of a command: its exit code and its output. */
async function came(work: () => number | Promise<number>, options = {}): Promise<[unknown, string]> {
  process.exitCode = undefined
  await runCommand("crawl", work, options)
  return [process.exitCode, written.splice(0).join("")]
}

const failing = (error: unknown) => () => {
  throw error
}

test("a command ends with the code of its work", async () => {
  expect(await came(() => 3)).toEqual([3, ""])
  expect(await came(async () => 130)).toEqual([130, ""])
})

test("user errors are reported in one line, and wrong arguments with where to find help", async () => {
  expect(await came(failing(new ArgumentsError("--limit must be a number")))).toEqual([
    2,
    "--limit must be a number\nRun fossick crawl --help for help.\n",
  ])
  expect(await came(failing(new SettingsError(["A is wrong"])))).toEqual([
    2,
    "Wrong settings:\n  - A is wrong\n",
  ])
  expect(await came(failing(new CommandError("Start it first.")))).toEqual([1, "Start it first.\n"])
  expect(await came(failing(new KnownError("It is taken.")))).toEqual([1, "It is taken.\n"])
})

test("a damaged file is reported in one line with instructions, and without a stack trace", async () => {
  for (const [errcode, message] of [
    [11, "database disk image is malformed"],
    [26, "file is not a database"],
    [11 | (1 << 8), "database disk image is malformed"],
  ] as const) {
    const damage = Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode })
    // oxlint-disable-next-line no-await-in-loop
    const [code, said] = await came(failing(damage))
    expect([code, said.split("\n").length]).toEqual([1, 2])
    expect(said).toContain(`A file in ${folder} is damaged (${message}). Run fossick doctor to see which one`)
  }
})

test("a full disk is reported with its folder and what to run, unless the command has its own message", async () => {
  const noRoom = Object.assign(new Error("write"), { code: "ENOSPC" })
  const said = new RegExp(`^The disk is full: \\d+ MB left for ${folder}\\. [^\\n]+\\n$`)
  expect(await came(failing(noRoom))).toEqual([1, expect.stringMatching(said)])
  expect(await came(failing(new UnwritableError("No room there.")))).toEqual([
    1,
    "No room there. Then run fossick crawl again.\n",
  ])
  expect(await came(failing(new CommandError("Make room.", { cause: noRoom })))).toEqual([1, "Make room.\n"])
  // The default folder is named if the settings don't name one, or cannot be read.
  vi.stubEnv("FOSSICK_DATA_DIR", "")
  expect((await came(failing(noRoom)))[1]).toContain("left for index-data. ")
  vi.stubEnv("FOSSICK_CONFIG_FILE", join(folder, "none"))
  expect((await came(failing(noRoom)))[1]).toContain("left for index-data. ")
})

test("a program error is reported with its stack trace, and ends the process", async () => {
  const exit = vi.spyOn(process, "exit").mockImplementation(((code: number) => {
    throw new Error(`exit ${code}`)
  }) as typeof process.exit)
  await expect(came(failing(new TypeError("a fault")))).rejects.toThrow("exit 1")
  expect(written.join("")).toMatch(/^TypeError: a fault\n {4}at [^]*\n$/)
  expect(exit).toHaveBeenCalledTimes(1)
})

test.each([true, false])(
  "a command ends with its reader unless it outlives it: %s",
  async (outlivesReader) => {
    const listeners: ((...args: unknown[]) => void)[] = []
    for (const stream of [process.stdout, process.stderr] as NodeJS.EventEmitter[])
      vi.spyOn(stream, "on").mockImplementation((_, listener) => {
        listeners.push(listener)
        return stream
      })
    await came(() => 0, outlivesReader ? { outlivesReader } : undefined)
    expect(listeners).toHaveLength(2)
    const full = Object.assign(new Error("no room"), { code: "ENOSPC" })
    let said = ""
    try {
      listeners[0]!(full)
    } catch (error) {
      said = (error as Error).message
    }
    expect(said).toBe(outlivesReader ? "" : "no room")
  },
)

test("a command's output controls no terminal", async () => {
  // Simulates a newly started process, because output is made safe only once per process.
  vi.resetModules()
  const { runCommand } = await import("./run-command.ts")
  await runCommand("crawl", () => {
    process.stderr.write("a page \u001b[2J\n")
    return 0
  })
  expect(written).toEqual(["a page \\u001b[2J\n"])
})

test("a command trusts the operator's authorities, and works even if none can be read", async () => {
  const fingerprint = (pem: string) => new X509Certificate(pem).fingerprint256
  const trusted = () => getCACertificates("default").map(fingerprint)
  const before = getCACertificates("default")
  const [own, known] = before as [string, string]
  const file = join(folder, "own.pem")
  writeFileSync(file, own)
  setDefaultCACertificates([known])
  try {
    vi.stubEnv("FOSSICK_CA_FILE", file)
    expect(await came(() => getCACertificates("default").length)).toEqual([2, ""])
    expect(trusted()).toEqual([known, own].map(fingerprint))
    setDefaultCACertificates([known])
    vi.stubEnv("FOSSICK_CONFIG_FILE", join(folder, "none"))
    expect(await came(() => getCACertificates("default").length)).toEqual([1, ""])
  } finally {
    setDefaultCACertificates(before)
  }
})
