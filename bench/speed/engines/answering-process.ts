// Measures the memory of a process that answers: forked by engines.ts, which sends the settings and the questions.
import { openEngine } from "#engine"
import type { engineSettings } from "#engine/settings.ts"
import type { Values } from "#base/settings.ts"
import { memoryOf, type Memory } from "../../measure.ts"

export interface Questions {
  readonly settings: Values<typeof engineSettings>
  readonly texts: readonly string[]
}

process.once("message", (message) => {
  void answer(message as Questions)
})

async function answer({ settings, texts }: Questions): Promise<void> {
  await using engine = await openEngine(settings, { mode: "read" })
  for (const text of texts) await engine.search({ text, limit: 5, passagesPerPage: 3, withMarkdown: false })
  const memory: Memory = memoryOf(process.pid)
  process.send!(memory)
  process.disconnect()
}
