import type { DocumentFacts } from "../facts/metadata.ts"
import { type Element, firstElement } from "../html/tree.ts"

const TYPES = /DiscussionForumPosting|QAPage|SocialMediaPosting/
const ADDRESS =
  /^(?:forums?|community|discuss|discourse|boards?|answers)\.|\/(?:forums?|threads?|topics?|viewtopic|showthread|discussions?|questions?|t|r)[/.?]/i
const BODY_WORDS =
  /(?:^|[\s_-])(?:forum|thread|topic|discourse|phpbb|vbulletin|xenforo|showthread|viewtopic|question-page)(?:$|[\s_-])/i

/** Whether the page is a conversation, so that what is elsewhere a comment is the content. */
export function isDiscussion(document: Element, facts: DocumentFacts, url: string): boolean {
  if (facts.jsonLd.some((object) => TYPES.test(JSON.stringify(object["@type"] ?? "")))) return true
  const address = URL.parse(url)
  if (address && ADDRESS.test(`${address.hostname}${address.pathname}`)) return true
  let elements = 0
  return (
    firstElement(document, (element) => {
      if (
        element.tag === "body" &&
        BODY_WORDS.test(`${element.get("class") ?? ""} ${element.get("id") ?? ""}`)
      )
        return true
      return elements++ < 3000 && TYPES.test(element.get("itemtype") ?? "")
    }) !== null
  )
}
