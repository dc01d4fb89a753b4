import { setTimeout as wait } from "node:timers/promises"

import { FakeEngine, hit } from "../../../testing/fake-engine.ts"
import { serveAccounts } from "../../../testing/serve-accounts.ts"

// A process that serves requests from a folder's `state.db` until it is killed. It prints its address and a key, then
// nothing else.

class SlowEngine extends FakeEngine {
  override async search(query: Parameters<FakeEngine["search"]>[0]) {
    await wait(2 + Math.random() * 8)
    return super.search(query)
  }
}

const [dir = "", credits = ""] = process.argv.slice(2)
const app = await serveAccounts({ dir, engine: new SlowEngine([hit()]) })
const key = await app.key({ creditLimit: { credits: Number(credits), per: "total" } })
process.stdout.write(`${JSON.stringify({ url: app.url, key })}\n`)
