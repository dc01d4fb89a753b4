import type { Token, Tokens } from "marked"
import type { ComponentChildren, VNode } from "preact"

import { reader } from "./formulas.ts"
import { PageLink } from "./page-link.tsx"
import { TextTable } from "./passages/text-table.tsx"

/** Maximum nesting depth: deeper than people nest, and far below the limit of the stack, since a hostile page may nest deeply. */
const MOST_NESTED = 40

/** The blocks of a text in Markdown: paragraphs, headings, lists, tables, code. */
export const blocksOf = (markdown: string): Token[] =>
  reader.lexer(markdown).filter(({ type }) => type !== "space" && type !== "def")

/** The highest level of headings: below the dialog's own heading. */
const FIRST_LEVEL = 3
const LAST_LEVEL = 6

/**
 * Levels of headings, block by block, each at most one below the one before: pages skip levels, and screen readers rely
 * on them.
 */
export function levelsOf(blocks: readonly Token[]): number[] {
  const above: number[] = []
  return blocks.map((token) => {
    if (token.type !== "heading") return FIRST_LEVEL
    const { depth } = token as Tokens.Heading
    while ((above.at(-1) ?? 0) >= depth) above.pop()
    above.push(depth)
    return Math.min(LAST_LEVEL, FIRST_LEVEL - 1 + above.length)
  })
}

/** The text of a block, without its marks. */
export function textOf(token: Token): string {
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows]
      .flat()
      .map((cell) => textOf(cell as unknown as Token))
      .join(" ")
  }
  if (token.type === "list") return (token as Tokens.List).items.map(textOf).join(" ")
  const inner = (token as Tokens.Generic).tokens
  if (inner !== undefined && inner.length > 0) {
    // Items and quotations contain blocks: the last word of one block must stay separate from the first word of the
    // next.
    return inner.map(textOf).join(token.type === "list_item" || token.type === "blockquote" ? " " : "")
  }
  return "text" in token && typeof token.text === "string" ? token.text : ""
}

/**
 * A block as elements. HTML in the text is shown as text, links lead only to web and mail addresses, and images aren't
 * loaded: that would tell their sites about the reader.
 * @param base address of the page, used to resolve links
 */
export function Block({
  token,
  base,
  level = FIRST_LEVEL,
  depth = 0,
}: {
  readonly token: Token
  readonly base: string
  /** For a heading: see {@link levelsOf}. */
  readonly level?: number | undefined
  readonly depth?: number
}): VNode {
  if (depth > MOST_NESTED) return <p>{token.raw}</p>
  const inner = (tokens: readonly Token[] | undefined): ComponentChildren =>
    tokens?.map((one, index) => <Inline key={index} token={one} base={base} depth={depth + 1} />)
  switch (token.type) {
    case "heading": {
      // A heading within a quotation or a list isn't a heading of the page.
      if (depth > 0) return <p class="heading">{inner(token.tokens)}</p>
      const Heading = `h${level}` as "h3"
      return <Heading>{inner(token.tokens)}</Heading>
    }
    case "code":
      return (
        <pre>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      )
    case "blockquote":
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens, base, depth)}</blockquote>
    case "list": {
      const { ordered, start, items } = token as Tokens.List
      const children = items.map((item, index) => <li key={index}>{blocks(item.tokens, base, depth)}</li>)
      return ordered ? <ol start={Number(start) || 1}>{children}</ol> : <ul>{children}</ul>
    }
    case "table": {
      const { header, rows } = token as Tokens.Table
      const cellsOf = (cells: readonly Tokens.TableCell[]) => cells.map((cell) => inner(cell.tokens))
      const isNamed = header.some(({ text }) => text !== "")
      return <TextTable role="region" names={isNamed ? cellsOf(header) : []} rows={rows.map(cellsOf)} />
    }
    case "hr":
      return <hr />
    case "html":
      return <p>{(token as Tokens.HTML).text}</p>
    case "text":
      return <span>{token.tokens === undefined ? (token as Tokens.Text).text : inner(token.tokens)}</span>
    default:
      return <p>{inner((token as Tokens.Generic).tokens) ?? token.raw}</p>
  }
}

const blocks = (tokens: readonly Token[], base: string, depth: number): ComponentChildren =>
  tokens
    .filter(({ type }) => type !== "space")
    .map((one, index) => <Block key={index} token={one} base={base} depth={depth + 1} />)

function Inline({
  token,
  base,
  depth,
}: {
  readonly token: Token
  readonly base: string
  readonly depth: number
}): VNode {
  const text = (token as Tokens.Text).text ?? token.raw
  const tokens = (token as Tokens.Generic).tokens
  const inner =
    tokens === undefined || depth > MOST_NESTED
      ? text
      : tokens.map((one, index) => <Inline key={index} token={one} base={base} depth={depth + 1} />)
  switch (token.type) {
    case "strong":
      return <strong>{inner}</strong>
    case "em":
      return <em>{inner}</em>
    case "del":
      return <del>{inner}</del>
    case "codespan":
      return <code>{text}</code>
    case "br":
      return <br />
    case "link":
      return (
        <PageLink to={(token as Tokens.Link).href} base={base} isApart>
          {inner}
        </PageLink>
      )
    case "image":
      return text === "" ? <span /> : <span class="picture">{text}</span>
    default:
      return <span>{inner}</span>
  }
}
