import { stat } from "node:fs/promises"
import { basename, isAbsolute } from "node:path"
import { pathOf } from "../start-path.ts"
import { atOneAddress } from "../addresses-below.ts"
import type { ContentKind } from "../content.ts"

/** The files of a folder. */
export const FOLDER: ContentKind = {
  field: "folder",
  problems: (spec) => [
    ...(isAbsolute(spec.folder!)
      ? []
      : [{ path: ["folder"], message: "must be an absolute path, such as /srv/handbook" }]),
    ...atOneAddress(spec, "the files"),
  ],
  watchedBy: () => "process",
  async make({ folder, seeds: [address], folderReaders }) {
    const { FolderContent } = await import("./folder-content.ts")
    return new FolderContent(folder!, address!, folderReaders === "posix")
  },
  async recognize(start) {
    const folder = pathOf(start)
    if (folder === null) return null
    const isFolder = await stat(folder).then(
      (stats) => stats.isDirectory(),
      () => false,
    )
    return isFolder ? { fields: { folder }, name: basename(folder) } : null
  },
}
