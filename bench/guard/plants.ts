import { MB } from "../measure.ts"

/** The place for a line's extra tenth: right after the text `behind` in a file. */
export interface Plant {
  readonly file: string
  readonly behind: string
  /** @param figure a tenth of the line's figure, in the line's unit */
  code(figure: number): string
}

/** Processor time is added up to this amount before it is spent: some kernels count a thread's time in ticks of 4 ms. */
const COUNTABLE_MS = 20

/**
 * Code that keeps its thread busy for `ms` of processor time, however busy the machine is. Amounts too small to count
 * are added up first.
 */
const busy = (ms: number): string =>
  ` { const all = globalThis; all.owed = (all.owed ?? 0) + ${ms}; if (all.owed >= ${COUNTABLE_MS}) {` +
  ` const at = process.threadCpuUsage(); for (let spent = 0; spent < all.owed; ) { const { user, system } = process.threadCpuUsage(at); spent = (user + system) / 1000 } all.owed = 0 } }`

const ASK = {
  file: "api/core/ask/ask.ts",
  behind: "readonly answered: Answered | null }> {",
  code: busy,
}
const START = { file: "api/main.ts", behind: "async function serve(): Promise<void> {" }

/** Keyed by line. */
export const PLANTS: Readonly<Record<string, Plant>> = {
  reading: {
    file: "crawler/page/read-body.ts",
    behind: "async function extracted(task: ReadBodyTask): Promise<Extracted> {",
    code: busy,
  },
  crawl: {
    file: "crawler/crawl/page-writer.ts",
    behind: "take(item: Item): void {",
    code: (ms) => ` if (item.page) ${busy(ms)}`,
  },
  recrawl: {
    file: "crawler/fetch/visit/reader.ts",
    behind: "async visit(url: PageUrl, options: VisitOptions = {}): Promise<Visit> {",
    code: busy,
  },
  vectors: {
    file: "engine/models/embedders/embed-worker.ts",
    behind: "const ids = tokenIds(text)",
    // The text before this code ends without a semicolon.
    code: (ms) => `;${busy(ms)}`,
  },
  question: ASK,
  advanced: ASK,
  answer: ASK,
  start: { ...START, code: busy },
  ready: { ...START, code: busy },
  rest: {
    ...START,
    code: (megabytes) =>
      ` Object.assign(globalThis, { planted: Buffer.alloc(${Math.round(megabytes * MB)}, 1) })`,
  },
}
