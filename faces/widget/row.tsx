import { Icon } from "../design/icons.tsx"
import { bestPassages } from "../reading/passages/best-passages.ts"
import { MarkedText } from "../reading/marked-text.tsx"
import { extractOf, type PassageBlock, passageBlocks } from "../reading/passages/passage-blocks.ts"
import { placeOf } from "../reading/passages/place-in-page.ts"
import { readableStep } from "../reading/safe-link.ts"
import { leadTo } from "./links.ts"
import type { Row } from "./rows.ts"

/** One row of the list: an option that is also a link, so that it can be opened in another tab. */
export function RowOption({
  row,
  id,
  isActive,
  wanted,
  leadsHere,
  onPoint,
  onChoose,
}: {
  readonly row: Row
  readonly id: string
  readonly isActive: boolean
  readonly wanted: ReadonlySet<string>
  readonly leadsHere: boolean
  readonly onPoint: () => void
  readonly onChoose: (event: MouseEvent) => void
}) {
  const option = {
    id,
    role: "option",
    "aria-selected": isActive,
    class: `row ${row.kind}`,
    onMouseMove: onPoint,
    // Keeps the focus in the box.
    onMouseDown: (event: MouseEvent) => event.preventDefault(),
    onClick: onChoose,
  } as const
  if (row.kind === "answer") {
    return (
      <div {...option}>
        <Icon name="info" />
        <span class="text">
          <span class="title">
            Answer “<b>{row.question}</b>”
          </span>
        </span>
      </div>
    )
  }
  if (row.kind === "weak") {
    return (
      <div {...option}>
        <Icon name="down" />
        <span class="text">
          <span class="title">
            {row.count === 1 ? "Show 1 weak match" : `Show ${row.count} weak matches`}
          </span>
        </span>
      </div>
    )
  }
  const { url, title, way, passage } = partsOf(row, wanted)
  const to = leadTo(url, leadsHere)
  return (
    <a {...option} tabIndex={-1} {...(to !== null && { href: to })} referrerpolicy="no-referrer">
      <Icon name={row.kind === "name" && row.suggestion.kind === "heading" ? "link" : "page"} />
      <span class="text">
        <span class="title">
          <MarkedText text={title} wanted={wanted} />
        </span>
        {way !== "" && <span class="way">{way}</span>}
        {passage !== "" && (
          <span class="passage">
            {passageBlocks(passage).map((block, index) => (
              <span key={index} class={block.kind}>
                <MarkedText text={inLines(block, wanted)} wanted={wanted} />
              </span>
            ))}
          </span>
        )}
      </span>
    </a>
  )
}

/** The {@link LINES} lines of a block with the most words of the question; a table row is one line. */
function inLines(block: PassageBlock, wanted: ReadonlySet<string>): string {
  if (block.kind === "words") return block.text
  const lines =
    block.kind === "code"
      ? block.text.split("\n")
      : block.kind === "list"
        ? block.items
        : block.rows.map((cells) => cells.filter((cell) => cell !== "").join(" · "))
  return extractOf(lines, LINES, wanted, (line) => line).shown.join("\n")
}

/** Number of a passage's lines that the style sheet shows. */
const LINES = 2

/** The text of a row that links to a page. */
function partsOf(row: Exclude<Row, { kind: "answer" | "weak" }>, wanted: ReadonlySet<string>) {
  if (row.kind === "name") {
    const { url, text } = row.suggestion
    return { url, title: text, way: wayTo(url), passage: "" }
  }
  const { url, title, section, content } = row.result
  const [best] = bestPassages(content, wanted, 1)
  const place = placeOf(row.result, best?.at ?? 0)
  return {
    url: place?.to ?? section?.url ?? url,
    title: title || url,
    way: [wayTo(url), place?.text ?? ""].filter((one) => one !== "").join(" › "),
    passage: best?.text ?? "",
  }
}

/** The folders of a page, in readable form. */
function wayTo(url: string): string {
  const steps = (URL.parse(url)?.pathname ?? "").split("/").slice(1, -1)
  return steps
    .filter((step) => step !== "")
    .map(readableStep)
    .join(" › ")
}
