import type { PageContext } from "./block-features.ts"
import { findMainContent, type MainContent, type PageBody, readBody } from "./main-content.ts"
import type { DocumentFacts } from "./metadata.ts"
import { readDescription, readTitle } from "./page-head.ts"
import { readAddressSigns, readPageSigns } from "./page-signs.ts"
import { type BlockTree, readTextBlocks } from "./text-blocks.ts"
import type { Element } from "./tree.ts"

/** All that a page's text blocks are judged by. */
export interface PageBlocks {
  readonly body: PageBody
  /** What the rules take for the main content. */
  readonly rules: MainContent
  readonly tree: BlockTree
  readonly context: PageContext
}

export function readPageBlocks(document: Element, facts: DocumentFacts, url: string): PageBlocks {
  const signs = readPageSigns(document, facts, url)
  const body = readBody(document)
  const rules = findMainContent(body, signs)
  const context = {
    ...readAddressSigns(facts, url),
    signs,
    title: readTitle(facts),
    description: readDescription(facts) ?? "",
  }
  return { body, rules, tree: readTextBlocks(body.body, body.unread, rules.skipped), context }
}
