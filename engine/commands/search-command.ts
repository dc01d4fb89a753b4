import { parseArgs } from "node:util"
import { engineSettings } from "../config.ts"
import type { Hit } from "../engine.ts"
import { endWithReader } from "#base/process/lost-reader.ts"
import { openEngine } from "../open-engine.ts"
import { environment, readSettings, SettingsError } from "#base/settings.ts"

const USAGE = `Usage: npm run search -- "question" [--limit N] [--json]

  --limit N  how many pages to show, 1 to 100 (default 5)
  --json     one JSON object, for scripts`

const WIDTH = 80

endWithReader()
try {
  process.exitCode = await main()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = error instanceof SettingsError ? 2 : 1
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      limit: { type: "string", default: "5" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  })
  const text = positionals.join(" ").trim()
  const limit = Number(values.limit)
  if (values.help) {
    console.log(USAGE)
    return 0
  }
  if (text === "") {
    console.error(`A question is missing.\n\n${USAGE}`)
    return 2
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    console.error(`--limit must be a whole number from 1 to 100.\n\n${USAGE}`)
    return 2
  }
  const settings = readSettings(engineSettings, environment())
  await using engine = await openEngine(settings, { mode: "read" })
  const started = performance.now()
  const { hits } = await engine.search({ text, limit })
  const took = Math.round(performance.now() - started)
  if (values.json) {
    console.log(JSON.stringify({ query: text, hits: hits.map(summary) }, null, 2))
    return 0
  }
  if (hits.length > 0) {
    console.log(hits.map(shown).join("\n\n"))
    console.log(`\n${hits.length} ${hits.length === 1 ? "page" : "pages"} in ${took} ms`)
  } else if ((await engine.stats()).pages === 0) {
    console.log("The index is empty. Crawl a site first:\n\n  npm run crawl -- https://example.com")
  } else {
    console.log(`Nothing found for "${text}".`)
  }
  return 0
}

function summary({ url, title, score, passages, parts }: Hit) {
  return { url, title, score, passages, parts }
}

function shown({ url, title, score, passages }: Hit, i: number): string {
  const number = `${i + 1}. `
  const mark = score.toFixed(2)
  const room = WIDTH - number.length - mark.length - 2
  const lines = [`${number}${clip(title || url, room).padEnd(room)}  ${mark}`, `   ${url}`]
  const [best] = passages
  if (best) {
    if (best.headings.length > 0) lines.push(`   ${clip(best.headings.join(" > "), WIDTH - 3)}`)
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
