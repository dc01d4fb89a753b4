import { MarkedText } from "../marked-text.tsx"
import { extractOf, type PassageBlock, passageBlocks } from "./passage-blocks.ts"
import { TextTable } from "./text-table.tsx"

interface Shown {
  /** Words of the question, shown in gold. */
  readonly wanted: ReadonlySet<string>
  /** Maximum number of lines of code, table rows or list items to show; all if omitted. */
  readonly most?: number
}

/** A passage, with its code, tables and lists as elements. */
export const Passage = ({ text, ...shown }: Shown & { readonly text: string }) => (
  <div class="passage-text">
    {passageBlocks(text).map((block, index) => (
      <BlockOf key={index} block={block} {...shown} />
    ))}
  </div>
)

const LEFT_OUT = "…"

function BlockOf({
  block,
  wanted,
  most = Number.POSITIVE_INFINITY,
}: Shown & { readonly block: PassageBlock }) {
  const marked = (text: string) => <MarkedText text={text} wanted={wanted} />
  if (block.kind === "words") return <p>{marked(block.text)}</p>
  if (block.kind === "list") {
    const { shown, isCutBefore, isCutAfter } = extractOf(block.items, most, wanted, (item) => item)
    return (
      <ul>
        {isCutBefore && <li>{LEFT_OUT}</li>}
        {shown.map((item, index) => (
          <li key={index}>{marked(item)}</li>
        ))}
        {isCutAfter && <li>{LEFT_OUT}</li>}
      </ul>
    )
  }
  if (block.kind === "code") {
    const { shown, isCutBefore, isCutAfter } = extractOf(block.text.split("\n"), most, wanted, (line) => line)
    const lines = [...(isCutBefore ? [LEFT_OUT] : []), ...shown, ...(isCutAfter ? [LEFT_OUT] : [])]
    return (
      <pre>
        <code>{marked(lines.join("\n"))}</code>
      </pre>
    )
  }
  const { shown, isCutBefore, isCutAfter } = extractOf(block.rows, most, wanted, (cells) => cells.join(" "))
  const rows = shown.map((cells) => cells.map(marked))
  const leftOut = [[LEFT_OUT]]
  return (
    <TextTable
      names={block.names.map(marked)}
      rows={[...(isCutBefore ? leftOut : []), ...rows, ...(isCutAfter ? leftOut : [])]}
    />
  )
}
