import type { ComponentChildren, VNode } from "preact"

import { TextTable } from "../passages/text-table.tsx"
import { type AnswerBlock, answerBlocks, type Item, listsOf, type Unit } from "./answer-blocks.ts"

/** Elements that the page around an answer adds to it. */
interface Shown {
  /** The link or button to a source of a unit, or null. */
  readonly cite: (number: number, unit: Unit) => VNode | null
  /** An element shown beside code, such as a button that copies it. */
  readonly besideCode?: (code: string) => VNode
}

/** An answer as elements: code as code, tables as tables, steps as ordered lists, each followed by its sources. Everything is shown as text. */
export function AnswerText({
  answer,
  isWhole,
  ...shown
}: Shown & {
  readonly answer: string
  /** Whether the answer is complete. */
  readonly isWhole: boolean
}) {
  return (
    <div class="answer-blocks">
      {answerBlocks(answer, isWhole).map((block, index) => (
        <BlockOf key={index} block={block} {...shown} />
      ))}
    </div>
  )
}

function BlockOf({ block, cite, besideCode }: Shown & { readonly block: AnswerBlock }) {
  if (block.kind === "words") {
    return (
      <p>
        {block.parts.map(({ text, unit, isLast }, index) => (
          <span key={index}>
            <Ending text={text}>{isLast && sourcesOf(unit, cite)}</Ending>{" "}
          </span>
        ))}
      </p>
    )
  }
  const sources = block.isLast ? sourcesOf(block.unit, cite) : []
  if (block.kind === "list") {
    const lists = listsOf(block.items)
    return (
      <>
        {lists.map((items, index) => (
          <List key={index} items={items} after={index === lists.length - 1 && sources} />
        ))}
      </>
    )
  }
  return (
    <>
      {block.kind === "table" ? (
        <TextTable names={block.names} rows={block.rows} />
      ) : (
        <div class="code-box">
          <pre tabIndex={0} role="group" aria-label="Code">
            <code>{block.text}</code>
          </pre>
          {besideCode?.(block.text)}
        </div>
      )}
      {sources.length > 0 && <p class="sources-behind">{sources}</p>}
    </>
  )
}

const sourcesOf = ({ cites, ...unit }: Unit, cite: Shown["cite"]): VNode[] =>
  cites.flatMap((number) => cite(number, { ...unit, cites }) ?? [])

/** Keeps the source number with the last word, so that no line begins with a source number. A word longer than a line may break. */
const LAST_WORD = /\S{1,24}$/

function Ending({ text, children }: { readonly text: string; readonly children: ComponentChildren }) {
  const last = LAST_WORD.exec(text)?.[0] ?? ""
  return (
    <>
      {text.slice(0, text.length - last.length)}
      <span class="together">
        {last}
        {children}
      </span>
    </>
  )
}

function List({ items, after }: { readonly items: readonly Item[]; readonly after?: ComponentChildren }) {
  const children = items.map(({ text, items: below }, index) => {
    const ending = index === items.length - 1 && after
    return (
      <li key={index}>
        <Ending text={text}>{below.length === 0 && ending}</Ending>
        {below.length > 0 && <List items={below} after={ending} />}
      </li>
    )
  })
  const start = items[0]?.number ?? null
  // There may be code between two steps, so a list keeps the number that it starts with.
  return start === null ? <ul>{children}</ul> : <ol start={start}>{children}</ol>
}
