import { breather } from "#base/flow/breather.ts"
import type { Archive, ArchiveEntry, ArchiveFormat, FoundEntry } from "../archive.ts"
import type { Bytes } from "../bytes.ts"
import { CHUNK } from "../entry-map.ts"
import { isPageType } from "../page-types.ts"
import { ZimClusters } from "./zim-clusters.ts"
import { ZimEntries, type ZimEntry } from "./zim-entries.ts"
import { readZimHeader, type ZimHeader } from "./zim-header.ts"

const MAX_REDIRECTS = 10
/** Number of cluster positions that take up as much memory as one entry. */
const CLUSTERS_OF_ENTRY = 15

/** ZIM files (openzim.org/wiki/ZIM_file_format), which consist of a directory and clusters that contain the pages. Only their header is kept in memory. */
export const indexZim: ArchiveFormat["index"] = async (bytes, { changedAt }) => {
  const header = await readZimHeader(bytes)
  const clusters = new ZimClusters(header)
  return {
    size: Math.ceil(header.clusterCount / CLUSTERS_OF_ENTRY),
    isCutOff: false,
    notes: [],
    list: (now) => pagesIn(header, now, changedAt),
    find: async (now, key) => await found(header, clusters, now, key),
    close: async () => {},
  } satisfies Archive
}

async function* pagesIn(
  header: ZimHeader,
  bytes: Bytes,
  changedAt: number,
): AsyncGenerator<readonly ArchiveEntry[]> {
  const entries = new ZimEntries(header, bytes, true)
  const breathe = breather()
  let chunk: ArchiveEntry[] = []
  for (let index = await entries.firstFrom(header.namespace, ""); index < header.entryCount; index += 1) {
    const entry = await entries.at(index)
    if (entry.namespace !== header.namespace) break
    if (isPage(entry)) chunk.push({ key: entry.path, changedAt })
    if (chunk.length >= CHUNK) {
      yield chunk
      chunk = []
    }
    await breathe()
  }
  yield chunk
}

/** A redirect isn't a page. */
const isPage = ({ leads, path }: ZimEntry): boolean =>
  leads.to === "blob" && isPageType(leads.type, `https://zim.invalid/${encodeURI(path.toWellFormed())}`)

async function found(
  header: ZimHeader,
  clusters: ZimClusters,
  bytes: Bytes,
  key: string,
): Promise<FoundEntry | null> {
  const entries = new ZimEntries(header, bytes, false)
  const index = await entries.firstFrom(header.namespace, key)
  let entry = index < header.entryCount ? await entries.at(index) : null
  if (entry?.path !== key || entry.namespace !== header.namespace) return null
  for (let hops = 0; entry.leads.to === "entry"; hops += 1) {
    if (hops === MAX_REDIRECTS) return null
    entry = await entries.at(entry.leads.index)
  }
  const { leads, path, title, namespace } = entry
  if (leads.to !== "blob" || namespace !== header.namespace) return null
  return {
    key: path,
    bytes: null,
    // All text in a ZIM file is UTF-8.
    headers: { "content-type": `${leads.type.split(";")[0]!}; charset=utf-8` },
    async read(now, maxBytes) {
      const body = await clusters.blob(now, leads.cluster, leads.blob, maxBytes)
      return { body, ...(title !== "" && title !== path && { facts: { title } }) }
    },
  }
}
