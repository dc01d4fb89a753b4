import { indexRepair } from "./index-repair.ts"
import type { Repair } from "./repair.ts"
import { countRepair, lostPages, stateRepair, thumbnailRepair } from "./state-repairs.ts"

/** The parts that `fossick doctor --repair` rebuilds, in this order, because pages that the index has lost are noted in `state.db`. */
export const ALL_REPAIRS: readonly Repair[] = [
  stateRepair,
  indexRepair,
  lostPages,
  countRepair,
  thumbnailRepair,
]
