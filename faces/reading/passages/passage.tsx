import { MarkedText } from "../marked-text.tsx"
import { type PassageBlock, passageBlocks } from "./passage-blocks.ts"

/** A passage with its code and its tables as such, and the wanted words in gold. */
export const Passage = ({
  text,
  wanted,
}: {
  readonly text: string
  readonly wanted: ReadonlySet<string>
}) => (
  <div class="passage-text">
    {passageBlocks(text).map((block, index) => (
      <Shown key={index} block={block} wanted={wanted} />
    ))}
  </div>
)

function Shown({ block, wanted }: { readonly block: PassageBlock; readonly wanted: ReadonlySet<string> }) {
  const marked = (text: string) => <MarkedText text={text} wanted={wanted} />
  if (block.kind === "words") return <p>{marked(block.text)}</p>
  if (block.kind === "code") {
    return (
      <pre>
        <code>{marked(block.text)}</code>
      </pre>
    )
  }
  const { names, rows } = block
  return (
    // No region: a page of results would have dozens of them, all called the same.
    <div class="table-box" role="group" aria-label="Table" tabIndex={0}>
      <table class="table">
        {names.length > 0 && (
          <thead>
            <tr>
              {names.map((name, index) => (
                <th key={index} scope="col">
                  {marked(name)}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((cells, index) => (
            <tr key={index}>
              {cells.map((cell, column) => (
                <td key={column}>{marked(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
