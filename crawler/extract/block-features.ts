import { isHidden } from "./boilerplate.ts"
import type { MainContent } from "./main-content.ts"
import type { AddressSigns, PageSigns } from "./page-signs.ts"
import type { BlockTree, Box, TextBlock } from "./text-blocks.ts"
import type { Element } from "./tree.ts"

/** How much the words on a block and around it speak for main text: sums of learned weights. */
export interface TokenSums {
  /** Of one element's tag and names, on this kind of page. */
  element(element: Element): number
  text(text: string): number
  heading(text: string): number
}

export interface PageContext extends AddressSigns {
  readonly signs: PageSigns
  readonly title: string
  readonly description: string
}

/** What is known of every block of a page, as rows of numbers in the order of {@link FEATURE_NAMES}. */
export interface FeatureTable {
  readonly rows: number
  readonly width: number
  readonly values: Float32Array
  /** Words of each block. */
  readonly words: Float64Array
  /** What the rules kept of each block, in characters. */
  readonly kept: readonly number[]
}

const BOXES = 6

class BoxFacts {
  readonly box: Box
  readonly parent: BoxFacts | null
  /** The nearest box around that holds more text blocks. */
  readonly outer: BoxFacts | null
  readonly dropped: boolean
  readonly inRoot: boolean
  readonly hidden: boolean
  readonly sum: number
  readonly own: number
  readonly least: number
  readonly most: number
  readonly flags: number
  readonly listDepth: number
  /** Siblings of its kind, and which of them it is. */
  siblings = 1
  rank = 0

  constructor(box: Box, parent: BoxFacts | null, content: MainContent, sums: TokenSums) {
    const { element } = box
    this.box = box
    this.parent = parent
    this.outer =
      parent && parent.box.start === box.start && parent.box.end === box.end ? parent.outer : parent
    this.dropped = (parent?.dropped ?? false) || content.skipped.has(element)
    this.inRoot = (parent?.inRoot ?? false) || element === content.root
    this.hidden = (parent?.hidden ?? false) || isHidden(element)
    this.own = sums.element(element)
    this.sum = (parent?.sum ?? 0) + this.own
    this.least = Math.min(parent?.least ?? 0, this.own)
    this.most = Math.max(parent?.most ?? 0, this.own)
    this.flags = (parent?.flags ?? 0) | (FLAGS[element.tag] ?? 0)
    this.listDepth = (parent?.listDepth ?? 0) + (element.tag === "ul" || element.tag === "ol" ? 1 : 0)
  }
}

const FLAGS: Record<string, number> = {
  nav: 1,
  header: 2,
  footer: 4,
  aside: 8,
  form: 16,
  article: 32,
  main: 64,
  section: 128,
  ul: 256,
  ol: 256,
  table: 512,
  figure: 1024,
  blockquote: 2048,
  dl: 4096,
  a: 8192,
  details: 16384,
}
const FLAG_COUNT = 15

const TAGS = ["p", "li", "div", "td", "tr", "dt", "dd", "a", "pre", "figcaption", "section", "span"]

const SENTENCE_CHARS = 80

/** Sums over the blocks before each, so that any box's are a difference. */
class Sums {
  readonly #sums: Float64Array

  constructor(values: ArrayLike<number>) {
    this.#sums = new Float64Array(values.length + 1)
    for (let i = 0; i < values.length; i++) this.#sums[i + 1] = this.#sums[i]! + values[i]!
  }

  between(start: number, end: number): number {
    return this.#sums[end]! - this.#sums[start]!
  }

  get total(): number {
    return this.#sums.at(-1)!
  }
}

const log = (value: number) => Math.log2(1 + value)
const ratio = (part: number, whole: number) => (whole > 0 ? part / whole : 0)

const OWN = 23
const PAGE = 19
const PLACE = 26
const AROUND = 11
const NEAR = 7
const NEAR_OFFSETS = [-3, -2, -1, 1, 2, 3]
const WINDOW = 5
const REACHES = [5, 15]
const WIDTH =
  OWN + PAGE + PLACE + FLAG_COUNT + BOXES * AROUND + NEAR_OFFSETS.length * NEAR + REACHES.length * WINDOW

// Columns of a block's own measures that are read again.
const CHARS = 0
const LINK_SHARE = 2
const PRICE = 11
const DATED = 12
const HEADING_RANK = 13
const TEXT_SUM = 20
const QUESTION = 21

const HEADING_TAG = /^h[1-6]$/

