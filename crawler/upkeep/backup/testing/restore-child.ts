// A separate process that a test can kill: `node restore-child.ts <file> <data folder>`.
import { restore } from "../restore.ts"
import { openIndex } from "./small-appliance.ts"

const [file, dataDir] = process.argv.slice(2) as [string, string]
await restore(file, {
  dataDir,
  force: true,
  openEngine: (folder) => openIndex(folder, "write"),
  onProgress: (what, count) => process.stdout.write(`${what} ${count}\n`),
})
