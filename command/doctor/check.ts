import { SettingsError } from "#base/settings.ts"

/** One thing that was found. */
export interface Finding {
  /** `wrong`: it keeps something from working, or will. `note`: worth knowing, and nothing to mend. */
  readonly level: "wrong" | "note"
  /** What it is, as one sentence. */
  readonly what: string
  /** What to do about it; empty: nothing. */
  readonly advice: string
}

/** Looks at one thing, and changes nothing. Finding nothing means that all is well with it. */
export interface Check {
  /** Two or three words: `data folder`. */
  readonly name: string
  run(): Promise<readonly Finding[]> | readonly Finding[]
}

export interface Checked {
  readonly name: string
  readonly findings: readonly Finding[]
}

export const wrong = (what: string, advice: string): Finding => ({ level: "wrong", what, advice })
export const note = (what: string, advice = ""): Finding => ({ level: "note", what, advice })

/** Runs the checks one by one. One that fails itself has found something wrong, and the others still run. */
export async function runChecks(checks: readonly Check[]): Promise<Checked[]> {
  const checked: Checked[] = []
  for (const check of checks) {
    let findings: readonly Finding[]
    try {
      findings = await check.run()
    } catch (error) {
      findings = [
        wrong(
          (error as Error).message,
          error instanceof SettingsError ? "Set it right; docs/settings.md lists all settings." : "",
        ),
      ]
    }
    checked.push({ name: check.name, findings })
  }
  return checked
}

export const isWell = (checked: readonly Checked[]): boolean =>
  checked.every(({ findings }) => findings.every(({ level }) => level === "note"))
