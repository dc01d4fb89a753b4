// How well questions are answered from the pages' own sentences: node bench/quality/answers.ts [--verbose]
//
// The pages are those of `testing/pages` and the project's handbook. An answer is right when it holds the expected
// fact; a question that no page answers is right when it is refused.
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { extractHtml } from "#crawler/page/extract/extract.ts"
import { type Page, type PageUrl, toPageUrl } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { shippedModel, TransformersEmbedder } from "#engine/embedders/transformers-embedder.ts"
import { readDocs } from "../../api/handbook/read-docs.ts"
import { answerQuestion, holdsFact, type Judged } from "./answer-quality.ts"
import {
  HANDBOOK_QUESTIONS,
  MANUAL_QUESTIONS,
  NEAR_QUESTIONS,
  UNRELATED_QUESTIONS,
} from "./answer-questions.ts"
import { htmlPages } from "../corpora/documentation-site.ts"
import { median, table } from "../measure.ts"
import { mean } from "./metrics.ts"

const { values: options } = parseArgs({ options: { verbose: { type: "boolean", default: false } } })
const FOLDER = join(import.meta.dirname, "../testing/pages")
const ANSWERED = { manuals: MANUAL_QUESTIONS, handbook: HANDBOOK_QUESTIONS }
const UNANSWERED = { unrelated: UNRELATED_QUESTIONS, "near miss": NEAR_QUESTIONS }

const dir = await mkdtemp(join(tmpdir(), "fossick-answers-"))
try {
  await using embedder = await TransformersEmbedder.open({ model: shippedModel, threads: 2 })
  await using engine = await EmbeddedEngine.open({ dir, embedder, mode: "write" })
  await engine.index([...(await manualPages()), ...(await handbookPages())])
  await engine.settled()
  const rows: (string | number)[][] = [
    ["judged by", "length", "questions", "right", "of", "CPU ms", "invented"],
  ]
  for (const [way, judge] of [
    ["words and meaning", embedder],
    ["words", undefined],
  ] as const) {
    for (const length of ["short", "long"] as const) {
      for (const [name, questions] of Object.entries(ANSWERED)) {
        const judged = []
        for (const one of questions) {
          const answer = await answerQuestion(engine, judge, one.text, length)
          judged.push({ answer, right: holdsFact(answer, one) })
          if (options.verbose && !judged.at(-1)!.right) show(answer, one.facts.join(" / "))
        }
        rows.push(row(way, length, name, judged))
      }
      for (const [name, questions] of Object.entries(UNANSWERED)) {
        const judged = []
        for (const text of questions) {
          const answer = await answerQuestion(engine, judge, text, length)
          judged.push({ answer, right: answer.statements.length === 0 })
          if (options.verbose && !judged.at(-1)!.right) show(answer, "no answer")
        }
        rows.push(row(way, length, `${name}, refused`, judged))
      }
    }
  }
  console.log(table(rows))
} finally {
  await rm(dir, { recursive: true })
}

function row(
  way: string,
  length: string,
  name: string,
  judged: readonly { answer: Judged; right: boolean }[],
) {
  const right = judged.filter((one) => one.right).length
  const cpu = median(judged.map(({ answer }) => answer.cpuSeconds)) * 1000
  const share = mean(judged.map((one) => Number(one.right))).toFixed(2)
  const invented = judged.flatMap(({ answer }) => answer.invented).length
  return [way, length, name, `${right} (${share})`, judged.length, cpu.toFixed(0), invented]
}

function show({ question, statements, invented }: Judged, wanted: string): void {
  console.log(`\n${question}\n  wanted: ${wanted}`)
  for (const { text, source } of statements) console.log(`  [${source + 1}] ${text}`)
  for (const text of invented) console.log(`  INVENTED ${text}`)
}

async function manualPages(): Promise<Page[]> {
  const paths = await htmlPages(FOLDER)
  return Promise.all(
    paths.map(async (path) =>
      toPage(path, "http://manuals.example/", await readFile(join(FOLDER, path), "utf8")),
    ),
  )
}

async function handbookPages(): Promise<Page[]> {
  const { pages } = await readDocs(join(import.meta.dirname, "../../docs"))
  return [...pages.values()].map(({ name, title, html }) =>
    toPage(name, "http://handbook.example/docs/", `<title>${title}</title><body><main>${html}</main></body>`),
  )
}

function toPage(path: string, site: string, html: string): Page {
  const url = toPageUrl(path, site) as PageUrl
  const {
    canonical: _canonical,
    robots: _robots,
    links: _links,
    feeds: _feeds,
    ...read
  } = extractHtml(html, url)
  return { ...read, url, source: site, fetchedAt: new Date() }
}
