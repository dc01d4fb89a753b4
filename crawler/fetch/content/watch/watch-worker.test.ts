import { fork } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { endWithUs } from "#base/testing/end-with-us.ts"
import { temporaryFolder } from "../../../testing/crawl-fixture.ts"

test("a folder is scanned anew when its source changes", async () => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, "a.md"), "# A")
  const worker = fork(fileURLToPath(new URL("./watch-worker.ts", import.meta.url)))
  endWithUs(worker)
  onTestFinished(() => void worker.kill())
  const told = async (address: string): Promise<unknown> => {
    const message = once(worker, "message")
    worker.send([{ name: "notes", folder: folder.path, seeds: [address] }])
    return (await message)[0]
  }
  expect(await told("https://a.example/")).toEqual({ name: "notes" })
  expect(await told("https://b.example/")).toEqual({ name: "notes" })
})
