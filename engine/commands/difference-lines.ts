import { counted } from "./command-progress.ts"
import type { Differences } from "../lifecycle/move/import-pages.ts"
import type { ExportReader } from "../lifecycle/move/format/read-export.ts"

/** Whether the index contains everything in the export. Another version of Fossick might split passages differently. */
export const isSound = ({ missing, changed, uncounted }: Differences): boolean =>
  missing.count === 0 && changed.count === 0 && uncounted === 0

/** Describes the differences, with the addresses of some of the pages. `openFile`: opens the export again to find them. */
export async function differenceLines(
  { missing, changed, uncounted, passages }: Differences,
  openFile: (() => Promise<ExportReader>) | null,
): Promise<string[]> {
  const lines: string[] = []
  if (missing.count > 0) {
    const names = openFile ? await addressesOf(missing.ids, await openFile()) : missing.ids
    lines.push(`MISSING: ${counted(missing.count, "page")} from the file, including ${names.join(" ")}`)
  }
  if (changed.count > 0) {
    lines.push(`DIFFERENT: ${counted(changed.count, "page")}, including ${changed.urls.join(" ")}`)
  }
  if (uncounted !== 0) lines.push(`DIFFERENT: the index counts ${uncounted} more pages than it shows`)
  if (passages !== 0) {
    lines.push(`The pages have ${passages} more passages than in the file: they are split differently here.`)
  }
  return lines
}

async function addressesOf(ids: readonly string[], reader: ExportReader): Promise<string[]> {
  const found: string[] = []
  for await (const pages of reader.pages()) {
    for (const { id, page } of pages) if (ids.includes(id)) found.push(page.url)
    if (found.length === ids.length) break
  }
  return found
}
