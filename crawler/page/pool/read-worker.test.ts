import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, test } from "vitest"

/** A program that prints the address of every module loaded by the program given as its argument. */
const LOADED = `
  import { registerHooks } from "node:module"
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  await import(process.argv[1])
  console.log(loaded.join("\\n"))
  process.exit()`

test("a read worker does not load the search code", async () => {
  const program = new URL("./read-worker.ts", import.meta.url).href
  const args = ["--input-type=module", "--eval", LOADED, program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout).toContain("/crawler/page/read-body.ts")
  expect(stdout).toContain("/engine/index/page/page-url.ts")
  const others =
    /engine\/(?!index\/page\/|text\/scripts|text\/markdown\/formula-end|text\/model-order|text\/order-forms\/|text\/analysis\/stop-words)|node_modules\/(?:undici|ajv|@xenova|@lancedb)\//
  expect(stdout.split("\n").filter((url) => others.test(url))).toEqual([])
})
