// A separate process for the contract suite: `node engine-child.ts <module of the adapter> <place> <role>`.
import { once } from "node:events"
import { createInterface } from "node:readline"
import type { Engine } from "#engine/engine.ts"
import type { AdapterUnderTest } from "./contract/stage.ts"
import { aPage, rareWord } from "./pages.ts"

const [module, place, role] = process.argv.slice(2) as [string, string, string]
const { adapter } = (await import(module)) as { adapter: AdapterUnderTest }
const say = (line: string) => process.stdout.write(`${line}\n`)

if (role === "writer") await writeForever(await adapter.open(place, { mode: "write" }))
else await answer(await adapter.open(place, { mode: "read" }))

/** Indexes page after page and names each one when it is acknowledged. */
async function writeForever(engine: Engine): Promise<void> {
  for (let i = 0; ; i++) {
    const page = aPage(`killed/${i}`, {
      title: `Chapter ${i}`,
      markdown: `The word ${rareWord(i)} stands here.`,
    })
    await engine.index([page])
    say(page.url)
  }
}

/** Answers each line of input with the addresses found for it, as JSON. */
async function answer(engine: Engine): Promise<void> {
  say("ready")
  const input = createInterface({ input: process.stdin })
  input.on("line", (text) => {
    void engine
      .search({ text, limit: 10, arms: "lexical" })
      .then(({ hits }) => say(JSON.stringify(hits.map((hit) => hit.url))))
  })
  await once(input, "close")
  await engine[Symbol.asyncDispose]()
}
