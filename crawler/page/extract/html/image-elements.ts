import { holdsModelOrder } from "#engine/text/model-orders.ts"
import { collapse, type Element, firstElement, textOf } from "./tree.ts"

const LAZY_SOURCES = ["data-src", "data-lazy-src", "data-original", "data-lazy"]

/** The real address of an image: lazy-loading attributes take precedence over a placeholder in `src`. */
export function imageAddress(image: Element, baseUrl: string): string | null {
  const src = image.get("src")
  const candidates = [
    ...LAZY_SOURCES.map((name) => image.get(name)),
    src !== null && !src.startsWith("data:") ? src : null,
    firstOfSrcset(image.get("srcset") ?? image.get("data-srcset") ?? image.get("data-lazy-srcset")),
  ]
  for (const candidate of candidates) {
    if (!candidate || candidate.startsWith("data:")) continue
    const url = URL.parse(candidate.trim(), baseUrl)
    if (url && (url.protocol === "http:" || url.protocol === "https:")) return url.href
  }
  return null
}

function firstOfSrcset(srcset: string | null): string | null {
  return srcset?.trim().split(/[\s,]/, 1)[0] || null
}

/** Descriptions are cached, because the text and the list of images need the same ones, and checking each for orders to models is slow. */
const described = new WeakMap<Element, string | null>()

/** The alternative text, together with a caption that was left out of the text, if there is one; otherwise the caption of the figure, otherwise the title. */
export function imageDescription(image: Element, captions?: ReadonlyMap<Element, string>): string | null {
  let description = described.get(image)
  if (description === undefined) described.set(image, (description = describe(image, captions?.get(image))))
  return description
}

function describe(image: Element, caption: string | undefined): string | null {
  const alt = collapse(image.get("alt") ?? "")
  // Readers see the picture, so an order to models in its description can only be meant for models.
  const isAlt = alt !== "" && !holdsModelOrder(alt)
  if (caption !== undefined) return isAlt ? joined(alt, caption) : caption
  if (isAlt) return alt
  for (let above = image.parent, steps = 0; above && steps < 4; above = above.parent, steps++) {
    if (above.tag !== "figure") continue
    const figcaption = firstElement(above, (element) => element.tag === "figcaption")
    const text = figcaption ? textOf(figcaption, 500) : ""
    if (text !== "") return text
  }
  const title = collapse(image.get("title") ?? "")
  return title === "" || holdsModelOrder(title) ? null : title
}

/** Both texts, or only the longer one if it contains the other. */
function joined(alt: string, caption: string): string {
  const [a, b] = [alt, caption].map((text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim(),
  )
  if (b!.includes(a!)) return caption
  return a!.includes(b!) ? alt : `${alt} – ${caption}`
}

/** Whether an image is a tracking pixel or a spacer. */
export function isTinyImage(image: Element): boolean {
  const width = Number.parseInt(image.get("width") ?? "", 10)
  const height = Number.parseInt(image.get("height") ?? "", 10)
  return width <= 2 || height <= 2
}
