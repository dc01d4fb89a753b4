import type { MainContent, PageBody } from "./main-content.ts"
import { type BlockTree, type Box, isBox, isUndivided } from "./text-blocks.ts"
import { type Element, firstElement, walk } from "./tree.ts"

/** The main content that the chosen blocks make: where they all stand, and what is left out among them. */
export function contentOf(
  tree: BlockTree,
  chosen: Uint8Array,
  rules: MainContent,
  { unread }: PageBody,
): MainContent {
  const before = new Int32Array(chosen.length + 1)
  for (let i = 0; i < chosen.length; i++) before[i + 1] = before[i]! + chosen[i]!
  const count = (box: Box) => before[box.end]! - before[box.start]!
  const skipped = new Set(unread)
  const silent = new Set<Element>()

  const visit = (box: Box, inRoot: boolean): void => {
    if (box.ownText) {
      const block = tree.blocks[box.start]!
      if (!chosen[box.start]) silent.add(box.element)
      else if (block.droppedChars > 0 && block.droppedChars < block.chars)
        keepDropped(box.element, rules.skipped, skipped)
    }
    for (const child of box.children) {
      const below = inRoot || child.element === rules.root
      const isKept = count(child) > 0 || (below && !rules.skipped.has(child.element) && isPicture(child))
      if (!isKept) skipped.add(child.element)
      else visit(child, below)
    }
  }
  visit(tree.root, tree.root.element === rules.root)

  let root = tree.root
  for (;;) {
    const all = count(root)
    const next: Box | undefined = root.children.find((child) => count(child) === all)
    if (!next || WHOLE.has(next.element.tag)) break
    root = next
  }
  return { root: root.element, skipped, silent }
}

// A picture stays though its caption goes.
const MAX_CAPTIONS = 2

function isPicture(box: Box): boolean {
  const texts = box.end - box.start
  if (texts === 0) return true
  return (
    texts <= MAX_CAPTIONS &&
    !isUndivided(box.element) &&
    firstElement(box.element, ({ tag }) => tag === "img") !== null
  )
}

/** Not to be taken apart: their markdown needs them. */
const WHOLE = new Set(
  "p ul ol dl table tr td th li dt dd pre blockquote h1 h2 h3 h4 h5 h6 a tbody thead tfoot".split(" "),
)

/** Inline elements that the rules left out of a text stay out of it. */
function keepDropped(element: Element, dropped: ReadonlySet<Element>, skipped: Set<Element>): void {
  const whole = isUndivided(element)
  walk(element, (node) => {
    if (node === element) return undefined
    if (!whole && isBox(node)) return false
    if (!dropped.has(node)) return undefined
    skipped.add(node)
    return false
  })
}
