import { rm, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"

// Shared by scripts that try unmodified npm clients on a running appliance: their arguments, the page they ask for, and
// code to load a client from the folder it is installed in.

/** A client's result is checked field by field. */
// oxlint-disable-next-line typescript/no-explicit-any -- clients of which no types are installed here
export type Loose = any

const [givenFolder, givenAddress, givenKey] = process.argv.slice(2)
if (givenFolder === undefined || givenAddress === undefined || givenKey === undefined) {
  process.stderr.write(`Usage: ${basename(process.argv[1]!)} <folder with the clients> <address> <key>\n`)
  process.exit(2)
}

/** Where the clients are installed. */
export const folder = givenFolder
export const key = givenKey
/** Addresses of the appliance, and of its handbook, the site that the clients read. */
export const base = givenAddress.replace(/\/+$/, "")
export const site = `${base}/docs/`
export const question = "how do I schedule a crawl?"
/** The page that answers the question. */
export const page = "schedule-a-crawl"

/** Loads a client from the folder: a module there can import the packages installed there. */
export async function load(name: string): Promise<Loose> {
  const loader = join(folder, `load-${Math.random().toString(36).slice(2)}.mjs`)
  await writeFile(loader, `import * as all from ${JSON.stringify(name)}\nexport { all }\n`)
  try {
    return ((await import(pathToFileURL(loader).href)) as { all: Loose }).all
  } finally {
    await rm(loader)
  }
}

/** Whether the check passes, and its error if it does not. */
export async function outcomeOf(holds: () => Promise<boolean>): Promise<{ good: boolean; problem: string }> {
  try {
    return { good: await holds(), problem: "" }
  } catch (error) {
    return { good: false, problem: String(error).replaceAll(/\s+/g, " ").slice(0, 200) }
  }
}

/** Prints a line for a check; a failed check makes the script exit with 1. */
export async function check(name: string, holds: () => Promise<boolean>): Promise<void> {
  const { good, problem } = await outcomeOf(holds)
  if (!good) process.exitCode = 1
  process.stdout.write(`${good ? "ok  " : "FAIL"} ${name} ${problem}\n`)
}

/** The error of a call that should fail; empty when the call succeeds. */
export const refusal = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "",
    (error: unknown) => String(error),
  )
