import { createInterface } from "node:readline/promises"
import { existsSync } from "node:fs"
import type { PageUrl } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { EXIT } from "#base/exit-codes.ts"
import { environment, readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { NetworkChangedError } from "../../fetch/guard/blocked-address.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { crawlerSettings } from "../../settings.ts"
import { sourcesFile } from "../../sources/file/find-file.ts"
import { SourceTable } from "../../sources/source-table.ts"
import { readSourcesFile, SourcesFileError } from "../../sources/file/sources-file.ts"
import { isUntrusted } from "../../sources/survey/obstacles.ts"
import { surveyOnWire } from "../../sources/survey/survey-wire.ts"
import { type Survey, surveySite } from "../../sources/survey/survey.ts"
import { proposalNote } from "../../sources/survey/proposal-note.ts"
import { sourceYaml } from "../../sources/file/source-yaml.ts"
import { appendSource } from "./append-source.ts"
import { proposalText } from "./proposal-text.ts"

const STANDARD_FILE = "sources.yaml"

export interface AddArguments {
  readonly url: PageUrl
  /** Whether the scheme was left out, so that http may be meant where nothing answers at https. */
  readonly mayBeHttp: boolean
  /** Writes without asking. */
  readonly write: boolean
  readonly ignoresRobots: boolean
  readonly json: boolean
}

/** One `fossick sources add`. @returns the exit code. @throws ArgumentsError, SettingsError */
export async function addSource(args: AddArguments): Promise<number> {
  const { json, write } = args
  const config = readSettings({ ...engineSettings, ...crawlerSettings }, environment())
  const file = sourcesFile(config.sourcesFile) ?? STANDARD_FILE
  const stop = new AbortController()
  const interrupt = () => {
    stop.abort()
  }
  process.on("SIGINT", interrupt)
  const db = await openStateStore(config.dataDir)
  try {
    const sources = new SourceTable(db, new Jobs(db))
    const taken = new Set([
      ...(await sources.list()).map(({ source }) => source.name),
      ...(existsSync(file) ? readSourcesFile(file).sources.map(({ name }) => name) : []),
    ])
    const look = (url: PageUrl) =>
      surveySite(url, {
        db,
        config,
        trusted: true,
        ignoresRobots: args.ignoresRobots,
        taken,
        signal: stop.signal,
      })
    if (!json && process.stdout.isTTY) process.stderr.write(`Looking at ${args.url} …\n`)
    let survey = await look(args.url)
    if (args.mayBeHttp && speaksNoTls(survey))
      survey = await look(args.url.replace(/^https:/, "http:") as PageUrl)
    if (stop.signal.aborted) return EXIT.interrupted
    const note = proposalNote(survey)
    if (json) say(JSON.stringify(surveyOnWire(survey), null, 2))
    else {
      const yaml = isWorthwhile(survey) ? `\n${sourceYaml(survey.source, note)}` : ""
      say(`${proposalText(survey)}${yaml}`.trimEnd())
    }
    const isWritten = isWorthwhile(survey) && (write || (!json && (await isWanted(file))))
    if (isWritten) {
      appendSource(file, survey.source, note)
      if (!json) say(`\n${survey.source.name} is in ${file}. Next: fossick sources apply`)
    }
    return isWorthwhile(survey) ? EXIT.ok : EXIT.failed
  } catch (error) {
    const isPlain = error instanceof SourcesFileError || error instanceof NetworkChangedError
    if (!isPlain) throw error
    process.stderr.write(`${error.message}\n`)
    return error instanceof SourcesFileError ? EXIT.usage : EXIT.failed
  } finally {
    process.off("SIGINT", interrupt)
    db.close()
  }
}

/** Whether nobody listens at https, or somebody who does not speak it: a certificate that is not trusted is another thing. */
const speaksNoTls = ({ outcome, detail }: Survey): boolean =>
  outcome === "failed:refused" || (outcome === "failed:tls" && !isUntrusted(detail ?? ""))

/** Whether a run would find something, at least after a login. */
const isWorthwhile = ({ url, source }: Survey): boolean => url !== null || source.login !== undefined

/** Asks on a terminal; elsewhere nobody could answer. */
async function isWanted(file: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false
  const question = createInterface({ input: process.stdin, output: process.stdout, terminal: false })
  try {
    return /^y(?:es)?$/i.test((await question.question(`\nAdd it to ${file}? [y/N] `)).trim())
  } finally {
    question.close()
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
