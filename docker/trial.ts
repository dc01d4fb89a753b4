import type { ComposeProject } from "./compose-project.ts"

// Output, expectations and clean-up for the trials of images and Compose files.

const startedAt = Date.now()

/** Prints a line, with the seconds since the trial began. */
export function say(line: string): void {
  process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${line}\n`)
}

/** @throws Error that names the expectation */
export function expect(condition: boolean, what: string): void {
  if (!condition) throw new Error(`expected that ${what}`)
}

/**
 * Runs a trial on a project and reports whether it passed, also in the exit code. If it failed, prints which containers
 * were running and what they logged.
 *
 * @param remove removes everything else that the trial created; `null` leaves everything running
 */
export async function tried(
  project: ComposeProject,
  trial: () => Promise<void>,
  remove: (() => Promise<void>) | null,
): Promise<void> {
  try {
    await trial()
    say("all checks passed")
  } catch (error) {
    process.exitCode = 1
    say(`failed: ${(error as Error).message}`)
    process.stdout.write(await project.compose("ps", "--all"))
    process.stdout.write(await project.compose("logs", "--no-color", "--tail", "60"))
  } finally {
    if (remove !== null) {
      await project.compose("down", "--volumes", "--timeout", "30")
      await remove()
    }
  }
}

/** A search key, created in a container of `service`. */
export async function searchKey(project: ComposeProject, service: string): Promise<string> {
  const create = ["keys", "create", "--role", "search", "--name", "smoke test"]
  const key = (await project.inside(service, "fossick", ...create)).trim()
  expect(/^fsk-\S+$/.test(key), "a key was created")
  return key
}
