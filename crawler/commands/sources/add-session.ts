import { existsSync } from "node:fs"
import type { PageUrl } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { EXIT } from "#base/exit-codes.ts"
import { environment, readSettings } from "#base/settings.ts"
import { onInterrupt } from "#base/process/interrupt.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { NetworkChangedError } from "../../fetch/guard/blocked-address.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { type CrawlerConfig, crawlerSettings } from "../../settings.ts"
import { sourcesFile } from "../../sources/file/find-file.ts"
import { SourceTable } from "../../sources/source-table.ts"
import { readSourcesFile, SourcesFileError } from "../../sources/file/sources-file.ts"
import { isUntrusted } from "../../sources/survey/obstacles.ts"
import { surveyOnWire } from "../../sources/survey/survey-wire.ts"
import { type Survey, surveySite } from "../../sources/survey/survey.ts"
import { proposalNote } from "../../sources/survey/proposal-note.ts"
import { offerSource } from "./offer-source.ts"
import { proposalText } from "./proposal-text.ts"

const STANDARD_FILE = "sources.yaml"

export interface AddArguments {
  readonly url: PageUrl
  /** Whether the scheme was left out, so that http may be meant if nothing answers on https. */
  readonly mayBeHttp: boolean
  /** Whether to write without asking. */
  readonly write: boolean
  readonly ignoresRobots: boolean
  readonly json: boolean
}

/** The parts needed to look at a new source. */
export interface AddParts {
  /** The sources file. */
  readonly file: string
  readonly config: CrawlerConfig
  readonly db: StateStore
  /** Names of the existing sources. */
  readonly taken: ReadonlySet<string>
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

/** Opens the parts needed to look at a new source. @returns the exit code. @throws SettingsError */
export async function withSourcesFile(work: (parts: AddParts) => Promise<number>): Promise<number> {
  const config = readSettings({ ...engineSettings, ...crawlerSettings }, environment())
  const file = sourcesFile(config.sourcesFile) ?? STANDARD_FILE
  const stop = new AbortController()
  using _ = onInterrupt(() => {
    stop.abort()
  })
  const db = await openStateStore(config.dataDir)
  try {
    const sources = new SourceTable(db, new Jobs(db))
    const taken = new Set([
      ...(await sources.list()).map(({ source }) => source.name),
      ...(existsSync(file) ? readSourcesFile(file).sources.map(({ name }) => name) : []),
    ])
    return await work({ file, config, db, taken, signal: stop.signal })
  } catch (error) {
    if (!(error instanceof SourcesFileError)) throw error
    process.stderr.write(`${error.message}\n`)
    return EXIT.usage
  } finally {
    db.close()
  }
}

/** One `fossick sources add` for a site. @returns the exit code. @throws ArgumentsError, SettingsError */
export async function addSource(args: AddArguments): Promise<number> {
  const { ignoresRobots, json } = args
  return await withSourcesFile(async ({ file, signal, ...parts }) => {
    const look = (url: PageUrl) => surveySite(url, { ...parts, trusted: true, ignoresRobots, signal })
    if (!json && process.stdout.isTTY) process.stderr.write(`Looking at ${args.url} …\n`)
    try {
      let survey = await look(args.url)
      if (args.mayBeHttp && speaksNoTls(survey))
        survey = await look(args.url.replace(/^https:/, "http:") as PageUrl)
      if (signal.aborted) return EXIT.interrupted
      const offer = {
        source: survey.source,
        note: proposalNote(survey),
        text: proposalText(survey),
        wire: surveyOnWire(survey),
        isWorthwhile: isWorthwhile(survey),
      }
      await offerSource(file, offer, args)
      return offer.isWorthwhile ? EXIT.ok : EXIT.failed
    } catch (error) {
      if (!(error instanceof NetworkChangedError)) throw error
      process.stderr.write(`${error.message}\n`)
      return EXIT.failed
    }
  })
}

/** Whether nothing answers on https, or something answers that doesn't speak TLS. An untrusted certificate is a different problem. */
const speaksNoTls = ({ outcome, detail }: Survey): boolean =>
  outcome === "failed:refused" || (outcome === "failed:tls" && !isUntrusted(detail ?? ""))

/** Whether a run would find something, at least after logging in. */
const isWorthwhile = ({ url, source }: Survey): boolean => url !== null || source.login !== undefined
