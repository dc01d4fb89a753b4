import { type ContentField, contentFieldsOf, type Source } from "../../source.ts"
import { ARCHIVE } from "./archive/archive-kind.ts"
import type { Content, ContentKind, ContentNeeds, OfContent, RecognizedStart } from "./content.ts"
import { DOCUMENTS } from "./documents/documents-kind.ts"
import { FOLDER } from "./folder/folder-kind.ts"
import { MAILBOX } from "./mailbox/mailbox-kind.ts"
import { REPOSITORY } from "./repository/repository-kind.ts"

/** Every kind of source other than websites. The first kind that recognizes a start is used for it, so the more specific kinds come first. */
const KINDS: readonly ContentKind[] = [DOCUMENTS, REPOSITORY, MAILBOX, ARCHIVE, FOLDER]

export const kindOf = (field: ContentField): ContentKind => KINDS.find((kind) => kind.field === field)!

/** Where the pages of a source come from; `null` for websites. */
export async function contentOf(source: OfContent, needs: ContentNeeds): Promise<Content | null> {
  const [field] = contentFieldsOf(source)
  return field === undefined ? null : await kindOf(field).make(source, needs)
}

/** Who notices that a source's content has changed, and runs the source; `null` for websites, and if a schedule starts runs. */
export function watcherOf(
  source: OfContent & Pick<Source, "schedule">,
): ReturnType<ContentKind["watchedBy"]> {
  const [field] = contentFieldsOf(source)
  return field === undefined || source.schedule !== null ? null : kindOf(field).watchedBy(source)
}

export async function recognizeStart(start: string): Promise<RecognizedStart | null> {
  for (const kind of KINDS) {
    const recognized = await kind.recognize(start)
    if (recognized !== null) return recognized
  }
  return null
}
