import { type Color, areApart } from "../../../extract/seen/colors.ts"

/** A position on a slide, in any unit; null if unknown. */
export interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const MAX_PAINTED = 500

/** The backgrounds of a slide's shapes: the topmost shape under each, or the slide itself. */
export class Ground {
  readonly #own: Color | null
  readonly #painted: { readonly place: Place | null; readonly color: Color | null }[] = []

  /** `own`: the slide's own background; null when it is not known. */
  constructor(own: Color | null) {
    this.#own = own
  }

  /** Adds a filled shape; if its fill is a picture or gradient, `color` is null. */
  paint(place: Place | null, color: Color | null): void {
    if (this.#painted.length < MAX_PAINTED) this.#painted.push({ place, color })
  }

  /** The background of a shape at this place; null if unknown. */
  under(place: Place | null): Color | null {
    for (const { place: other, color } of this.#painted.toReversed()) {
      if (place === null || other === null) return null
      if (contains(other, place)) return color
      if (overlaps(other, place)) return null
    }
    return this.#own
  }
}

export const isUnreadable = (ink: Color | null, ground: Color | null): boolean =>
  ink !== null && (ink[3] < 0.05 || (ground !== null && !areApart(ink, ground)))

const contains = (a: Place, b: Place): boolean =>
  a.x <= b.x && a.y <= b.y && a.x + a.width >= b.x + b.width && a.y + a.height >= b.y + b.height

const overlaps = (a: Place, b: Place): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
