import { existsSync } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import path from "node:path"
import { CommandError } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"
import { steadyNow } from "#base/steady-time.ts"
import { partOf, syncFolder } from "../lifecycle/move/export-to-file.ts"
import { fileProblem } from "../lifecycle/move/file-problem.ts"
import { interruptible } from "../lifecycle/move/interruptible.ts"
import { writeWarc } from "../lifecycle/move/warc/write-warc.ts"
import { openEngine } from "../open-engine.ts"
import { engineSettings } from "../settings.ts"
import { bytesText, CommandProgress, counted } from "./command-progress.ts"

const ENDING = /\.warc\.gz$/i

export interface WarcExportArguments {
  readonly force: boolean
  readonly json: boolean
  /** Exports only pages of this source. */
  readonly source?: string | undefined
  /** Returns the names of sources that have readers. */
  readonly closed: () => Promise<readonly string[]>
}

/**
 * Runs `fossick export --warc`. The file gets its final name once it is complete and on disk.
 * @returns the exit code
 * @throws CommandError
 */
export async function runWarcExport(
  file: string,
  { force, json, source, closed: closedSources }: WarcExportArguments,
): Promise<number> {
  if (!ENDING.test(file))
    throw new CommandError(`The name of a WARC file must end with .warc.gz; ${file} doesn't.`)
  if (!force && existsSync(file))
    throw new CommandError(`${file} already exists. To replace it, use --force.`)
  const progress = new CommandProgress()
  return await interruptible(
    async (signal) => {
      await using engine = await openEngine(readSettings(engineSettings, environment()), { mode: "read" })
      const startedAt = steadyNow()
      const part = partOf(file)
      const closed = await closedSources()
      let written = { pages: 0, bytes: 0 }
      let leftOut = 0
      const onLeftOut = () => void (leftOut += 1)
      try {
        await using handle = await open(part, "w", 0o600)
        for await (const { bytes, pages } of writeWarc(engine, { source, closed, onLeftOut, signal })) {
          await handle.appendFile(bytes)
          written = { pages, bytes: written.bytes + bytes.length }
          progress.show(() => `${counted(pages, "page")}, ${bytesText(written.bytes)}`)
        }
        await handle.sync()
      } catch (error) {
        await rm(part, { force: true })
        throw signal.aborted ? signal.reason : fileProblem(error, file)
      }
      await rename(part, file)
      await syncFolder(path.dirname(file))
      const seconds = Math.round((steadyNow() - startedAt) / 100) / 10
      progress.say(`Done: ${counted(written.pages, "page")} in ${seconds} s, ${bytesText(written.bytes)}.`)
      if (leftOut > 0)
        progress.say(
          `${counted(leftOut, "page")} left out: not everyone may read them, and a WARC file can't say who may.`,
        )
      if (json) process.stdout.write(`${JSON.stringify({ file, ...written, leftOut, seconds })}\n`)
      return 0
    },
    () => {
      progress.say("Stopped.")
    },
  )
}
