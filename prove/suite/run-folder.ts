import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const OWN = Symbol.for("fossick.tests.run-folder")
const here = globalThis as { [OWN]?: string }

/** One temporary folder for all processes of a run, removed with it, because vitest kills them without letting them clean up. Vitest calls this for each project. */
export function setup(): (() => void) | undefined {
  if (here[OWN] !== undefined) return undefined
  const before = process.env["TMPDIR"]
  const folder = mkdtempSync(join(tmpdir(), "tests-"))
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755)
  here[OWN] = process.env["TMPDIR"] = folder
  return () => {
    if (before === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = before
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
