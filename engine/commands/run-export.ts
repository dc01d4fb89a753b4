import { existsSync } from "node:fs"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { steadyNow } from "#base/steady-time.ts"
import { engineSettings } from "../settings.ts"
import type { Engine } from "../engine.ts"
import { openEngine } from "../open-engine.ts"
import { CommandError } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"
import { bytesText, CommandProgress, counted, timeLeft } from "./command-progress.ts"
import { exportToFile, partOf } from "../lifecycle/move/export-to-file.ts"
import { fileProblem } from "../lifecycle/move/file-problem.ts"
import { interruptible } from "../lifecycle/move/interruptible.ts"
import { writeExport } from "../lifecycle/move/format/write-export.ts"

export async function runExport(
  file: string,
  { force, json }: { readonly force: boolean; readonly json: boolean },
): Promise<number> {
  const isStream = file === "-"
  if (isStream && process.stdout.isTTY)
    throw new CommandError("An export can't be written to a terminal. Redirect the output to a file.")
  if (!isStream && !force && existsSync(file)) {
    throw new CommandError(`${file} already exists. To replace it, use --force.`)
  }
  const settings = readSettings(engineSettings, environment())
  const progress = new CommandProgress()
  return await interruptible(
    async (signal) => {
      await using engine = await openEngine(settings, { mode: "read" })
      const { pages: all } = await engine.stats()
      const startedAt = steadyNow()
      let resumed = 0
      let written = { pages: 0, bytes: 0 }
      const onProgress = (pages: number, bytes: number) => {
        written = { pages, bytes }
        const left = timeLeft(pages - resumed, all - resumed, startedAt)
        progress.show(() => `${pages} of ${counted(all, "page")}, ${bytesText(bytes)}${left}`)
      }
      progress.say(`Exporting ${counted(all, "page")}.`)
      try {
        if (isStream) await exportToStdout(engine, signal, onProgress)
        else {
          await exportToFile(engine, file, {
            signal,
            onProgress,
            onResume({ pages, begunAt }) {
              resumed = pages
              written = { pages, bytes: 0 }
              progress.say(
                `Continuing after ${counted(pages, "page")} of the export that began at ${begunAt} (remove ${partOf(file)} to start over).`,
              )
            },
          })
        }
      } catch (error) {
        throw signal.aborted ? signal.reason : fileProblem(error, isStream ? "standard output" : file)
      }
      const seconds = Math.round((steadyNow() - startedAt) / 100) / 10
      progress.say(`Done: ${counted(written.pages, "page")} in ${seconds} s, ${bytesText(written.bytes)}.`)
      if (json) process.stdout.write(`${JSON.stringify({ file, ...written, seconds })}\n`)
      return 0
    },
    () => {
      progress.say(isStream ? "Stopped." : "Stopped; run the same command to continue from here.")
    },
  )
}

async function exportToStdout(
  engine: Engine,
  signal: AbortSignal,
  onProgress: (pages: number, bytes: number) => void,
): Promise<void> {
  async function* parts() {
    let sent = 0
    for await (const { bytes, pages } of writeExport(engine, { signal })) {
      yield bytes
      onProgress(pages, (sent += bytes.length))
    }
  }
  await pipeline(Readable.from(parts(), { objectMode: false, highWaterMark: 1 }), process.stdout, {
    end: false,
    signal,
  })
}
