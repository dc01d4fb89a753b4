import { toPlainText } from "#crawler/page/extract/markdown/plain-text.ts"
import type { Engine, PageUrl } from "#engine"
import { toPassages } from "#engine/text/passages.ts"
import { MISSING, NOTHING_FOUND } from "../../api/services/research/report/report.ts"
import { bare, isMadeOf } from "./judged/ask.ts"
import { type CitedPiece, citedPieces } from "./judged/cited-pieces.ts"

/** How well a report with numbered citations bears itself out. */
export interface ReportQuality {
  /** Pieces of text with a citation behind them. */
  readonly cited: number
  /** Those that stand word by word in a passage of the page that they cite first, as does what is printed before them. */
  readonly supported: number
  /** Texts that no page bears out, and those without any citation. */
  readonly unsupported: readonly string[]
  /** Part of the expected pages that the report cites, 0..1. */
  readonly coverage: number
}

export interface Judgeable {
  readonly content: string
  readonly sources: readonly { readonly url: string }[]
}

/** @param expected addresses of the pages that a good report rests on */
export async function judgeReport(
  { content, sources }: Judgeable,
  engine: Pick<Engine, "get">,
  expected: readonly string[],
): Promise<ReportQuality> {
  const unsupported: string[] = []
  let cited = 0
  const texts = new Map<string, string>()
  for (const { text, numbers } of citedTexts(content)) {
    if (numbers.length === 0) {
      unsupported.push(text)
      continue
    }
    cited++
    const url = sources[numbers[0]! - 1]?.url ?? ""
    if (!texts.has(url)) texts.set(url, await passagesOf(engine, url))
    if (!isMadeOf(text, texts.get(url)!)) unsupported.push(text)
  }
  const found = expected.filter((url) => sources.some((source) => source.url === url))
  return {
    cited,
    supported: cited - unsupported.length,
    unsupported,
    coverage: found.length / expected.length,
  }
}

const SAYS_MISSING = new RegExp(`^## ${MISSING}$`, "m")

/** The text before each citation, without headings, what the report says of itself, and the list of sources; what follows the last has no numbers. */
export function citedTexts(content: string): CitedPiece[] {
  // In code such a line is a comment.
  const body = withoutTables(content.split(/^## Sources$/m)[0]!.split(SAYS_MISSING)[0]!)
    .replaceAll(/^.*$/gm, (line) => (line.startsWith(NOTHING_FOUND) ? "" : line))
    .replaceAll(/^(`{3,})\n[\s\S]*?\n\1$|^#{1,2} .*$/gm, (part, fence?: string) => (fence ? part : ""))
  const found: CitedPiece[] = []
  for (const { text, numbers } of citedPieces(body)) {
    // Code stands below the sentence that announces it, behind that one's citation.
    const [code, rest] = /^`{3,}\n[\s\S]*?\n`{3,}(?:\n|$)/.test(text) ? splitCode(text) : ["", text]
    if (code !== "" && found.length > 0) found.push({ text: code, numbers: found.at(-1)!.numbers })
    if (rest !== "") found.push({ text: rest, numbers })
  }
  return found
}

/** The cells of the report's own table one after the other, without the names of its columns and rows. */
const withoutTables = (content: string): string =>
  content.replaceAll(/^\|  ?\|.*\n\| --- .*\n((?:\|.*\n?)+)/gm, (_, rows: string) =>
    rows
      .split("\n")
      .map((row) =>
        row
          .split(" | ")
          .slice(1)
          .join(" ")
          .replace(/ \|$/, "")
          .replaceAll(/(?:^|(?<= ))–(?= |$)/g, "")
          .replace(/ \|$/, ""),
      )
      .join("\n"),
  )

function splitCode(text: string): [string, string] {
  const [whole, code] = /^`{3,}\n([\s\S]*?)\n`{3,}(?:\n|$)/.exec(text)!
  return [code!, text.slice(whole.length).trim()]
}

/** All that the index holds of a page and its headings, without what differs from one reading of markdown to another. */
async function passagesOf(engine: Pick<Engine, "get">, url: string): Promise<string> {
  const page = await engine.get(url as PageUrl)
  return page
    ? bare([...toPassages(page.markdown).map(({ text }) => text), toPlainText(page.markdown)].join(" "))
    : ""
}
