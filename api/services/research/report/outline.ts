import { withLeads } from "../../answers/cited-text.ts"
import { capitalised } from "../plan/words.ts"
import type { Evidence, Finding } from "../sources/evidence.ts"
import { type Answered, repeats } from "./choose-units.ts"
import { disagreements } from "./disagreements.ts"
import type { Cell, Section, Table } from "./report.ts"

/** The parts of a report. */
export interface Outline {
  readonly sections: readonly Section[]
  /** Parts of the task that no page answers, in the task's words. */
  readonly missing: readonly string[]
}

/** The heading above the answer to a task that asks only one thing. */
const ANSWER = "Answer"
const COMPARISON = "Comparison"
const DISAGREEMENT = "Where sources differ"
const IN_SHORT = "In short"
/** Maximum number of characters in a cell: longer text makes it hard to read. */
const MAX_CELL_CHARS = 400

/**
 * The units as a report: a table if the task compares things, a section for each part of the task, the disagreements
 * between sources, and the missing answers. Each unit appears once.
 *
 * @param parts the parts of the task
 * @param beside additional topics that were investigated
 */
export function outline(
  parts: readonly Answered[],
  beside: readonly Answered[],
  evidence: Evidence,
): Outline {
  const disputed = disagreements([...parts, ...beside], evidence)
  const table = tableOf(
    parts.filter(({ part }) => part.side !== null),
    disputed,
  )
  const inCells = table?.rows.flatMap(({ cells }) => cells.filter(isUnit)) ?? []
  const said = [...inCells]
  const sections: (Omit<Section, "findings"> & { readonly findings: readonly Finding[] })[] = []
  for (const [at, { part, units }] of [...parts, ...beside].entries()) {
    const heading = at < parts.length ? headingOf(part, parts.length) : part.label
    const free = units.filter((unit) => !disputed.includes(unit))
    const left = free.filter((unit) => !said.some((other) => repeats(unit, other)))
    said.push(...left)
    if (left.length > 0) sections.push({ heading, asks: part.text, findings: below(heading, left) })
    if (left.length > 0 || free.length === 0 || at >= parts.length) continue
    // One unit may answer two parts; its section then gets both headings.
    const place = sections.findIndex(({ findings }) => findings.some((one) => repeats(free[0]!, one)))
    const known = sections[place]
    if (known) sections[place] = { ...known, heading: `${known.heading} / ${heading}` }
    // A part without such a section gets its own, unless its answer is in a table cell, under the name of its side.
    else if (part.side === null) sections.push({ heading, asks: part.text, findings: free.slice(0, 1) })
  }
  const asks = parts[0]!.part.text
  return {
    sections: [
      ...(table ? [{ heading: COMPARISON, asks, findings: inCells, table }] : []),
      ...sections,
      ...(disputed.length > 0 ? [{ heading: DISAGREEMENT, asks, findings: disputed }] : []),
    ],
    missing: [...new Set(parts.filter(({ units }) => units.length === 0).map(({ part }) => askedBy(part)))],
  }
}

/** Units without the lead that is already their section's heading. */
const below = (heading: string, units: readonly Finding[]): Finding[] =>
  units.map((unit) =>
    unit.leads?.includes(heading) ? { ...unit, leads: unit.leads.filter((lead) => lead !== heading) } : unit,
  )

const askedBy = ({ heading, side }: Answered["part"]): string =>
  side === null || heading.includes(side) ? (side ?? heading) : `${heading}: ${side}`

/** A side's name, with the aspect if the task asks about several aspects. */
function headingOf({ side, heading, asks }: Answered["part"], parts: number): string {
  if (side === null) return parts === 1 ? ANSWER : heading
  return asks === side
    ? capitalised(side)
    : `${capitalised(side)}: ${heading.charAt(0).toLowerCase()}${heading.slice(1)}`
}

/** The sides of a comparison next to each other, by aspect; `null` if fewer than two cells have text. */
function tableOf(sides: readonly Answered[], disputed: readonly Finding[]): Table | null {
  const named = [...new Set(sides.map(({ part }) => part.side!))]
  const asked = [...new Set(sides.map(({ part }) => part.heading))]
  const said: Finding[] = []
  const cellOf = (side: string, heading: string): Cell => {
    const units = sides.find(({ part }) => part.side === side && part.heading === heading)?.units ?? []
    const [best] = units
    if (best === undefined) return null
    if (said.includes(best)) return "above"
    if (!fitsCell(best) || disputed.includes(best)) return "below"
    said.push(best)
    return best
  }
  const rows =
    asked.length > 1
      ? asked.map((heading) => ({ label: heading, cells: named.map((side) => cellOf(side, heading)) }))
      : named.map((side) => ({ label: capitalised(side), cells: [cellOf(side, asked[0]!)] }))
  if (said.length < 2) return null
  return { columns: asked.length > 1 ? named.map(capitalised) : [IN_SHORT], rows }
}

const isUnit = (cell: Cell): cell is Finding => cell !== null && typeof cell === "object"

/** Whether a unit's text fits into a table cell without breaking the row. */
function fitsCell(unit: Finding): boolean {
  const text = withLeads(unit)
  return !/[\n|]/.test(text) && text.length <= MAX_CELL_CHARS
}
