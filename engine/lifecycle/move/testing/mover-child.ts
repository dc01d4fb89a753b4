// A separate process that a test kills: `node mover-child.ts <steps> export|import <index folder> <file>`. It says each step it
// has made, and after so many goes no further: it must not be done before the test that kills it has its turn.
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
// Otherwise each start compiles again, since a killed process saves no cache.
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
