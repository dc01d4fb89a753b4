import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

import { expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"

import { freePort } from "#base/testing/free-port.ts"

import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

const PASSWORD = "a-password-of-the-index"

test.each([
  ["opensearch", { FOSSICK_OPENSEARCH_USER: "fossick", FOSSICK_OPENSEARCH_PASSWORD: PASSWORD }],
  ["meilisearch", { FOSSICK_MEILI_KEY: PASSWORD }],
])("a start without its %s says that it is unreachable, and shows no password", async (engine, login) => {
  using folder = temporaryFolder()
  const address = `http://127.0.0.1:${await freePort()}`
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts")], {
    env: {
      ...CHILD_ENV,
      FOSSICK_DATA_DIR: folder.path,
      FOSSICK_PORT: "0",
      FOSSICK_ENGINE: engine,
      FOSSICK_OPENSEARCH_URLS: address,
      FOSSICK_MEILI_URL: address,
      ...login,
    },
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += String(data)))
  expect(await once(child, "close")).toEqual([1, null])
  expect(said).toContain(`${address} cannot be reached`)
  expect(said).not.toContain(PASSWORD)
  expect(said).not.toContain(Buffer.from(`fossick:${PASSWORD}`).toString("base64"))
  // The message is a sentence, without a stack trace.
  expect(said).not.toMatch(/^ +at /m)
})
