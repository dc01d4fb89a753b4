// A process of its own that a test may kill: `node mover-child.ts export|import <index folder> <file>`. It says each
// step it has made, and takes its time.
import { createReadStream } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import type { Engine } from "#engine/engine.ts"
import { exportToFile } from "../export-to-file.ts"
import { importPages } from "../import-pages.ts"
import { ExportReader } from "../format/read-export.ts"
import { openWide } from "./movable-index.ts"

const [role, dir, file] = process.argv.slice(2) as ["export" | "import", string, string]
const say = (line: string) => process.stdout.write(`${line}\n`)

await using engine = await openWide(dir, role === "export" ? "read" : "write")
if (role === "export") {
  await exportToFile(slowly(engine), file, {
    onResume: ({ pages }) => say(`resumed ${pages}`),
    onProgress: (pages) => say(`written ${pages}`),
  })
} else {
  const reader = await ExportReader.open(createReadStream(file), file)
  await importPages(engine, reader, { onProgress: (pages) => say(`imported ${pages}`) })
}

function slowly(engine: Engine): Engine {
  return new Proxy(engine, {
    get(target, name) {
      if (name === "allPages") {
        return async function* (options?: Parameters<Engine["allPages"]>[0]) {
          for await (const page of target.allPages(options)) {
            await sleep(2)
            yield page
          }
        }
      }
      const value: unknown = Reflect.get(target, name)
      return typeof value === "function" ? value.bind(target) : value
    },
  })
}
