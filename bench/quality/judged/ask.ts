import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { toPlainText } from "#crawler/page/extract/markdown/plain-text.ts"
import type { Embedder, Engine, Page, PageUrl } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { openUnitReader } from "#engine/models/rerankers/unit-reader.ts"
import { type ChatSettings, openChatModel } from "../../../api/services/chat-models/chat-server.ts"
import { serveApp } from "../../../api/testing/serve-app.ts"
import { citedPieces } from "./cited-pieces.ts"
import type { Said } from "./marks.ts"

const PATIENCE_MS = 60_000
/** Number of pages passed to the engine at once. */
const BATCH = 64

export interface Indexed {
  readonly engine: Engine
  readonly embedder: Embedder
}

/**
 * Indexes pages in a temporary folder.
 *
 * @param vectors whether pages have vectors; without them, pages are found only by words
 */
export async function withIndex(
  pages: AsyncIterable<Page>,
  { embedder, vectors }: { readonly embedder: Embedder; readonly vectors: boolean },
  use: (indexed: Indexed) => Promise<void>,
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "fossick-judged-"))
  try {
    const embedding = vectors ? "on" : "off"
    await using engine = await EmbeddedEngine.open({ dir, embedder, mode: "write", embedding })
    let batch: Page[] = []
    for await (const page of pages) {
      if (batch.push(page) < BATCH) continue
      await engine.index(batch)
      batch = []
    }
    await engine.index(batch)
    if (vectors) await engine.settled()
    await use({ engine, embedder })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** An answer, and how long it took. */
export interface Answer extends Said {
  readonly seconds: number
}

export interface AnswerOptions {
  /** Whether a model reads the statements. */
  readonly reranks?: boolean
  /** A language model that writes the answers; without one, answers are made from the pages' sentences. */
  readonly llm?: ChatSettings | null
}

/** Asks as a client would: `POST /search` with `include_answer`, over a socket, with defaults for everything else. */
export async function withAnswers(
  { engine, embedder }: Indexed,
  use: (ask: (question: string, length: "basic" | "advanced") => Promise<Answer>) => Promise<void>,
  { reranks = true, llm = null }: AnswerOptions = {},
): Promise<void> {
  // An appliance leaves late parts out of an answer. This measures the answer of an idle machine, even on a busy one.
  const patient: Pick<Embedder, "embed"> = {
    embed: (texts, { signal: _signal, ...options } = {}) => embedder.embed(texts, options),
  }
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  AbortSignal.timeout = () => new AbortController().signal
  try {
    await using unitReader = reranks ? await openUnitReader({ timeoutMs: PATIENCE_MS }) : null
    await using chatModel = llm === null ? null : openChatModel(llm)
    await using app = await serveApp({ engine, embedder: patient as Embedder, unitReader, chatModel })
    await use(async (question, length) => {
      const { status, body } = await app.post("/search", { query: question, include_answer: length })
      if (status !== 200) throw new Error(`${question}: ${status} ${JSON.stringify(body)}`)
      const results: readonly { url: string }[] = body.results
      const said = await saidIn(question, body.answer, results, engine)
      return { ...said, seconds: body.response_time }
    })
  } finally {
    AbortSignal.timeout = timeout
  }
}

/** Compares an answer or the body of a report, and its citations, with the pages. */
export async function saidIn(
  question: string,
  text: string,
  sources: readonly { readonly url: string }[],
  engine: Pick<Engine, "get">,
): Promise<Said> {
  const pieces = citedPieces(text).map((piece) => ({
    text: piece.text,
    urls: piece.numbers.flatMap((number) => sources[number - 1]?.url ?? []),
  }))
  const invented: string[] = []
  for (const piece of pieces) {
    const [url] = piece.urls
    if (url !== undefined && !(await standsIn(piece.text, url, engine))) invented.push(piece.text)
  }
  return { question, pieces, invented }
}

async function standsIn(text: string, url: string, engine: Pick<Engine, "get">): Promise<boolean> {
  const page = await engine.get(url as PageUrl)
  return page !== null && linesStandIn(text, page.markdown)
}

/**
 * Whether each line of some text is on a page, ignoring Markdown marks. Units leave out the text between steps, and
 * repeat the names of columns.
 */
export function linesStandIn(text: string, markdown: string): boolean {
  const page = bare(toPlainText(markdown))
  return (
    text
      // The colon between a heading and a list, code or table is added by Fossick.
      .replaceAll(/[:：]\n\n/g, "\n")
      .replaceAll(/^(?:`{3,}\S*|\|[-|]+\|)$/gm, "")
      .split("\n")
      .map((line) => line.replace(/^\s*(?:-|\d+[.)])\s+/, "").replace(/\s*…$/, ""))
      .every((line) => isMadeOf(line, page))
  )
}

/** Maximum length of a term, heading or row of names that is printed before a sentence. */
const MAX_LEAD_CHARS = 260

/** Whether text is on a page, or consists of pieces that are, such as `Term: sentence`, where the colon is from us or from the page. */
function isMadeOf(text: string, page: string): boolean {
  if (page.includes(bare(text))) return true
  return [...text.matchAll(/[:：?!.](?=\s)/g)].some(({ index }) => {
    if (index > MAX_LEAD_CHARS) return false
    const lead = text.slice(0, index)
    return page.includes(bare(lead)) && isMadeOf(text.slice(index + 1).trim(), page)
  })
}

/** Different renderings of Markdown differ in blanks, in the marks between table cells, and in the marks before quoted lines. */
const bare = (text: string): string => text.replaceAll(/[\s|>]+/g, "")
