import type { DoctorSettings } from "../settings-checks.ts"

/** Something that is damaged, and how to restore it. */
export interface Damaged {
  /** Path in the data folder, or the name of the wrong counter. */
  readonly file: string
  /** Continues a sentence whose subject is the file. */
  readonly damage: string
  /** Whole sentences: what the repair does, or what you have to do yourself. */
  readonly wayBack: string
  /** Whether the repair restores it. */
  readonly canRepair: boolean
}

/** Rebuilds one part from the rest of an appliance. */
export interface Repair {
  /** Two or three words: `index`. */
  readonly name: string
  /** Finds the damage. Changes nothing. */
  look(settings: DoctorSettings): Promise<readonly Damaged[]>
  /** Repairs the damage. @returns a report in whole sentences */
  mend(settings: DoctorSettings, signal: AbortSignal): Promise<readonly string[]>
}

export interface Repaired {
  readonly name: string
  readonly damaged: readonly (Damaged & { readonly repaired: boolean })[]
  readonly said: readonly string[]
}

/**
 * Checks everything, and with `mends` repairs what it can, one part after the other, since some damage can be detected
 * only after another part has been repaired.
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
    // A part counts as repaired only if a second check passes.
    const left = isMended ? new Set((await repair.look(settings)).map(({ file }) => file)) : null
    done.push({
      name: repair.name,
      damaged: damaged.map((one) => ({ ...one, repaired: left !== null && !left.has(one.file) })),
      said,
    })
  }
  return done
}
