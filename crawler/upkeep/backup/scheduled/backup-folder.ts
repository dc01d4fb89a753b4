import { statSync } from "node:fs"
import type { BackupPlan } from "../../../backup-plan.ts"

/** Why no backup can be written now, and what to do: its folder is not there, such as since its disk is not mounted. */
export const missingFolder = ({ folder }: Pick<BackupPlan, "folder">): string | null =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
    ? null
    : `The backup folder ${folder} doesn't exist: create or mount it`
