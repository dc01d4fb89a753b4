import { SettingsError } from "#base/settings.ts"

/** One finding. */
export interface Finding {
  /** `wrong`: it breaks something, or will. `note`: worth knowing, with nothing to fix. */
  readonly level: "wrong" | "note"
  /** The finding, as one sentence. */
  readonly what: string
  /** How to fix it; empty if nothing needs fixing. */
  readonly advice: string
}

/** The findings of a check: one, several or none. */
export type Found = Finding | false | readonly Found[]

/** Checks one thing, and changes nothing. No findings mean that all is well. */
export interface Check {
  /** Two or three words: `data folder`. */
  readonly name: string
  run(): Promise<Found> | Found
}

export interface Checked {
  readonly name: string
  readonly findings: readonly Finding[]
}

/** The longest wait for an answer from the appliance, a server or the index. */
export const PATIENCE_MS = 30_000

export const wrong = (what: string, advice: string): Finding => ({ level: "wrong", what, advice })
export const note = (what: string, advice = ""): Finding => ({ level: "note", what, advice })

/** Runs the checks one by one. A check that fails is reported as a finding, and the others still run. */
export async function runChecks(checks: readonly Check[]): Promise<Checked[]> {
  const checked: Checked[] = []
  for (const check of checks) {
    let found: Found
    try {
      found = await check.run()
    } catch (error) {
      const advice =
        error instanceof SettingsError ? "Correct the setting; docs/settings.md lists all settings." : ""
      found = wrong((error as Error).message, advice)
    }
    checked.push({ name: check.name, findings: listOf(found) })
  }
  return checked
}

const listOf = (found: Found): readonly Finding[] => {
  if (found === false) return []
  return "level" in found ? [found] : found.flatMap(listOf)
}

export const isWell = (checked: readonly Checked[]): boolean =>
  checked.every(({ findings }) => findings.every(({ level }) => level === "note"))
