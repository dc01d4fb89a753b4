import type { Element } from "./tree.ts"

const NEVER_TEXT = new Set(
  (
    "script style template noscript iframe object embed applet svg canvas audio video map button input select " +
    "textarea datalist dialog frame frameset head link meta title"
  ).split(" "),
)

/** Not shown, or not text: left out whatever else is decided. */
export function isInvisible(element: Element): boolean {
  if (NEVER_TEXT.has(element.tag)) return true
  // React streams late parts of a page as hidden `S:<n>` boxes that its script moves into place.
  if (element.has("hidden")) return !/^S:[0-9a-f]+$/.test(element.get("id") ?? "")
  const style = element.get("style")
  return style !== null && /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)
}

/** How sure a sign is that an element is not main content: how much of the page's prose it may hold all the same. */
export type Suspicion = "none" | "some" | "strong" | "discussion"

const BOILERPLATE_ROLES = new Set(
  "navigation banner contentinfo search dialog alertdialog menu menubar toolbar tablist status complementary".split(
    " ",
  ),
)
const ADMONITION = /note|tip|warn|caution|admonition|callout|info|hint|danger|important/i

const words = (list: string) => new Set(list.split(" "))

// Words of class and id values. Chosen by the share of judged main text below elements that carry them:
// under a twelfth for the first list, under a sixth for the second.
const STRONG_WORDS = words(
  "subscribe subscription consent signup cookie cookies copyright commentform vcard mainmenu optin gform switcher popover " +
    "colophon trending privacy socials social login byline nocontent flyout recommended recommendations popup modal " +
    "topnav share sharing sharedaddy addtoany megamenu submenu newsletter account cart follow skip skiplink register topbar subnav menu nav " +
    "navbar navigation masthead breadcrumb breadcrumbs footer advert advertisement ads adsbygoogle sponsored pagination pager " +
    "offcanvas toolbar gdpr outbrain taboola sidenav",
)
const WEAK_WORDS = words(
  "sidebar sidebars related widget bio author authors meta tags taxonomy disclaimer legal terms notice promo popular latest recent " +
    "cta banner utility prev previous next print email facebook twitter linkedin whatsapp pinterest contacts drawer tooltip branding " +
    "dropdown metadata feedback buttons actions aside toc teaser tagline upsell crosssell dialog hidden",
)
const DISCUSSION_WORDS = words("comment comments respond commentlist disqus replies")

export function suspicionOf(element: Element): Suspicion {
  const { tag } = element
  switch (tag) {
    case "nav":
    case "footer":
    case "menu":
      return "strong"
    case "html":
    case "body":
    case "main":
    case "article":
      return "none"
    case "aside":
      return ADMONITION.test(element.get("class") ?? "") ? "none" : "strong"
    case "form":
    case "address":
    case "fieldset":
      return "some"
    default:
  }
  const role = element.get("role")
  if (role === "main") return "none"
  if (role !== null && BOILERPLATE_ROLES.has(role)) return "strong"
  if (element.get("aria-hidden") === "true") return "some"
  const hints = `${element.get("class") ?? ""} ${element.get("id") ?? ""}`
  if (hints.length < 3) return "none"
  return suspicionOfHints(hints.length > 300 ? hints.slice(0, 300) : hints)
}

// Class values repeat all over a page, and from page to page of a site.
const remembered = new Map<string, Suspicion>()
const MAX_REMEMBERED = 20_000

function suspicionOfHints(hints: string): Suspicion {
  const known = remembered.get(hints)
  if (known !== undefined) return known
  let suspicion: Suspicion = "none"
  for (const word of hints
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)) {
    if (word.length < 3) continue
    if (DISCUSSION_WORDS.has(word)) {
      suspicion = "discussion"
      break
    }
    if (STRONG_WORDS.has(word)) suspicion = "strong"
    else if (suspicion === "none" && WEAK_WORDS.has(word)) suspicion = "some"
  }
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(hints, suspicion)
  return suspicion
}
