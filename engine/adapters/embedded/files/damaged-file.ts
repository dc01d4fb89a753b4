import path from "node:path"
import { EngineError, REPAIR_HINT } from "../../../errors.ts"

/**
 * A failure that names a file of the index as the operator finds it in the data folder.
 *
 * @param dir folder of the index
 * @param file path in it
 * @param damage the problem, as the rest of the sentence
 */
export const damagedFile = (dir: string, file: string, damage: string, options?: ErrorOptions): EngineError =>
  new EngineError(
    "INDEX_DAMAGED",
    `${path.basename(dir)}/${file} in the data folder ${damage}. ${REPAIR_HINT}`,
    options,
  )
