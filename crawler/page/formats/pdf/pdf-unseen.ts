import type { Box } from "./pdf-geometry.ts"
import { type DrawnText, type IsLayerShown, type Operators, PageProgram } from "./pdf-program.ts"

/** Texts that a page's program draws besides the page's own visible text. */
export interface ProgramTexts {
  /** The page's own texts that no reader sees. */
  readonly unseen: DrawnText[]
  /** Visible texts of annotations: values of fields, stamps, notes written on the page. */
  readonly annotated: DrawnText[]
}

/**
 * Text is unseen when it is drawn without ink (ISO 32000-1 §9.3.6, modes 3 and 7), completely transparent, without
 * width, in the colour painted before it, clipped, covered by a box that is painted later, or on a layer that is not
 * shown. If a picture covers most of the page, text without ink was recognised from the picture, and is kept.
 */
export function programTexts(
  operators: Operators,
  pageBox: Box,
  isLayerShown: IsLayerShown,
  isVertical: (fontName: string) => boolean,
): ProgramTexts {
  const program = new PageProgram(pageBox, isLayerShown, isVertical)
  program.run(operators)
  const { annotated } = program
  const unseen = program.unseen.filter(
    ({ isInkless, isAnnotation }) => !isAnnotation && !(isInkless && program.hasPicture),
  )
  return { unseen, annotated }
}

interface PlacedText {
  readonly str: string
  readonly transform: readonly number[]
  readonly width: number
}

/** The runs of text without the unseen texts at their places. */
export function withoutUnseen<Item extends PlacedText>(
  items: readonly Item[],
  unseen: readonly DrawnText[],
): Item[] {
  if (unseen.length === 0) return [...items]
  const sorted = unseen.toSorted((a, b) => a.y - b.y)
  return items.map((item) => {
    const [x = 0, y = 0] = [item.transform[4], item.transform[5]]
    let { str } = item
    for (let at = firstFrom(sorted, y - NEAR); at < sorted.length && sorted[at]!.y <= y + NEAR; at++) {
      const { text, left, right } = sorted[at]!
      if (right < x - NEAR || left > x + item.width + NEAR) continue
      // The library may have joined the text with its neighbours, or split it.
      const said = text.trim()
      if (str.includes(said)) str = str.replace(said, "")
      else if (said.includes(str.trim())) str = ""
    }
    return str === item.str ? item : { ...item, str }
  })
}

/** The maximum distance, in points, between two places that are treated as the same. */
const NEAR = 1

function firstFrom(sorted: readonly DrawnText[], y: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]!.y < y) low = middle + 1
    else high = middle
  }
  return low
}
