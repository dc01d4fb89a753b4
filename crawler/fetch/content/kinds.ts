import type { Source } from "../../source.ts"
import type { Content } from "./content.ts"
import { folderOf } from "./folder/folder-content.ts"

/** The fields that say of which kind a source is. */
type OfKind = Pick<Source, "folder" | "seeds">

/** Every kind of source that is no website: each makes the content of a source that is of its kind, else null. */
const KINDS: readonly ((source: OfKind) => Content | null)[] = [folderOf]

/** Where the pages of a source come from; null: from websites. */
export function contentOf(source: OfKind): Content | null {
  for (const kind of KINDS) {
    const content = kind(source)
    if (content !== null) return content
  }
  return null
}
