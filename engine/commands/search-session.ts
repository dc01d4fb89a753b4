import { ArgumentsError } from "#base/command-arguments.ts"
import { engineSettings } from "../settings.ts"
import type { Engine, Hit, PageFilter } from "../engine.ts"
import { sourcesOf } from "../index/page/page.ts"
import { EXIT } from "#base/exit-codes.ts"
import { openEngine } from "../open-engine.ts"
import { pageInWords } from "../index/page/page-type.ts"
import { routeOf } from "../index/page/page-url.ts"
import { environment, readSettings } from "#base/settings.ts"

const WIDTH = 80

interface SearchArguments {
  readonly text: string
  /** Number of pages to print. */
  readonly limit: number
  readonly json: boolean
  /** Default: all pages. */
  readonly filter?: PageFilter
  /** Wraps the engine to be searched; if omitted, the engine itself is searched. */
  readonly through?: (engine: Engine) => Engine
}

/** Runs `fossick search`. @returns the exit code. @throws SettingsError, EngineError */
export async function search({
  text,
  limit,
  json,
  filter = {},
  through = (one) => one,
}: SearchArguments): Promise<number> {
  if (text === "") throw new ArgumentsError("The question is empty")
  const settings = readSettings(engineSettings, environment())
  await using engine = await openEngine(settings, { mode: "read" })
  const started = performance.now()
  const { hits, wordsAlone, notReranked } = await through(engine).search({ text, limit, filter })
  const took = Math.round(performance.now() - started)
  if (json) {
    const leftOut = { ...(wordsAlone && { wordsAlone }), ...(notReranked && { notReranked }) }
    console.log(JSON.stringify({ query: text, hits: hits.map(summary), ...leftOut }, null, 2))
    return EXIT.ok
  }
  if (wordsAlone) process.stderr.write(`Found by words alone: ${wordsAlone}\n`)
  if (notReranked) process.stderr.write(`Ranked without the reranker: ${notReranked}\n`)
  if (hits.length > 0) {
    console.log(hits.map(shown).join("\n\n"))
    console.log(`\n${hits.length} ${hits.length === 1 ? "page" : "pages"} in ${took} ms`)
  } else if ((await engine.stats()).pages === 0) {
    console.log("The index is empty. Crawl a site first:\n\n  fossick crawl https://example.com")
  } else {
    console.log(`Nothing found for "${text}".`)
  }
  return EXIT.ok
}

function summary(hit: Hit) {
  const { url, title, score, type, language, passages, parts } = hit
  return { url, title, score, sources: sourcesOf(hit), type, language, passages, parts }
}

function shown({ url, title, score, type, passages }: Hit, i: number): string {
  const number = `${i + 1}. `
  const mark = score.toFixed(2)
  const room = WIDTH - number.length - mark.length - 2
  const [best] = passages
  const address = best?.anchor === undefined || routeOf(url) !== "" ? url : `${url}#${best.anchor}`
  const lines = [`${number}${clip(title || url, room).padEnd(room)}  ${mark}`, `   ${address}`]
  if (best) {
    const place = [...best.headings, ...(best.page === undefined ? [] : [pageInWords(best.page, type)])]
    if (place.length > 0) lines.push(`   ${clip(place.join(" > "), WIDTH - 3)}`)
    lines.push(...wrapped(best.text, WIDTH - 5).map((line) => `     ${line}`))
  }
  return lines.join("\n")
}

function clip(text: string, room: number): string {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length <= room ? line : `${line.slice(0, room - 1)}…`
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ""
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else {
      line = line === "" ? word : `${line} ${word}`
    }
  }
  return line === "" ? lines : [...lines, line]
}
