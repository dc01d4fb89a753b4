import { headingText, isHeading } from "../html/anchors.ts"
import { type Element, firstElement, textOf } from "../html/tree.ts"
import { isFormulaScript } from "../markdown/formulas.ts"

const NEVER_TEXT = new Set(
  (
    "script style template noscript iframe object embed applet svg canvas audio video map button input select " +
    "textarea datalist dialog frame frameset head link meta title"
  ).split(" "),
)

/** Whether an element is never part of the page's text. */
export function isNeverText(element: Element): boolean {
  return NEVER_TEXT.has(element.tag) && !isFormulaScript(element)
}

/** How strongly a sign suggests that an element is not main content. */
export type Suspicion =
  | "some"
  | "strong"
  | "discussion"
  | "on-shop"
  | "on-discussion"
  | "on-article"
  | "beside-text"

/** A sign that an element is not main content: a word in its class, its tag or its role. */
export interface Sign {
  readonly name: string
  readonly suspicion: Suspicion
}

const BOILERPLATE_ROLES = new Set(
  "navigation banner contentinfo search dialog alertdialog menu menubar toolbar tablist status complementary".split(
    " ",
  ),
)
const ADMONITION = /note|tip|warn|caution|admonition|callout|info|hint|danger|important/i

const words = (list: string) => new Set(list.split(" "))

// Words in class and id values, chosen by how much of the text in elements with these words was judged to be main text:
// under a twelfth for the first list, under a sixth for the second.
const STRONG_WORDS = words(
  "subscribe subscription consent signup cookie cookies copyright commentform vcard mainmenu optin gform switcher popover " +
    "colophon trending error policies privacy socials social login byline nocontent flyout recommended recommendations popup modal " +
    "topnav share sharing sharedaddy addtoany megamenu submenu newsletter account cart follow skip skiplink register topbar subnav menu nav " +
    "navbar navigation masthead breadcrumb breadcrumbs footer advert advertisement ads adsbygoogle sponsored pagination pager " +
    "offcanvas toolbar gdpr outbrain taboola sidenav",
)
const WEAK_WORDS = words(
  "related widget bio author authors meta tags taxonomy disclaimer legal terms notice promo popular latest recent " +
    "cta banner utility prev previous next print email facebook twitter linkedin whatsapp pinterest contacts drawer tooltip branding " +
    "dropdown metadata feedback buttons actions aside toc teaser tagline upsell crosssell dialog",
)
// On a website, a sidebar is a column beside its pages; in a book, it is a box among the paragraphs that it belongs to.
const BESIDE_WORDS = words("sidebar sidebars")
// Words that are signs of boilerplate only on one kind of page.
const SHOP_WORDS = words(
  "review reviews rating ratings star stars filter filters facet facets refine refinement refinements sort swatch swatches variant variants " +
    "picker selector quantity qty delivery accessories wishlist badge badges customer checkbox checkout success alert " +
    "policy policies availability addtocart compare currency country offer offers locale installments bundle help feedback",
)
const FORUM_WORDS = words(
  "signature badge badges flair stats reactions votes vote voting pairs extras user userinfo userdetails username postprofile " +
    "poster avatar member minor opposite attribution permalink joined rank postcount quotelink reactionsbar",
)
const ARTICLE_WORDS = words("caption captions")
const DISCUSSION_WORDS = words("comment comments respond commentlist disqus replies")

const NO_SIGNS: readonly Sign[] = []
const one = (name: string, suspicion: Suspicion): readonly Sign[] => [{ name, suspicion }]
const TAG_SIGNS = new Map([
  ["figcaption", one("<figcaption>", "on-article")],
  ["nav", one("<nav>", "strong")],
  ["footer", one("<footer>", "strong")],
  ["menu", one("<menu>", "strong")],
  ["form", one("<form>", "some")],
  ["fieldset", one("<fieldset>", "some")],
  ["address", one("<address>", "some")],
])
const ASIDE = one("<aside>", "strong")
const HEADER = one("<header>", "strong")
const ROLE = one("role", "strong")
const NEVER_SUSPECT = new Set(["html", "body", "main", "article", "math", "mjx-container"])

/** The signs of boilerplate on an element; most have none. */
export function signsOf(element: Element): readonly Sign[] {
  const { tag } = element
  if (NEVER_SUSPECT.has(tag)) return NO_SIGNS
  const byTag = TAG_SIGNS.get(tag)
  if (byTag) return byTag
  if (tag === "aside") return ADMONITION.test(element.get("class") ?? "") ? NO_SIGNS : ASIDE
  if (tag === "header" && !isSectionHeader(element)) return HEADER
  const role = element.get("role")
  if (role === "main") return NO_SIGNS
  if (role !== null && BOILERPLATE_ROLES.has(role)) return ROLE
  const named = element.get("class") ?? ""
  const id = element.get("id")
  const signs = signsOfHints(id === null ? named : `${named} ${id}`)
  return id !== null && signs.length > 0 && isNamedByHeading(element, id) ? signsOfHints(named) : signs
}

/** Whether an id consists of the words of a heading, which means that a tool generated it as a link target, and no designer chose it. */
function isNamedByHeading(element: Element, id: string): boolean {
  if (isHeading(element)) return true
  if (element.tag !== "section" && element.tag !== "div") return false
  for (const child of element.children) {
    if (typeof child === "string" ? child.trim() === "" : textOf(child, 1) === "" && !isHeading(child))
      continue
    if (typeof child === "string" || !isHeading(child)) return false
    const slug = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")
    return id.length > 3 && slug(headingText(child, 300)).includes(slug(id))
  }
  return false
}

/** Whether a header contains only the heading of a section. Otherwise it belongs to the page or the article. */
function isSectionHeader(header: Element): boolean {
  if (firstElement(header, (element) => element.tag === "h1" || element.tag === "nav")) return false
  return firstElement(header, (element) => /^h[2-6]$/.test(element.tag)) !== null
}

/** The class that Docusaurus uses so that headings, when scrolled to, stop below its bar: `anchorWithStickyNavbar_LWe7`. It says nothing about the heading. */
const BELOW_BAR = /\banchor(?:With|Target)StickyNavbar\w*/g

// Signs by class value, cached because class values are repeated all over a page, and across the pages of a site.
const remembered = new Map<string, readonly Sign[]>()
const MAX_REMEMBERED = 20_000

function signsOfHints(given: string): readonly Sign[] {
  if (given.length < 4) return NO_SIGNS
  const hints = given.length > 300 ? given.slice(0, 300) : given
  const known = remembered.get(hints)
  if (known !== undefined) return known
  const signs: Sign[] = []
  for (const word of hints
    .replace(BELOW_BAR, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)) {
    if (word.length < 3 || signs.some((sign) => sign.name === word)) continue
    if (DISCUSSION_WORDS.has(word)) signs.push({ name: word, suspicion: "discussion" })
    else if (STRONG_WORDS.has(word)) signs.push({ name: word, suspicion: "strong" })
    else if (WEAK_WORDS.has(word)) signs.push({ name: word, suspicion: "some" })
    else if (BESIDE_WORDS.has(word)) signs.push({ name: word, suspicion: "beside-text" })
    else if (ARTICLE_WORDS.has(word)) signs.push({ name: word, suspicion: "on-article" })
    else {
      if (SHOP_WORDS.has(word)) signs.push({ name: word, suspicion: "on-shop" })
      if (FORUM_WORDS.has(word)) signs.push({ name: word, suspicion: "on-discussion" })
    }
  }
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(hints, signs.length === 0 ? NO_SIGNS : signs)
  return signs
}
