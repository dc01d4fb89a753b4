import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const program = fileURLToPath(new URL("../../testing/read-documents-alone.ts", import.meta.url))

it("documents are read without writing a file, starting a process or opening a connection", async () => {
  // Node's permission model forbids writing files and starting processes and threads; the test counts connections.
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--permission",
    "--allow-fs-read=*",
    "--allow-addons",
    program,
  ])
  expect(JSON.parse(stdout)).toEqual({
    read: ["pdf", "docx", "pptx", "xlsx", "odt", "rtf", "epub"],
    opened: [],
  })
})
