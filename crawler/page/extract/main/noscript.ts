import { holdsModelOrder } from "#engine/text/model-orders.ts"
import { isCodeLines } from "../markdown/code.ts"
import { PanelHeads } from "../markdown/panel-heads.ts"
import { imageAddress, isTinyImage } from "../html/image-elements.ts"
import { collapse, type Element, firstElement, textOf, walk } from "../html/tree.ts"
import { isNeverText } from "./boilerplate.ts"
import { skipBesideCode } from "../markdown/beside-code.ts"
import { isDoubled } from "./doubled.ts"

/** Leaves out elements that are never text or that repeat a neighbour's text, except images in `<noscript>` that a script would show. */
export function skipNeverText(element: Element, skipped: Set<Element>): void {
  const heads = new PanelHeads()
  skipBelow(element, skipped, heads, false)
  heads.settle(skipped)
}

function skipBelow(element: Element, skipped: Set<Element>, heads: PanelHeads, isInCode: boolean): void {
  const { children } = element
  for (let at = 0; at < children.length; at++) {
    const child = children[at]!
    if (typeof child === "string") continue
    heads.see(child)
    if (child.get("aria-hidden") === "true" && isDoubled(child, element, at)) skipped.add(child)
    else if (isNeverText(child) && !(child.tag === "noscript" && holdsImage(child, element))) {
      skipped.add(child)
      // The element's text may belong to a heading.
      if (child.tag === "button") skipBelow(child, skipped, heads, isInCode)
    } else {
      // This is done only for the outermost code element: counting lines again at each level would take quadratic time.
      const isCode = !isInCode && (child.tag === "pre" || (child.tag === "div" && isCodeLines(child)))
      if (isCode) skipBesideCode(child, skipped)
      if (child.tag === "noscript") child.asBlock = true
      skipBelow(child, skipped, heads, isInCode || isCode)
    }
  }
}

/** Whether a `<noscript>` has nothing but an image for which its neighbour is only a placeholder. */
function holdsImage(noscript: Element, parent: Element): boolean {
  if (textOf(noscript, 100) !== "") return false
  const image = firstElement(noscript, (element) => element.tag === "img")
  if (image === null || !isPicture(image)) return false
  const isShown = (child: Element | string) =>
    typeof child !== "string" &&
    child !== noscript &&
    child.tag !== "noscript" &&
    firstElement(child, (below) => below.tag === "img" && imageAddress(below, ANYWHERE) !== null) !== null
  // Usually the lazy image itself has the address; the `<noscript>` is then not needed.
  const at = parent.children.indexOf(noscript)
  return !parent.children.slice(Math.max(0, at - NEAR), at + NEAR + 1).some(isShown)
}

/** A base for resolving addresses; which one doesn't matter, since we only ask whether there is an address. */
const ANYWHERE = "https://localhost/"
/** The maximum distance, in children, between a `<noscript>` and the image that it repeats. */
const NEAR = 3

/** Whether an image is not a tracking pixel: it has a description, a visible size, or an image's file name. */
function isPicture(image: Element): boolean {
  const src = imageAddress(image, ANYWHERE)
  if (src === null || isTinyImage(image)) return false
  if (/(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(image.get("style") ?? "")) return false
  if (/(?:left|top)\s*:\s*-\d{3,}px/i.test(image.get("style") ?? "")) return false
  if (collapse(image.get("alt") ?? "") !== "") return true
  if (Number.parseInt(image.get("width") ?? "", 10) >= 40) return true
  return /\.(?:jpe?g|png|webp|avif|svg)$/i.test(URL.parse(src)?.pathname ?? "")
}

/** Pages built by scripts sometimes put their text in `<noscript>` for readers without scripts. */
export function showNoscript(body: Element, skipped: Set<Element>, shownChars: number): boolean {
  let shown = false
  walk(body, (element) => {
    if (element.tag !== "noscript") return undefined
    const text = textOf(element, 5000)
    if (text.length > Math.max(300, shownChars) && !holdsModelOrder(text)) {
      skipped.delete(element)
      element.asBlock = true
      skipNeverText(element, skipped)
      shown = true
    }
    return false
  })
  return shown
}
