import type { DocumentFacts } from "../facts/metadata.ts"
import { type Element, firstElement } from "../html/tree.ts"

const ARTICLE = /(?:^|")(?:\w*Article|BlogPosting|Report|HowTo|Recipe|Review)"/

const SHOP = /(?:^|")(?:Product|ProductGroup|OfferCatalog|Offer|Store|OnlineStore)"/
const SHOP_ADDRESS =
  /\/(?:products?|collections?|shop|store|category|product-category|catalog|p|c|dp|itm|item|pdp)[/.]|\.p(?:\?|$)/i

/** The kind of page: content on one kind of page is clutter on another. */
export interface PageSigns {
  /** Whether the page is a text in an author's voice: news, blog post, handbook page. */
  readonly isArticle: boolean
  readonly isDiscussion: boolean
  /** Whether the page offers something for sale, one item or many. */
  readonly isShop: boolean
}

/** Finds out the kind of page, if the document shows it. */
export function readPageSigns(document: Element, facts: DocumentFacts, url: string): PageSigns {
  const hasType = (types: RegExp) =>
    facts.jsonLd.some((object) => types.test(JSON.stringify(object["@type"] ?? "")))
  const discussion = isDiscussion(document, facts, url)
  const isArticle =
    !discussion &&
    (facts.meta.get("og:type") === "article" || facts.meta.has("article:published_time") || hasType(ARTICLE))
  const isShop =
    !discussion &&
    !isArticle &&
    (/product/i.test(facts.meta.get("og:type") ?? "") ||
      hasType(SHOP) ||
      SHOP_ADDRESS.test(URL.parse(url)?.pathname ?? ""))
  return { isArticle, isDiscussion: discussion, isShop }
}

const DISCUSSION = /DiscussionForumPosting|QAPage|SocialMediaPosting/
const DISCUSSION_ADDRESS =
  /^(?:forums?|community|discuss|discourse|boards?|answers)\.|\/(?:forums?|threads?|topics?|viewtopic|showthread|discussions?|questions?|t|r)[/.?]/i
const BODY_WORDS =
  /(?:^|[\s_-])(?:forum|thread|topic|discourse|phpbb|vbulletin|xenforo|showthread|viewtopic|question-page)(?:$|[\s_-])/i

/** Whether the page is a conversation, so that comments are the content. */
function isDiscussion(document: Element, facts: DocumentFacts, url: string): boolean {
  if (facts.jsonLd.some((object) => DISCUSSION.test(JSON.stringify(object["@type"] ?? "")))) return true
  const address = URL.parse(url)
  if (address && DISCUSSION_ADDRESS.test(`${address.hostname}${address.pathname}`)) return true
  let elements = 0
  return (
    firstElement(document, (element) => {
      if (
        element.tag === "body" &&
        BODY_WORDS.test(`${element.get("class") ?? ""} ${element.get("id") ?? ""}`)
      )
        return true
      return elements++ < 3000 && DISCUSSION.test(element.get("itemtype") ?? "")
    }) !== null
  )
}
