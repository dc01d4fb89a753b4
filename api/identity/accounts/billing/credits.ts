/** Usage is counted in blocks: credits are charged each time a key's running count reaches a full block. */
export type Meter = keyof typeof RATES

/** Number of successful pages in a block, and the price of a full block. */
export const RATES = {
  "extract-basic": { block: 5, credits: 1 },
  "extract-advanced": { block: 5, credits: 2 },
  map: { block: 10, credits: 1 },
  "map-instructions": { block: 10, credits: 2 },
} as const satisfies Record<string, { block: number; credits: number }>

/** The price of a call: credits, or successful pages by meter. A free call is {}. */
export interface Cost {
  readonly credits?: number
  readonly pages?: Readonly<Partial<Record<Meter, number>>>
}

/** Maximum number of pages charged for a call: no call reads more in its time, whatever its `limit`. */
const MOST_PAGES = 100_000

/** The price of a search by depth, in credits. */
const SEARCH = { basic: 1, advanced: 2 }

export const searchCredits = (depth: string): number =>
  depth === "advanced" ? SEARCH.advanced : SEARCH.basic

export const searchCost = (depth: string): Cost => ({ credits: searchCredits(depth) })

export const extractCost = (depth: "basic" | "advanced", pages: number): Cost => ({
  pages: { [`extract-${depth}`]: Math.min(pages, MOST_PAGES) },
})

export const mapCost = (hasInstructions: boolean, pages: number): Cost => ({
  pages: { [hasInstructions ? "map-instructions" : "map"]: Math.min(pages, MOST_PAGES) },
})

/** The price of a report: the first search, each further one, and the maximum in total. */
const RESEARCH = {
  mini: { base: 4, search: 1, most: 110 },
  pro: { base: 15, search: 2, most: 250 },
}

/** @param searches number of searches made for the report; Infinity for the maximum cost */
export const researchCost = (model: keyof typeof RESEARCH, searches: number): Cost => {
  const { base, search, most } = RESEARCH[model]
  return { credits: Math.min(most, base + search * Math.max(0, searches - 1)) }
}

/** A crawl costs as much as its map and its extracts. */
export const crawlCost = (hasInstructions: boolean, depth: "basic" | "advanced", pages: number): Cost => ({
  pages: { ...mapCost(hasInstructions, pages).pages, ...extractCost(depth, pages).pages },
})

const plural = (credits: number): string => `${credits} credit${credits === 1 ? "" : "s"}`

/** The prices as given in the API's description. */
export const PRICES = {
  search: `${plural(SEARCH.basic)}, ${SEARCH.advanced} with the depth \`advanced\`.`,
  advancedSearch: plural(SEARCH.advanced),
  extract: `${plural(RATES["extract-basic"].credits)} for every ${RATES["extract-basic"].block} pages read, ${RATES["extract-advanced"].credits} with the depth \`advanced\`.`,
  map: `${plural(RATES.map.credits)} for every ${RATES.map.block} addresses, ${RATES["map-instructions"].credits} with \`instructions\`.`,
  research: `${RESEARCH.mini.base} to ${RESEARCH.mini.most} credits with the model \`mini\`, ${RESEARCH.pro.base} to ${RESEARCH.pro.most} with \`pro\`, depending on the searches made.`,
} as const

/** Credits charged when a meter goes from one count of pages to another. */
export function dueBetween(meter: Meter, before: number, after: number): number {
  const { block, credits } = RATES[meter]
  return credits * (Math.floor(after / block) - Math.floor(before / block))
}

/** The highest possible cost, whatever the meters' counts. */
export const mostCredits = (cost: Cost): number =>
  metersOf(cost).reduce((sum, [meter, pages]) => {
    const { block, credits } = RATES[meter]
    return sum + credits * Math.ceil(pages / block)
  }, cost.credits ?? 0)

/** The meters of a cost that are not zero. */
export const metersOf = ({ pages = {} }: Cost): readonly [Meter, number][] =>
  (Object.entries(pages) as [Meter, number][]).filter(([, count]) => count > 0)
