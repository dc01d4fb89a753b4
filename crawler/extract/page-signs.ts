import type { PageSigns } from "./clutter.ts"
import type { DocumentFacts } from "./metadata.ts"
import { isDiscussion } from "./discussion.ts"
import type { Element } from "./tree.ts"

const ARTICLE = /(?:^|")(?:\w*Article|BlogPosting|Report|HowTo|Recipe|Review)"/

/** What kind of page this is, as far as the document says so. */
export function readPageSigns(document: Element, facts: DocumentFacts, url: string): PageSigns {
  const discussion = isDiscussion(document, facts, url)
  return {
    isDiscussion: discussion,
    isArticle:
      !discussion &&
      (facts.meta.get("og:type") === "article" ||
        facts.meta.has("article:published_time") ||
        facts.jsonLd.some((object) => ARTICLE.test(JSON.stringify(object["@type"] ?? "")))),
  }
}
