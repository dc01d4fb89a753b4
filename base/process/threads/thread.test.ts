import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, test } from "vitest"

test("a crash report does not contain a thread's environment", async () => {
  const program = `
    import { startThread } from "${new URL("./thread.ts", import.meta.url).href}"
    process.report.excludeEnv = true
    const worker = startThread(new URL("data:text/javascript,setInterval(() => {}, 1000)"))
    await new Promise((done) => worker.once("online", done))
    const report = process.report.getReport()
    console.log(JSON.stringify({ threads: report.workers.length, tells: JSON.stringify(report).includes(process.env.ANY_PASSWORD) }))
    process.exit()`
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, ANY_PASSWORD: "mark-of-a-secret" },
  })
  expect(JSON.parse(stdout)).toEqual({ threads: 1, tells: false })
})
