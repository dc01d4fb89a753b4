import type { Citations } from "./citations.ts"
import type { Evidence, Finding } from "../sources/evidence.ts"
import type { OutputLength } from "../request.ts"

/** About how many words the text has, without headings and sources. */
export const WORDS: Readonly<Record<OutputLength, number>> = { short: 250, standard: 800, long: 1600 }

/** A part of the report. */
export interface Section {
  readonly heading: string
  readonly findings: readonly Finding[]
}

/** What is said when nothing in the index, or in the files, bears on the input. */
export const NOTHING_FOUND = "Nothing on this was found in the index."

const OVERVIEW = "Overview"
const DISAGREEMENT = "Where sources differ"
const REST = "Further findings"
/** The overview's share of the whole. */
const OVERVIEW_SHARE = 0.3
const MOST_LEADS = 4
/** A section with fewer words is none of its own. */
const SMALLEST_SECTION = 25

/**
 * The findings in sections: what answers the input itself, then a section for each question that brought some, then what
 * sources say differently, side by side. Sections give up their last findings until all fit the length.
 */
export function outline(evidence: Evidence, length: OutputLength): Section[] {
  const contested = disagreements(evidence)
  const free = evidence.findings.filter((finding) => !contested.includes(finding))
  const byQuestion = Map.groupBy(free, ({ question }) => question)
  const [whole = [], ...others] = evidence.questions.map((_, place) => byQuestion.get(place) ?? [])
  const budget = WORDS[length]
  // When nothing answers all of the input at once, the overview is made of the first that answers each part.
  const overview =
    whole.length > 0 ? whole : others.flatMap((findings) => findings.splice(0, 1)).slice(0, MOST_LEADS)
  const said = contested.slice(0, length === "short" ? 2 : 6)
  const first = fitting(overview, budget * (others.some((some) => some.length > 0) ? OVERVIEW_SHARE : 1))
  const left = budget - wordsIn(first) - wordsIn(said)
  const shared = share(others, left)
  const sections: Section[] = [{ heading: OVERVIEW, findings: first }]
  const small: Finding[] = []
  for (const [i, findings] of shared.entries()) {
    const { label } = evidence.questions[i + 1]!
    if (wordsIn(findings) < SMALLEST_SECTION) small.push(...findings)
    else sections.push({ heading: label, findings })
  }
  sections.push({ heading: REST, findings: small }, { heading: DISAGREEMENT, findings: said })
  return sections.filter(({ findings }) => findings.length > 0)
}

/** What a report says of pages that were found and not read. */
export const unreadNote = (pages: number): string =>
  `${pages === 1 ? "One page that was" : `${pages} pages that were`} found could not be read: the memory for pages was spent.`

/** Pairs that contradict each other, one right behind the other. */
function disagreements({ findings }: Evidence): Finding[] {
  const pairs: Finding[] = []
  for (const finding of findings) {
    if (finding.disagrees === null) continue
    const other = findings[finding.disagrees]!
    if (!pairs.includes(finding) && !pairs.includes(other)) pairs.push(other, finding)
  }
  return pairs
}

/** The first findings of each list in turn, until the words are spent; each list keeps its order. */
function share(lists: readonly (readonly Finding[])[], words: number): Finding[][] {
  const taken = lists.map((): Finding[] => [])
  let left = words
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  for (let row = 0; row < longest; row++) {
    for (const [i, list] of lists.entries()) {
      const finding = list[row]
      if (!finding) continue
      const size = wordsIn([finding])
      if (size > left) continue
      taken[i]!.push(finding)
      left -= size
    }
  }
  return taken
}

function fitting(findings: readonly Finding[], words: number): Finding[] {
  const taken: Finding[] = []
  for (const finding of findings) {
    if (taken.length === 0 || wordsIn([...taken, finding]) <= words) taken.push(finding)
  }
  return taken
}

const wordsIn = (findings: readonly Finding[]): number =>
  findings.reduce((sum, { text }) => sum + (text.match(/\S+/g)?.length ?? 0), 0)

/** Title, then each section, then the sources: pieces of markdown that follow each other. */
export function* rendered(
  title: string,
  sections: readonly Section[],
  citations: Citations,
  unread = 0,
): Generator<string> {
  yield `# ${titleOf(title)}`
  for (const { heading, findings } of sections)
    yield `\n\n## ${heading}\n\n${paragraphs(findings, citations)}`
  if (sections.length === 0) yield `\n\n${NOTHING_FOUND}`
  if (unread > 0) yield `\n\n${unreadNote(unread)}`
  const list = citations.list()
  if (list !== "") yield `\n\n${list}\n`
}

const TITLE_CHARS = 120
export function titleOf(input: string): string {
  const line = input.replaceAll(/\s+/g, " ").trim()
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS).replace(/\s+\S*$/, "")} …`
}

/** Statements of one page flow; those of another begin a paragraph, and so does code. */
function paragraphs(findings: readonly Finding[], citations: Citations): string {
  let text = ""
  let last: Finding | null = null
  for (const finding of findings) {
    const apart =
      last === null ? "" : last.sources[0] === finding.sources[0] && !last.text.includes("\n") ? " " : "\n\n"
    text += `${apart}${cited(finding, citations)}`
    last = finding
  }
  return text
}

/** The statement with its sources behind it; the code that it announces stands below, as code. */
function cited({ text, sources }: Finding, citations: Citations): string {
  const [sentence = "", ...code] = text.split("\n")
  const mark = citations.mark(sources)
  if (code.length === 0) return `${sentence} ${mark}`
  const fence = "`".repeat(
    Math.max(3, 1 + Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))),
  )
  return `${sentence} ${mark}\n\n${fence}\n${code.join("\n")}\n${fence}`
}
