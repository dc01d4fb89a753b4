import { statSync } from "node:fs"
import type { BackupPlan } from "../../../backup-plan.ts"

/** Why no backup can be written now, and what to do: for example, its folder is missing because its disk isn't mounted. */
export const missingFolder = ({ folder }: Pick<BackupPlan, "folder">): string | null =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
    ? null
    : `The backup folder ${folder} doesn't exist: create or mount it`
