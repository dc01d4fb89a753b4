import type { Engine, PageUrl } from "#engine"
import { EMPTY_CELLS, MISSING, NOTHING_FOUND } from "../../api/services/research/report/report.ts"
import { linesStandIn } from "./judged/ask.ts"
import { type CitedPiece, citedPieces } from "./judged/cited-pieces.ts"

/** How well a report's numbered citations support its text. */
export interface ReportQuality {
  /** Number of units that have a citation. */
  readonly cited: number
  /** Number of citations whose lines, including the text printed before them, appear word for word on the page they cite first. */
  readonly supported: number
  /** Texts that no page supports, and texts without any citation. */
  readonly unsupported: readonly string[]
  /** Share of the expected pages that the report cites, 0..1. */
  readonly coverage: number
}

export interface Judgeable {
  readonly content: string
  readonly sources: readonly { readonly url: string }[]
}

/** @param expected addresses of the pages that a good report should cite */
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
    if (!texts.has(url)) texts.set(url, (await engine.get(url as PageUrl))?.markdown ?? "")
    if (!linesStandIn(text, texts.get(url)!)) unsupported.push(text)
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

/**
 * The text before each citation, without headings, the report's remarks about itself, and the list of sources; text after the last
 * citation has no numbers.
 */
export function citedTexts(content: string): CitedPiece[] {
  const body = withoutTables(content.split(/^## Sources$/m)[0]!.split(SAYS_MISSING)[0]!)
    .replaceAll(/^.*$/gm, (line) => (line.startsWith(NOTHING_FOUND) ? "" : line))
    // In code, a line that begins like a heading is a comment.
    .replaceAll(/^(`{3,}).*\n[\s\S]*?\n\1$|^#{1,2} .*$/gm, (part, fence?: string) => (fence ? part : ""))
  return citedPieces(body)
}

const EMPTY_CELL = new RegExp(String.raw`(?:^|(?<= ))(?:${Object.values(EMPTY_CELLS).join("|")})(?= |$)`, "g")

/** The cells of the report's own table one after the other, without the names of its columns and rows. */
const withoutTables = (content: string): string =>
  content.replaceAll(/^\|  ?\|.*\n\| --- .*\n((?:\|.*\n?)+)/gm, (_, rows: string) =>
    rows
      .split("\n")
      .map((row) => row.split(" | ").slice(1).join(" ").replace(/ \|$/, "").replaceAll(EMPTY_CELL, ""))
      .join("\n"),
  )