/** Measures every block of a page. */
export function measureBlocks(
  tree: BlockTree,
  content: MainContent,
  sums: TokenSums,
  context: PageContext,
): FeatureTable {
  const { blocks } = tree
  const n = blocks.length
  const facts = factsOf(tree, content, sums)
  const words = new Float64Array(n)
  const own = measureOwn(blocks, sums, context, words)
  const prose = blocks.map((block) => {
    const plain = block.chars - block.linkChars
    return (plain >= SENTENCE_CHARS && plain > block.linkChars) || block.box.element.tag === "pre" ? plain : 0
  })
  const kept = blocks.map((block, i) => {
    const { dropped, inRoot } = facts[i]!
    return dropped || !inRoot ? 0 : block.chars - block.droppedChars
  })
  const ofChars = new Sums(blocks.map((block) => block.chars))
  const ofLinks = new Sums(blocks.map((block) => block.linkChars))
  const ofProse = new Sums(prose)
  const ofKept = new Sums(kept)
  const column = (at: number, above: number) =>
    new Sums(blocks.map((_, i) => (own[i * OWN + at]! > above ? 1 : 0)))
  const ofHeadings = column(HEADING_RANK, 0)
  const ofText = new Sums(blocks.map((_, i) => own[i * OWN + TEXT_SUM]!))
  const total = ofChars.total
  const firstKept = kept.findIndex((value, i) => value > 0 && prose[i]! > 0)
  const lastKept = kept.findLastIndex((value, i) => value > 0 && prose[i]! > 0)
  const firstHeading = blocks.findIndex((block) => block.box.element.tag === "h1")

  const { signs } = context
  const page = [
    log(total),
    log(n),
    ratio(ofLinks.total, total),
    ratio(ofProse.total, total),
    ratio(ofKept.total, total),
    log(ofKept.total),
    ratio(ofHeadings.total, n),
    signs.isArticle ? 1 : signs.isDiscussion ? 2 : signs.isShop ? 3 : 0,
    ratio(ofText.total, n),
    ratio(
      facts.reduce((sum, { sum: path }) => sum + path, 0),
      n,
    ),
    ratio(column(PRICE, 0).total, n),
    ratio(column(DATED, 0).total, n),
    ratio(column(QUESTION, 0).total, n),
    ratio(facts.filter(({ siblings }) => siblings > 3).length, n),
    log(facts.reduce((most, { siblings }) => Math.max(most, siblings), 0)),
    log(facts.reduce((most, { parent }) => Math.max(most, parent?.siblings ?? 1), 0)),
    context.pathDepth,
    context.pathDigits,
    context.kinds,
  ]

  const values = new Float32Array(n * WIDTH)
  let at = 0
  const put = (value: number) => {
    values[at++] = value
  }
  let heading = -1
  let headingSum = 0
  let higherSum = 0
  for (let i = 0; i < n; i++) {
    const fact = facts[i]!
    const rank = own[i * OWN + HEADING_RANK]!
    if (rank > 0) {
      headingSum = sums.heading(blocks[i]!.text)
      if (rank <= 2) higherSum = headingSum
      heading = i
    }
    for (let k = 0; k < OWN; k++) put(own[i * OWN + k]!)
    for (let k = 0; k < PAGE; k++) put(page[k]!)
    put(i / n)
    put(ratio(ofChars.between(0, i), total))
    put(ratio(ofProse.between(0, i), ofProse.total))
    put(log(n - i))
    put(log(i))
    put(firstKept < 0 ? 0 : i - firstKept)
    put(lastKept < 0 ? 0 : i - lastKept)
    put(firstHeading < 0 ? 500 : i - firstHeading)
    put(fact.dropped ? 1 : 0)
    put(fact.inRoot ? 1 : 0)
    put(fact.hidden ? 1 : 0)
    put(fact.sum)
    put(fact.own)
    put(fact.least)
    put(fact.most)
    put(fact.parent?.own ?? 0)
    put(fact.parent?.parent?.own ?? 0)
    put(fact.box.depth)
    put(fact.listDepth)
    put(fact.siblings)
    put(fact.rank)
    put(fact.parent?.siblings ?? 1)
    put(fact.parent?.parent?.siblings ?? 1)
    put(heading < 0 ? 100 : i - heading)
    put(headingSum)
    put(higherSum)
    for (let bit = 0; bit < FLAG_COUNT; bit++) put((fact.flags >> bit) & 1)
    const around = boxesAround(fact, ofChars, total)
    for (let k = 0; k < BOXES; k++) {
      const outer = around[k]!
      const { start, end } = outer.box
      const held = ofChars.between(start, end)
      put(log(held))
      put(log(end - start))
      put(ratio(ofLinks.between(start, end), held))
      put(ratio(ofProse.between(start, end), held))
      put(ratio(ofKept.between(start, end), held))
      put(ratio(held, total))
      put(ratio(ofText.between(start, end), end - start))
      put(outer.siblings)
      put(outer.own)
      put(ratio(ofHeadings.between(start, end), end - start))
      put(ratio(i - start, end - start))
    }
    for (const offset of NEAR_OFFSETS) {
      const other = facts[i + offset]
      if (!other) {
        for (const value of [-1, -1, -1, 0, -1, 0, -1]) put(value)
        continue
      }
      const from = (i + offset) * OWN
      put(own[from + CHARS]!)
      put(own[from + LINK_SHARE]!)
      put(own[from + HEADING_RANK]!)
      put(own[from + TEXT_SUM]!)
      put(kept[i + offset]! / blocks[i + offset]!.chars)
      put(other.sum - fact.sum)
      put(other.box.element.tag === fact.box.element.tag ? 1 : 0)
    }
    for (const reach of REACHES) {
      const start = Math.max(0, i - reach)
      const end = Math.min(n, i + reach + 1)
      const held = ofChars.between(start, end)
      put(log(held))
      put(ratio(ofLinks.between(start, end), held))
      put(ratio(ofProse.between(start, end), held))
      put(ratio(ofKept.between(start, end), held))
      put(ratio(ofText.between(start, end), end - start))
    }
  }
  return {
    rows: n,
    width: WIDTH,
    values,
    words,
    kept,
  }
}

