import { setTimeout } from "node:timers/promises"
import { engineSettings } from "./config.ts"
import { openEngine } from "./open-engine.ts"
import { environment, readSettings, SettingsError } from "./settings.ts"

const PROGRESS_EVERY_MS = 2000

try {
  await main()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = error instanceof SettingsError ? 2 : 1
}

/** Makes the vectors that are missing; all of them when another model made those that are there. */
async function main(): Promise<void> {
  const settings = readSettings(engineSettings, environment())
  await using engine = await openEngine(settings, {
    mode: "write",
    replaceVectors: true,
    onProblem: (error) => console.error(`Trying again: ${(error as Error).message}`),
  })
  const { pages, pagesWithoutVectors: waiting, embedder } = await engine.stats()
  if (waiting === 0) {
    console.log(`All ${pages} pages have vectors of ${embedder}: nothing to do.`)
    return
  }
  console.log(
    `Embedding ${waiting} of ${pages} pages with ${embedder}. Stop with Ctrl-C; a second run goes on.`,
  )
  const interrupted = Promise.withResolvers<"interrupted">()
  process.once("SIGINT", () => interrupted.resolve("interrupted"))
  process.once("SIGTERM", () => interrupted.resolve("interrupted"))
  const started = Date.now()
  for (;;) {
    const tick = setTimeout(PROGRESS_EVERY_MS, "tick" as const)
    const settled = engine.settled().then(() => "settled" as const)
    const event = await Promise.race([settled, interrupted.promise, tick])
    if (event === "settled") break
    if (event === "interrupted") {
      settled.catch(() => undefined)
      console.log("Stopping; what is embedded is kept.")
      process.exitCode = 130
      return
    }
    console.log(progress(waiting, (await engine.stats()).pagesWithoutVectors, Date.now() - started))
  }
  console.log(`Done: ${waiting} pages in ${Math.round((Date.now() - started) / 1000)} s.`)
}

function progress(all: number, left: number, tookMs: number): string {
  const done = all - left
  const rest = done > 0 ? `, about ${Math.ceil(((tookMs / done) * left) / 1000)} s left` : ""
  return `${done} of ${all} pages${rest}`
}
