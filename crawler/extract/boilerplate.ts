import type { Element } from "./tree.ts"

const NEVER_TEXT = new Set(
  (
    "script style template noscript iframe object embed applet svg canvas audio video map button input select " +
    "textarea datalist dialog frame frameset head link meta title"
  ).split(" "),
)
const BOILERPLATE_ROLES = new Set(
  "navigation banner contentinfo search dialog alertdialog menu menubar toolbar tablist".split(" "),
)

/** Not shown, or not text: left out whatever else is decided. */
export function isInvisible(element: Element): boolean {
  if (NEVER_TEXT.has(element.tag) || element.has("hidden")) return true
  const style = element.get("style")
  if (style !== null && /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)) return true
  return false
}

// Words of class and id values, between delimiters or at a change of case.
const STRONG_HINT =
  /(?:^|[\s_-])(?:nav|navbar|navigation|menu|submenu|breadcrumbs?|footer|site-?footer|page-?footer|sidebar|side-?bar|share|sharing|share-?bar|social|sociallinks?|related|related-?posts?|recommended|recommendations?|cookie|cookies|consent|gdpr|newsletter|subscribe|subscription|signup|sign-up|advert|advertisement|ads?|ad-?container|popup|modal|pagination|pager|skip-?link|toc|table-of-contents|outbrain|taboola|disqus|promo|byline|post-?meta|entry-?meta|entry-?footer|post-?footer|author-?(?:box|bio|info)|print-?only|screen-reader-text|sr-only|visually-?hidden|widget)(?:$|[\s_-])/i
const COMMENT_HINT = /(?:^|[\s_-])(?:comments?|comment-?list|respond|replies|reader-?comments)(?:$|[\s_-])/i

export function isBoilerplate(element: Element, strict: boolean): boolean {
  const { tag } = element
  if (tag === "nav" || tag === "footer" || tag === "menu") return true
  const role = element.get("role")
  if (role !== null && BOILERPLATE_ROLES.has(role)) return true
  if (tag === "html" || tag === "body" || tag === "main" || tag === "article") return false
  if (tag === "aside")
    return !/note|tip|warn|caution|admonition|callout|info|hint|danger|important/i.test(
      element.get("class") ?? "",
    )
  if (element.get("aria-hidden") === "true") return true
  if (!strict) return false
  const hints = `${element.get("class") ?? ""} ${element.get("id") ?? ""}`
  if (hints.length < 2) return false
  return STRONG_HINT.test(hints) || COMMENT_HINT.test(hints)
}
