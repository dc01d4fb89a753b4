import type { StoredDocument } from "#crawler/fetch/content/documents/document-store.ts"

/** A file listed in a manifest. */
export interface ManifestFile {
  readonly filename: string
  /** Path of the folder that contains the file; empty if there is none. */
  readonly path: string
  /** A value that changes with the file. */
  readonly checksum: string
  readonly size: number
}

/** The plan for oikb, in the fields that it reads. */
export interface SyncPlan {
  readonly added: readonly ManifestFile[]
  readonly modified: readonly (ManifestFile & { readonly stale_file_id: string })[]
  readonly deleted: readonly { readonly path: string; readonly filename: string; readonly file_id: string }[]
  readonly unmodified_count: number
  readonly mkdir: readonly string[]
  readonly rmdir: readonly string[]
  /** An id for each folder. */
  readonly directory_map: Readonly<Record<string, string>>
}

/**
 * oikb deletes a changed file before it uploads the new version; in a large sync, several minutes pass in between, and
 * a run during that time would not find the file. So a changed file gets an id that marks it as about to be replaced by
 * an upload.
 */
const REPLACED = "replaced:"
const GONE = "gone:"

/** The id of a file's document. */
export const documentId = ({ path, filename }: Pick<ManifestFile, "path" | "filename">): string =>
  path === "" ? filename : `${path}/${filename}`

/** The changes that make a source's documents match a manifest. */
export function planSync(manifest: readonly ManifestFile[], stored: Iterable<StoredDocument>): SyncPlan {
  const left = new Map([...stored].map((document) => [document.id, document]))
  const added: ManifestFile[] = []
  const modified: (ManifestFile & { stale_file_id: string })[] = []
  let unmodified = 0
  for (const file of manifest) {
    const id = documentId(file)
    const document = left.get(id)
    left.delete(id)
    if (document === undefined) added.push(file)
    else if (document.metadata["checksum"] === file.checksum) unmodified += 1
    else modified.push({ ...file, stale_file_id: `${REPLACED}${id}` })
  }
  const deleted = [...left.keys()].map((id) => {
    const end = id.lastIndexOf("/")
    return { path: id.slice(0, Math.max(0, end)), filename: id.slice(end + 1), file_id: `${GONE}${id}` }
  })
  const folders = new Set(manifest.map(({ path }) => path).filter((path) => path !== ""))
  return {
    added,
    modified,
    deleted,
    unmodified_count: unmodified,
    // Here, folders are parts of addresses: there is nothing to create.
    mkdir: [],
    rmdir: [],
    directory_map: Object.fromEntries([...folders].map((path) => [path, path])),
  }
}

/** The documents that a cleanup deletes: those that no upload is about to replace. */
export const deletedBy = (fileIds: readonly string[]): string[] =>
  fileIds.flatMap((id) => (id.startsWith(REPLACED) ? [] : id.startsWith(GONE) ? id.slice(GONE.length) : id))
