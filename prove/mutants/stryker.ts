import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

export const ROOT = join(import.meta.dirname, "../..")
const COMMAND = join(import.meta.dirname, "stryker-command.ts")

/** The result of a mutant: some test failed because of it, or never ended; or all tests passed; or no test runs that line. */
export type Status = "Killed" | "Timeout" | "Survived" | "NoCoverage"

export interface Mutant {
  readonly file: string
  /** From 1. */
  readonly lineNumber: number
  readonly line: string
  readonly mutator: string
  readonly replacement: string
  readonly status: Status
}

/** The part of the report's schema that this proof reads: https://github.com/stryker-mutator/mutation-testing-elements. */
interface Report {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: string
        readonly mutants: readonly {
          readonly mutatorName: string
          readonly replacement?: string
          readonly location: { readonly start: { readonly line: number } }
          readonly status: string
        }[]
      }
    >
  >
}

const STATUSES = new Set(["Killed", "Timeout", "Survived", "NoCoverage"])

/**
 * Changes the files one mutant at a time in a copy of the project, and runs the tests that reach it.
 * @param mutate patterns from the root, optionally with lines (`a.ts:3-9`)
 * @throws Error with Stryker's output if the tests fail without any change
 */
export async function mutantsOf(
  mutate: readonly string[],
  tests: readonly string[],
): Promise<readonly Mutant[]> {
  const dir = await mkdtemp(join(tmpdir(), "fossick-mutants-"))
  try {
    const report = join(dir, "report.json")
    const given = JSON.stringify({ mutate, tests, dir, report })
    // Variables that vitest sets for its own tests must not reach the tests that run here.
    const outer = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"))
    // A time zone other than UTC: code that confuses the two would otherwise go unnoticed.
    const env = { ...Object.fromEntries(outer), TZ: "America/St_Johns" }
    await promisify(execFile)(process.execPath, [COMMAND, given], {
      cwd: ROOT,
      env,
      maxBuffer: 64 << 20,
    }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`Stryker failed:\n${stdout.slice(-4000)}\n${stderr.slice(-4000)}`)
    })
    const { files } = JSON.parse(await readFile(report, "utf8")) as Report
    return Object.entries(files).flatMap(([file, { source, mutants }]) => {
      const lines = source.split("\n")
      return mutants
        .filter(({ status }) => STATUSES.has(status))
        .map((one) => ({
          file,
          lineNumber: one.location.start.line,
          line: lines[one.location.start.line - 1]!.trim(),
          mutator: one.mutatorName,
          replacement: one.replacement ?? "",
          status: one.status as Status,
        }))
    })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