const PRICED = /[$€£¥]\s?\d|\d\s?(?:€|USD|EUR|GBP|kr)/
const DATE =
  /\b(?:19|20)\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}\b|\bago\b/i

/** What each block's text says by itself: {@link OWN} numbers a block. */
function measureOwn(
  blocks: readonly TextBlock[],
  sums: TokenSums,
  context: PageContext,
  words: Float64Array,
): Float32Array {
  const own = new Float32Array(blocks.length * OWN)
  const times = new Map<string, number>()
  for (const { text } of blocks) times.set(text, (times.get(text) ?? 0) + 1)
  const seen = new Map<string, number>()
  const title = context.title.toLowerCase()
  const description = context.description.toLowerCase()
  blocks.forEach((block, i) => {
    const { text, chars } = block
    const { tag } = block.box.element
    const before = seen.get(text) ?? 0
    seen.set(text, before + 1)
    const lower = chars < 300 ? text.toLowerCase() : ""
    const isTitle = lower.length > 3 && (lower === title || (lower.length > 15 && title.includes(lower)))
    const count = countChars(text)
    words[i] = count.words
    own.set(
      [
        log(chars),
        log(count.words),
        ratio(block.linkChars, chars),
        log(block.links),
        ratio(chars, count.words + 1),
        ratio(count.capitals, count.words),
        ratio(count.digits, chars),
        log(count.stops),
        log(count.commas),
        /[.!?…。"”’)]$/.test(text) ? 1 : 0,
        text.endsWith(":") ? 1 : 0,
        chars < 200 && PRICED.test(text) ? 1 : 0,
        chars < 120 && DATE.test(text) ? 1 : 0,
        HEADING_TAG.test(tag) ? Number(tag[1]) : 0,
        TAGS.indexOf(tag),
        ratio(block.droppedChars, chars),
        before,
        times.get(text)!,
        isTitle ? 1 : 0,
        lower.length > 20 && description.includes(lower.slice(0, 60)) ? 1 : 0,
        sums.text(text),
        text.includes("?") ? 1 : 0,
        count.words > 0 && chars < 100 && text === text.toUpperCase() ? 1 : 0,
      ],
      i * OWN,
    )
  })
  return own
}

function countChars(text: string): {
  words: number
  capitals: number
  digits: number
  stops: number
  commas: number
} {
  let words = 0
  let capitals = 0
  let digits = 0
  let stops = 0
  let commas = 0
  let inWord = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 32) {
      inWord = false
      continue
    }
    if (code >= 48 && code <= 57) digits++
    else if (code === 44 || code === 0x3001) commas++
    else if (code === 46 || code === 33 || code === 63 || code === 0x3002) stops++
    if (!inWord) {
      words++
      inWord = true
      if (code >= 65 && code <= 90) capitals++
    }
  }
  return { words, capitals, digits, stops, commas }
}

/** The facts of each block's box, in the order of the blocks. */
function factsOf(tree: BlockTree, content: MainContent, sums: TokenSums): BoxFacts[] {
  const facts: BoxFacts[] = Array.from({ length: tree.blocks.length })
  const visit = (box: Box, parent: BoxFacts | null): BoxFacts => {
    const fact = new BoxFacts(box, parent, content, sums)
    if (box.ownText) facts[box.start] = fact
    const kinds = new Map<string, BoxFacts[]>()
    for (const child of box.children) {
      if (child.start === child.end) continue
      const kind = `${child.element.tag} ${(child.element.get("class") ?? "").split(" ", 1)[0]}`
      const below = visit(child, fact)
      const group = kinds.get(kind)
      if (group) group.push(below)
      else kinds.set(kind, [below])
    }
    for (const group of kinds.values())
      for (let i = 0; i < group.length; i++) {
        group[i]!.siblings = group.length
        group[i]!.rank = i
      }
    return fact
  }
  visit(tree.root, null)
  return facts
}

function boxesAround(fact: BoxFacts, ofChars: Sums, total: number): BoxFacts[] {
  const first = fact.outer ?? fact
  const second = first.outer ?? first
  const third = second.outer ?? second
  const holding = (chars: number) => {
    let outer = fact
    while (outer.outer && ofChars.between(outer.box.start, outer.box.end) < chars) outer = outer.outer
    return outer
  }
  return [fact, first, second, third, holding(Math.max(500, total * 0.04)), holding(total * 0.25)]
}
