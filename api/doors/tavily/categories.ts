/** For each category (name in lower case), the words at the beginning of a path segment that mark its pages. */
const SEGMENTS: Readonly<Record<string, string>> = {
  about: "about(-us)?|company|team|who-we-are|mission|story",
  blogs: "blogs?|posts?|articles?|stories",
  careers: "careers?|jobs?|vacanc(y|ies)|join(-us)?|work-with-us|hiring",
  community: "community|communities|forums?|discussions?|groups?|discuss",
  contact: "contacts?(-us)?|support|help|get-in-touch",
  developers: "developers?|dev|api|apis|sdks?",
  documentation: "docs?|documentation|manuals?|guides?|reference|tutorials?|handbook|wiki",
  media: "media|press|news(room)?|releases?|videos?|gallery",
  pricing: "pricing|prices?|plans?|cost|subscriptions?",
}

/**
 * Path patterns of the categories that older clients send (`Documentation`, `Blogs`, …), which recognise a page by
 * its address: a segment of its path begins with one of the category's words. Unknown names have no pattern.
 */
export function categoryPaths(categories: readonly string[]): string[] {
  return categories.flatMap((name) => {
    const words = SEGMENTS[name.trim().toLowerCase()]
    return words === undefined ? [] : [`(?i)/(${words})([-_./]|$)`]
  })
}
