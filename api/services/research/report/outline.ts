import { capitalised } from "../plan/words.ts"
import type { OutputLength } from "../request.ts"
import type { Evidence, Finding } from "../sources/evidence.ts"
import type { Answered } from "./choose-findings.ts"
import { disagreements } from "./disagreements.ts"
import type { Section, Table } from "./report.ts"
import { WORDS } from "./report-length.ts"
import type { Weighed } from "./weigh-findings.ts"

/** What a report is made of. */
export interface Outline {
  readonly sections: readonly Section[]
  /** Parts of the task that no page answers, as the task puts them. */
  readonly missing: readonly string[]
}

/** The heading of the first section. */
export const SUMMARY = "Summary"
const COMPARISON = "Comparison"
const DISAGREEMENT = "Where sources differ"
const DETAILS = "Details"
const IN_SHORT = "In short"
/** A longer sentence makes a cell hard to read. */
const MAX_CELL_CHARS = 400
/** Sentences of the summary when the task asks but one thing. */
const LEADS_OF_WHOLE = 3
/** What a sentence loses as a lead that depends on another, or another on it; and one that does not name what it is about. */
const DEPENDING = 0.1

/**
 * The chosen findings in the shape of a report: a summary with the best sentence on each part, a table where the task compares, a
 * section for each part with what more there is to say, what sources say differently, and what nobody says.
 */
export function outline(answered: readonly Answered[], evidence: Evidence, length: OutputLength): Outline {
  const disputed = disagreements(answered, evidence)
  const free = answered.map(({ part, chosen }) => ({
    part,
    chosen: within(
      chosen.filter(({ finding }) => !disputed.includes(finding)),
      WORDS[length] / answered.length,
    ),
  }))
  const summary: Finding[] = []
  const rest: Section[] = []
  const sides = free.filter(({ part }) => part.side !== null)
  const table = tableOf(sides)
  for (const { part, chosen } of free) {
    const cell = table?.rows
      .flatMap(({ cells }) => cells)
      .find((one) => chosen.some(({ finding }) => finding === one))
    const leads = cell ? [] : leadsOf(chosen, free.length === 1 ? LEADS_OF_WHOLE : 1)
    summary.push(...leads.flatMap((lead) => withNeeds(lead)))
    const said = new Set([...leads, ...(cell ? [cell] : [])])
    const left = inReadingOrder(chosen.map(({ finding }) => finding).filter((finding) => !said.has(finding)))
    const heading = part.side === null ? part.heading : headingOf(part, sides.length)
    rest.push({ heading: free.length === 1 ? DETAILS : heading, findings: left })
  }
  const cells = table?.rows.flatMap(({ cells }) => cells.filter((cell) => cell !== null)) ?? []
  const sections: Section[] = [
    { heading: SUMMARY, findings: summary },
    ...(table ? [{ heading: COMPARISON, findings: cells, table }] : []),
    ...rest,
    { heading: DISAGREEMENT, findings: disputed },
  ]
  const told = toldOnce(sections)
  const missing = answered.filter(({ chosen }) => chosen.length === 0).map(({ part }) => askedBy(part))
  return { sections: told.filter(({ findings }) => findings.length > 0), missing: [...new Set(missing)] }
}

/** Without what an earlier section, or the section itself, says before, and without what makes no sense but right behind that. */
function toldOnce(sections: readonly Section[]): Section[] {
  const before = new Set<string>()
  return sections.map((section) => {
    const here = new Set<string>()
    const findings = section.findings.filter(({ text, stated }) => {
      const needs = stated?.needs ?? null
      const isTorn = needs !== null && before.has(needs) && !here.has(needs)
      if (!section.table && (before.has(text) || here.has(text) || isTorn)) return false
      here.add(text)
      return true
    })
    for (const text of here) before.add(text)
    return { ...section, findings }
  })
}

const askedBy = ({ heading, side }: Answered["part"]): string =>
  side === null || heading.includes(side) ? (side ?? heading) : `${heading}: ${side}`

/** A side by its name; with what is asked of it where several things are. */
const headingOf = ({ side, heading, asks }: Answered["part"], sides: number): string =>
  sides > 0 && asks !== side
    ? `${side}: ${heading.charAt(0).toLowerCase()}${heading.slice(1)}`
    : capitalised(side!)

/** The sides of a comparison beside each other, by what is asked of them; null when fewer than two have something to say. */
function tableOf(sides: readonly Answered[]): Table | null {
  const named = [...new Set(sides.map(({ part }) => part.side!))]
  const asked = [...new Set(sides.map(({ part }) => part.heading))]
  const cellOf = (side: string, heading: string): Finding | null => {
    const found = sides.find(({ part }) => part.side === side && part.heading === heading)
    const fitting = found?.chosen.filter(({ finding }) => fitsCell(finding)) ?? []
    return (fitting.find(({ defines }) => defines) ?? fitting[0])?.finding ?? null
  }
  const rows =
    asked.length > 1
      ? asked.map((heading) => ({ label: heading, cells: named.map((side) => cellOf(side, heading)) }))
      : named.map((side) => ({ label: capitalised(side), cells: [cellOf(side, asked[0]!)] }))
  const filled = rows.flatMap(({ cells }) => cells).filter((cell) => cell !== null)
  if (named.length < 2 || filled.length < 2) return null
  return { columns: asked.length > 1 ? named.map(capitalised) : [IN_SHORT], rows }
}

/** A sentence that stands by itself and breaks no row. */
const fitsCell = ({ text, stated }: Finding): boolean =>
  !/[\n|]/.test(text) && text.length <= MAX_CELL_CHARS && (stated?.needs ?? null) === null

/** The best sentences that stand by themselves. */
function leadsOf(chosen: readonly Weighed[], count: number): Finding[] {
  const alone = chosen.filter(({ finding }) => !finding.text.includes("\n") && finding.stated?.kind !== "row")
  const ranked = (alone.length > 0 ? alone : chosen).toSorted(
    (a, b) => leading(b, chosen) - leading(a, chosen),
  )
  return inReadingOrder(ranked.slice(0, count).map(({ finding }) => finding))
}

/** What needs another sentence makes a poor beginning, and what another needs would be said twice. */
function leading({ finding, value, names }: Weighed, chosen: readonly Weighed[]): number {
  const isNeeded = chosen.some((other) => other.finding.stated?.needs === finding.text)
  return value - (finding.stated?.needs || isNeeded ? DEPENDING : 0) - (names ? 0 : DEPENDING)
}

/** As many of the first as have room. */
function within(chosen: readonly Weighed[], words: number): Weighed[] {
  let left = words
  return chosen.filter(({ finding }, at) => {
    left -= finding.text.match(/\S+/g)?.length ?? 0
    return at === 0 || left >= 0
  })
}

/** Page by page, the page of the best finding first, each with the sentence that a finding needs before it. */
function inReadingOrder(findings: readonly Finding[]): Finding[] {
  const pages = [...new Set(findings.map(({ sources }) => sources[0]!))]
  const ordered = pages.flatMap((page) =>
    findings
      .filter(({ sources }) => sources[0] === page)
      .toSorted((a, b) => (a.stated?.position ?? 0) - (b.stated?.position ?? 0)),
  )
  const said = new Set<string>()
  return ordered
    .flatMap((finding) => withNeeds(finding))
    .filter(({ text }) => !said.has(text) && said.add(text))
}

const withNeeds = (finding: Finding): Finding[] => {
  const { needs } = finding.stated ?? {}
  return needs
    ? [{ ...finding, text: needs, disagrees: null, stated: { ...finding.stated!, needs: null } }, finding]
    : [finding]
}
