import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { type FileHandle, open, stat, unlink } from "node:fs/promises"
import { basename, isAbsolute, join } from "node:path"
import { KnownError } from "#base/errors.ts"
import { environment, readSettings } from "#base/settings.ts"
import { engineSettings } from "#engine/settings.ts"
import { atFolderAddresses, atOneAddress } from "../addresses-below.ts"
import type { ArchiveFormat } from "./archive.ts"
import type { ContentKind } from "../content.ts"
import { pathOf } from "../start-path.ts"
import { ENDINGS, formatOf } from "./formats.ts"
import type { OpenArchives } from "./open-archives.ts"

/** A file in the data folder that disappears as soon as it is closed, however the process ends. */
async function scratch(): Promise<FileHandle> {
  const { dataDir } = readSettings({ dataDir: engineSettings.dataDir }, environment())
  const path = join(dataDir, `unpacked-${randomUUID()}.tmp`)
  const { O_RDWR, O_CREAT, O_EXCL } = constants
  const handle = await open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
  await unlink(path)
  return handle
}

let opened: Promise<OpenArchives> | undefined

/** This process's open archives. */
const openArchives = (): Promise<OpenArchives> =>
  (opened ??= import("./open-archives.ts").then((room) => new room.OpenArchives(scratch)))

/** Maximum number of sites in one archive that are proposed as seeds. */
const MAX_SITES = 100

/** The sites whose pages an archive contains, the one with the most pages first. @throws KnownError when it cannot be read */
async function sitesIn(path: string, format: ArchiveFormat): Promise<string[]> {
  await using lease = await (await openArchives()).lease(path, format)
  const counts = new Map<string, number>()
  for await (const entries of lease.archive.list(lease.bytes)) {
    for (const { key } of entries) {
      const site = `${new URL(key).origin}/`
      counts.set(site, (counts.get(site) ?? 0) + 1)
    }
  }
  const sites = [...counts].sort((a, b) => b[1] - a[1]).map(([site]) => site)
  if (sites.length === 0) throw new KnownError(`The archive ${path} contains no readable pages.`)
  return sites.slice(0, MAX_SITES)
}

/** The documents or pages of an archive. */
export const ARCHIVE: ContentKind = {
  field: "archive",
  problems(spec) {
    const path = spec.archive!
    const format = formatOf(path)
    if (!isAbsolute(path))
      return [{ path: ["archive"], message: "must be an absolute path, such as /srv/handbook.zip" }]
    if (format === null) return [{ path: ["archive"], message: `must end with one of ${ENDINGS}` }]
    if (!format.hasAddresses) return atOneAddress(spec, `the ${format.noun}s`)
    return atFolderAddresses(spec, "pages")
  },
  watchedBy: () => "process",
  async make({ archive: path, seeds: [address] }) {
    const [{ ArchiveContent }, archives] = await Promise.all([import("./archive-content.ts"), openArchives()])
    return new ArchiveContent({ path: path!, format: formatOf(path!)!, address: address!, archives })
  },
  async recognize(start) {
    const archive = pathOf(start)
    if (archive === null) return null
    const format = formatOf(archive)
    const isFile = await stat(archive).then(
      (stats) => stats.isFile(),
      () => false,
    )
    if (format === null || !isFile) return null
    const found = { fields: { archive }, name: basename(archive).replace(format.endings, "") }
    return format.hasAddresses ? { ...found, addresses: await sitesIn(archive, format) } : found
  },
}
