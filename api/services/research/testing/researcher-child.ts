// A process that works on research tasks until it is killed: `node researcher-child.ts <data folder>`. It reports each
// of its searches, and delays every search after the third.
import { setTimeout as sleep } from "node:timers/promises"

import { pino } from "pino"

import { openStateStore } from "#base/store/state-store.ts"
import type { Engine } from "#engine"
import { wordsOf } from "#engine/text/query-text.ts"

import { toRequest } from "../request.ts"
import { openTestResearch } from "./test-research.ts"
import { openPumpEngine } from "./pump-engine.ts"

const db = await openStateStore(process.argv[2]!)
const pumps = await openPumpEngine()
let searches = 0
const engine: Pick<Engine, "search"> = {
  async search(query, options) {
    if (++searches > 3) await sleep(60_000, undefined, options?.signal ? { signal: options.signal } : {})
    const found = await pumps.engine.search(query, options)
    process.stdout.write(`${wordsOf(query.text)}\n`)
    return found
  },
}
const { accounts, tasks, researchers } = await openTestResearch(db, pumps.embedder, pino({ level: "silent" }))
const key = (await accounts.keys.list())[0]!
const owner = { keyId: key.id, project: "garden", session: "", human: "" }
const request = await toRequest({
  input: "How does a rotary pump work, and what does it cost?",
  model: "pro",
  stream: false,
  citation_format: "numbered",
  output_length: "standard",
})
await tasks.add("task", owner, request, new Date())
await researchers.start(() => engine)
