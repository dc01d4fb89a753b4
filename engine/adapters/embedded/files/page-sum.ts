import { crc32 } from "node:zlib"
import type { PageRow, StoredPage } from "../../../index/page-record.ts"

// Checksums of everything the page store contains about a page: SQLite detects damage to its own structure, not to the
// content.

/** Checksum of the page itself. */
export function pageSum({ id, revision, title, details, passages, markdown }: StoredPage): number {
  return [String(revision), title, details, passages, markdown].reduce(
    (sum, text) => crc32(text, crc32("\0", sum)),
    crc32(id),
  )
}

/** Checksum of the data that was derived for ranking and can be recreated. */
export const derivedSum = ({
  facts,
  passage_terms: terms,
}: Pick<PageRow, "facts" | "passage_terms">): number => crc32(terms, crc32(facts))

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`
