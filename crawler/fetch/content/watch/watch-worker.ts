import { setPriority } from "node:os"
import { setTimeout as pause } from "node:timers/promises"
import type { Content, OfContent } from "../content.ts"
import { contentOf } from "../kinds.ts"

/** The message from {@link watchContent}: the content to watch from now on. */
export type Watched = OfContent

/** The message saying that this source's content changed or was checked for the first time. */
export interface Changed {
  readonly name: string
}

const LEAST_MS = 2000
/** Checks take up at most 1/REST of the time. */
const REST = 20
const LOW_PRIORITY = 10

// This runs in a separate process, because a hanging file system, such as a share whose server is gone, would block
// everything else.

interface Look {
  /** The source's settings as text. When they change, for example to another branch, the source has to be checked anew. */
  readonly as: string
  readonly content: Promise<Content | null>
  fingerprint: string | null
  dueAt: number
}

let looks: ReadonlyMap<string, Look> = new Map()

process.on("message", (watched: readonly Watched[]) => {
  const lookOf = (source: Watched): Look => {
    const as = JSON.stringify(source)
    const before = looks.get(source.name)
    if (before?.as === as) return before
    return { as, content: contentOf(source, { db: null }), fingerprint: null, dueAt: performance.now() }
  }
  looks = new Map(watched.map((source) => [source.name, lookOf(source)]))
})
process.on("disconnect", () => {
  process.exit(0)
})
setPriority(LOW_PRIORITY)

for (;;) {
  for (const [name, look] of looks) {
    const startedAt = performance.now()
    if (look.dueAt > startedAt) continue
    const fingerprint = await (await look.content)!.fingerprint()
    const now = performance.now()
    look.dueAt = now + Math.max(LEAST_MS, (now - startedAt) * REST)
    if (fingerprint === look.fingerprint) continue
    look.fingerprint = fingerprint
    if (process.connected) process.send?.({ name } satisfies Changed)
  }
  await pause(100)
}
