import path from "node:path"
import { EngineError, REPAIR_HINT } from "../../../errors.ts"

/**
 * An error that names a file of the index by its path in the data folder.
 *
 * @param dir the index folder
 * @param file path relative to it
 * @param damage the problem, as the rest of the sentence
 */
export const damagedFile = (dir: string, file: string, damage: string, options?: ErrorOptions): EngineError =>
  new EngineError(
    "INDEX_DAMAGED",
    `${path.basename(dir)}/${file} in the data folder ${damage}. ${REPAIR_HINT}`,
    options,
  )
