import { writeAsText } from "#crawler/page/extract/markdown/plain-text.ts"
import type { PageAnchor } from "#engine"

import type { Relevance } from "../relevance/relevance.ts"

/** Separator between two passages of one page. */
export const CHUNK_SEPARATOR = " [...] "

/**
 * Joins passages. Next to a code fence or table row, which needs its whole line, the separator is on a separate line.
 */
export const joinPassages = (passages: readonly string[]): string =>
  passages
    .map((text, at) => {
      const before = at > 0 && BLOCK_AT_START.test(text) ? "\n" : ""
      const after = at < passages.length - 1 && BLOCK_AT_END.test(text) ? "\n" : ""
      return before + text + after
    })
    .join(CHUNK_SEPARATOR)

/** Undoes {@link joinPassages}. */
export const splitPassages = (content: string): string[] =>
  content.split(CHUNK_SEPARATOR).map((text) => text.replace(/^\n|\n$/g, ""))

const BLOCK_AT_START = /^(?:`{3}|\|)/
const BLOCK_AT_END = /\n(?:`{3,}|\|.*)$/

/** The requested part of a page, and how its text is written. */
export interface TextAsked {
  readonly format: "markdown" | "text"
  /** If set, the text consists of the passages that fit best; null for the whole page. */
  readonly relevance: Relevance | null
  /** Number of passages. */
  readonly passages: number
  readonly withImages: boolean
  readonly signal: AbortSignal
}

/**
 * The text of a page as requested, and the relevance of its best passage; 0 if relevance is not requested.
 * @throws WorkError when the text cannot be processed, and the abort reason of the signal
 */
export async function pageText(
  page: { readonly title: string; readonly markdown: string; readonly anchors?: readonly PageAnchor[] },
  { format, relevance, passages, signal }: Omit<TextAsked, "withImages">,
): Promise<{ readonly text: string; readonly relevance: number }> {
  if (relevance === null) return { text: await formatContent(page.markdown, format, signal), relevance: 0 }
  const { texts, best } = await relevance.passages(page, passages)
  return { text: joinPassages(texts), relevance: best }
}

/**
 * A page's content in the format the caller wants.
 * @throws WorkError when it cannot be turned into text
 */
export async function formatContent(
  markdown: string,
  format: "markdown" | "text",
  signal?: AbortSignal,
): Promise<string> {
  return format === "markdown" ? markdown : writeAsText({ chars: markdown.length, signal }, markdown)
}
