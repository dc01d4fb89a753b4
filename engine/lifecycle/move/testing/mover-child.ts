// A separate process that a test kills: `node mover-child.ts <steps> export|import <index folder> <file>`. It prints
// each step it has completed, and stops after the given number, so that it can't finish before the test kills it.
import { createReadStream, writeSync } from "node:fs"
import { flushCompileCache } from "node:module"
import { exportToFile } from "../export-to-file.ts"
import { importPages } from "../import-pages.ts"
import { ExportReader } from "../format/read-export.ts"
import { openWide } from "./movable-index.ts"

const [steps, role, dir, file] = process.argv.slice(2) as [string, "export" | "import", string, string]
let said = 0
const say = (line: string) => {
  writeSync(1, `${line}\n`)
  said += 1
  if (said === Number(steps)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

await using engine = await openWide(dir, role === "export" ? "read" : "write")
// Without this, each start would compile everything again, since a killed process saves no compile cache.
flushCompileCache()
if (role === "export") {
  await exportToFile(engine, file, {
    onResume: ({ pages }) => say(`resumed ${pages}`),
    onProgress: (pages) => say(`written ${pages}`),
  })
} else {
  const reader = await ExportReader.open(createReadStream(file), file)
  await importPages(engine, reader, {
    pagesAtATime: 20,
    onProgress: (pages) => say(`imported ${pages}`),
  })
}
