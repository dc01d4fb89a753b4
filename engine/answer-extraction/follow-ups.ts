import { leaveOut } from "#base/flow/degraded.ts"
import { offLoop } from "#base/process/threads/off-loop.ts"
import { WorkError } from "#base/process/threads/work-threads.ts"
import { analyse, analyseQuery } from "../text/analysis/analyse.ts"
import { jaccard } from "../text/analysis/likeness.ts"
import { blocksOf } from "../text/markdown/markdown-blocks.ts"
import { holdsModelOrder } from "../text/model-orders.ts"
import { isBoldLine, lineKey, marksOf } from "./statements/page-marks.ts"
import type { StatedIn } from "./statements/page-parts.ts"

/** Maximum length of a page that is searched for questions. */
export const MAX_PAGE_CHARS = 200_000
/** Number of pages whose headings are read. */
const MAX_PAGES = 10
const MAX_FOLLOW_UPS = 4
const MAX_QUESTION_CHARS = 150
const MAX_LABEL_CHARS = 30
/** Maximum number of question headings examined per page: those with the most of the question's terms. */
const HEADINGS_PER_PAGE = 50
/** Questions that share a larger part of their terms than this ask the same thing. */
const SAME = 0.7
/** Minimum number of pages in a part of the results that is worth asking about. */
const SMALLEST_PART = 2

/**
 * Questions that the user might ask next: first, if the titles of the results fall into two parts, which part is meant;
 * then question headings of the results that are answered right below. Empty if none are worth asking.
 */
export async function followUpQuestions(
  question: string,
  hits: readonly StatedIn[],
  signal?: AbortSignal,
): Promise<string[]> {
  const facet = facetQuestion(question, hits)
  const headings = await relatedHeadings(question, hits.slice(0, MAX_PAGES), signal)
  return [...(facet === null ? [] : [facet]), ...headings].slice(0, MAX_FOLLOW_UPS)
}

interface Asking {
  readonly text: string
  readonly terms: ReadonlySet<string>
  /** The terms that also occur in the question. */
  readonly shared: ReadonlySet<string>
}

async function relatedHeadings(
  question: string,
  hits: readonly StatedIn[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const candidates: (Asking & { readonly place: number })[] = []
  for (const [place, { title, markdown, language }] of hits.entries()) {
    const page = { title, markdown, language, passages: [] }
    const asking = await askingIn({ chars: markdown.length, signal }, question, page).catch(
      (error: unknown) => {
        if (!(error instanceof WorkError)) throw error
        leaveOut("pages")
        return []
      },
    )
    for (const one of asking) candidates.push({ ...one, place })
  }
  const having = new Map<string, number>()
  for (const { terms } of candidates) for (const term of terms) having.set(term, (having.get(term) ?? 0) + 1)
  const weight = (term: string) => Math.log(1 + candidates.length / having.get(term)!)
  const ranked = candidates
    .map((one) => ({ ...one, value: [...one.shared].reduce((sum, term) => sum + weight(term), 0) }))
    .sort((a, b) => b.value - a.value || a.place - b.place)
  const chosen: typeof ranked = []
  for (const one of ranked) {
    if (chosen.length === MAX_FOLLOW_UPS) break
    if (!chosen.some((other) => jaccard(one.terms, other.terms) >= SAME)) chosen.push(one)
  }
  return chosen.map(({ text }) => text)
}

/** The question headings of a page that have terms in common with the question but don't ask the same thing. */
export function relatedIn(question: string, page: StatedIn): Asking[] {
  const asked = new Set(analyseQuery(question, page.language).terms)
  return answeredHeadings(page)
    .map((text) => {
      const terms = new Set(analyseQuery(text, page.language).terms)
      return { text, terms, shared: asked.intersection(terms) }
    })
    .filter(({ terms, shared }) => shared.size > 0 && jaccard(terms, asked) < SAME)
    .sort((a, b) => b.shared.size - a.shared.size)
    .slice(0, HEADINGS_PER_PAGE)
}

const askingIn = offLoop(import.meta.url, relatedIn)

/** Headings that ask something and have text below them. */
function answeredHeadings({ markdown }: StatedIn): string[] {
  if (markdown.length > MAX_PAGE_CHARS) return []
  const marks = marksOf(markdown)
  const blocks = blocksOf(markdown)
  return blocks.flatMap((block, at) => {
    const heads = block.kind === "heading" || (block.kind === "text" && isBoldLine(marks, block.text))
    const next = blocks[at + 1]
    if (!heads || next === undefined || next.kind === "heading" || isBoldLine(marks, next.text)) return []
    const text = withoutNumber(lineKey(block.text))
    return isQuestion(text) && !holdsModelOrder(text) ? [text] : []
  })
}

function isQuestion(text: string): boolean {
  const words = text.split(" ").length
  if (text.length > MAX_QUESTION_CHARS) return false
  if (text.endsWith("？")) return true
  return words >= 3 && (text.endsWith("?") || /^how to\s/i.test(text))
}

const withoutNumber = (heading: string): string => heading.replace(/^(?:[(\d.)]+|Q(?:\d+)?[:.)])\s+/i, "")

/** "Do you mean … in A or in B?", asked if the pages' titles name two sites or products and the question names neither. */
function facetQuestion(question: string, hits: readonly StatedIn[]): string | null {
  const asked = question.trim().replace(/[?？.!]+$/, "")
  if (asked.length > MAX_QUESTION_CHARS / 2 || asked === "") return null
  const parts = new Map<string, number>()
  for (const { title } of hits) {
    const label = title
      .split(/\s+[|—–·-]\s+/)
      .slice(1)
      .at(-1)
    if (label !== undefined && !holdsModelOrder(label) && label.length <= MAX_LABEL_CHARS)
      parts.set(label, (parts.get(label) ?? 0) + 1)
  }
  const labels = [...parts]
    .filter(([, pages]) => pages >= SMALLEST_PART)
    .sort((a, b) => b[1] - a[1])
    .map(([label]) => label)
  const [first, second] = labels
  if (first === undefined || second === undefined) return null
  const terms = new Set(analyse(asked, null))
  if ([first, second].some((label) => analyse(label, null).some((term) => terms.has(term)))) return null
  return `Do you mean “${asked}” in ${first} or in ${second}?`
}
