import { stat } from "node:fs/promises"
import { basename, isAbsolute, resolve } from "node:path"
import { atOneAddress } from "../addresses-below.ts"
import type { ContentKind } from "../content.ts"
import { FolderContent } from "./folder-content.ts"

/** The files of a folder. */
export const FOLDER: ContentKind = {
  field: "folder",
  problems: (spec) => [
    ...(isAbsolute(spec.folder!)
      ? []
      : [{ path: ["folder"], message: "must be an absolute path, such as /srv/handbook" }]),
    ...atOneAddress(spec, "the files"),
  ],
  make: ({ folder, seeds: [address] }) => new FolderContent(folder!, address!),
  async recognize(start) {
    // A bare name is a host.
    if (!/^(?:[./\\]|[a-z]:[/\\])/i.test(start)) return null
    const folder = resolve(start)
    const isFolder = await stat(folder).then(
      (stats) => stats.isDirectory(),
      () => false,
    )
    return isFolder ? { fields: { folder }, name: basename(folder) } : null
  },
}
