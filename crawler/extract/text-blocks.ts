import { type Element, collapse, isBlockTag, walk } from "./tree.ts"

/** A stretch of text that is kept or left out as one: the own text of a block, or all of a heading, row or code. */
export interface TextBlock {
  /** The innermost box the text stands in. */
  readonly box: Box
  readonly text: string
  readonly chars: number
  readonly linkChars: number
  readonly links: number
  /** How much of it stands in inline elements that were left out already. */
  readonly droppedChars: number
}

/** An element that is laid out as a block, and which of the page's text blocks stand below it. */
export interface Box {
  readonly element: Element
  readonly parent: Box | null
  readonly depth: number
  /** The text blocks below are `[start, end)`; an own text comes first. */
  readonly start: number
  end: number
  /** Whether its own text is one of them. */
  ownText: boolean
  readonly children: Box[]
}

/** A page as its text blocks in reading order. */
export interface BlockTree {
  readonly root: Box
  readonly blocks: readonly TextBlock[]
}

/** Takes a page apart into text blocks, without what is skipped. */
export function readTextBlocks(
  root: Element,
  skipped: ReadonlySet<Element>,
  dropped: ReadonlySet<Element>,
): BlockTree {
  const blocks: TextBlock[] = []
  const box = readBox(root, null, 0, { skipped, dropped, blocks }, false)
  return { root: box, blocks }
}

interface Reading {
  readonly skipped: ReadonlySet<Element>
  readonly dropped: ReadonlySet<Element>
  readonly blocks: TextBlock[]
}

interface Run {
  text: string
  chars: number
  linkChars: number
  links: number
  droppedChars: number
}

function readBox(
  element: Element,
  parent: Box | null,
  depth: number,
  reading: Reading,
  inLink: boolean,
): Box {
  const { skipped, blocks } = reading
  const start = blocks.length
  const box: Box = { element, parent, depth, start, end: start, ownText: false, children: [] }
  const linked = inLink || element.tag === "a"
  const run: Run = { text: "", chars: 0, linkChars: 0, links: linked ? 1 : 0, droppedChars: 0 }
  if (isUndivided(element)) {
    readRun(element, reading, run, { linked, dropped: false, all: true })
    addBlock(box, run, blocks)
  } else {
    readRun(element, reading, run, { linked, dropped: false, all: false })
    addBlock(box, run, blocks)
    for (const child of element.children) {
      if (typeof child === "string" || skipped.has(child) || !isBox(child)) continue
      box.children.push(readBox(child, box, depth + 1, reading, linked))
    }
  }
  box.end = blocks.length
  return box
}

function addBlock(box: Box, run: Run, blocks: TextBlock[]): void {
  const text = collapse(run.text)
  if (text === "") return
  box.ownText = true
  blocks.push({
    box,
    text,
    chars: text.length,
    linkChars: Math.min(run.linkChars, text.length),
    links: run.links,
    droppedChars: Math.min(run.droppedChars, text.length),
  })
}

export function isBox(element: Element): boolean {
  return isBlockTag(element.tag) || element.containsBlock || element.asBlock
}

/** The own text of an element: what stands in it outside blocks, or with `all` in blocks as well. */
function readRun(
  element: Element,
  reading: Reading,
  run: Run,
  way: { readonly linked: boolean; readonly dropped: boolean; readonly all: boolean },
): void {
  for (const child of element.children) {
    if (typeof child === "string") {
      run.text += child
      if (!way.linked && !way.dropped) continue
      const { length } = collapse(child)
      if (way.linked) run.linkChars += length
      if (way.dropped) run.droppedChars += length
      continue
    }
    if (reading.skipped.has(child)) continue
    const apart = child.tag === "br" || isBox(child)
    if (apart) run.text += " "
    if (child.tag === "br" || (apart && !way.all)) continue
    const isLink = child.tag === "a"
    if (isLink) run.links++
    readRun(child, reading, run, {
      linked: way.linked || isLink,
      dropped: way.dropped || reading.dropped.has(child),
      all: way.all,
    })
    if (apart) run.text += " "
  }
}

const HEADING = /^h[1-6]$/

export function isUndivided(element: Element): boolean {
  if (element.tag === "pre" || HEADING.test(element.tag)) return true
  return element.tag === "tr" && !holdsSections(element)
}

/** A row whose cells hold whole sections only places things. */
function holdsSections(row: Element): boolean {
  let paragraphs = 0
  let found = false
  walk(row, (node) => {
    if (node === row) return undefined
    if (node.tag === "table" || node.tag === "pre" || HEADING.test(node.tag)) found = true
    if (node.tag === "p" || node.tag === "div" || node.tag === "li" || node.tag === "blockquote") paragraphs++
    if (paragraphs > 6) found = true
    return !found
  })
  return found
}
