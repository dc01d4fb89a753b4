import type { DoctorSettings } from "../settings-checks.ts"

/** Something that is damaged, and what brings it back. */
export interface Damaged {
  /** Path in the data folder, or what is counted wrongly. */
  readonly file: string
  /** Going on a sentence whose subject is the file. */
  readonly damage: string
  /** Whole sentences: what the repair does, or what you have to do yourself. */
  readonly wayBack: string
  /** Whether the repair brings it back. */
  readonly canRepair: boolean
}

/** Rebuilds one thing from what is left of an appliance. */
export interface Repair {
  /** Two or three words: `index`. */
  readonly name: string
  /** The damaged part. Changes nothing. */
  look(settings: DoctorSettings): Promise<readonly Damaged[]>
  /** Brings it back. @returns what there is to say of it, in whole sentences */
  mend(settings: DoctorSettings, signal: AbortSignal): Promise<readonly string[]>
}

export interface Repaired {
  readonly name: string
  readonly damaged: readonly (Damaged & { readonly repaired: boolean })[]
  readonly said: readonly string[]
}

/**
 * Looks at all, and with `mends` brings back what can be: one after the other, since what is damaged of one thing may be
 * known only once another one is back.
 */
export async function runRepairs(
  repairs: readonly Repair[],
  settings: DoctorSettings,
  { mends, signal }: { readonly mends: boolean; readonly signal: AbortSignal },
): Promise<Repaired[]> {
  const done: Repaired[] = []
  for (const repair of repairs) {
    const damaged = await repair.look(settings)
    const isMended = mends && damaged.some(({ canRepair }) => canRepair)
    const said = isMended ? await repair.mend(settings, signal) : []
    // Checked again: it counts as repaired only if the check passes.
    const left = isMended ? new Set((await repair.look(settings)).map(({ file }) => file)) : null
    done.push({
      name: repair.name,
      damaged: damaged.map((one) => ({ ...one, repaired: left !== null && !left.has(one.file) })),
      said,
    })
  }
  return done
}
