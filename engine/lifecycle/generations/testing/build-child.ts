// A separate process that a test kills: `node build-child.ts <data folder> <model>` builds and swaps.
import { flushCompileCache } from "node:module"
import { openForWriting } from "../open-for-writing.ts"
import { Upgrade } from "../building/upgrade.ts"
import { DataFolder } from "./appliance-data.ts"

const [dir, model] = process.argv.slice(2) as [string, string]
const context = new DataFolder(dir).context(model)
await using engine = await openForWriting(context)
// Without this, each start would compile everything again, since a killed process saves no compile cache.
flushCompileCache()
process.stdout.write("begun\n")
await new Upgrade(context, engine).work({
  signal: new AbortController().signal,
  onProgress: ({ step, done }) => process.stdout.write(`${step} ${done}\n`),
})
