import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { engineSettings } from "../../settings.ts"
import { openEngine } from "#engine/open-engine.ts"
import { type Answer, startServer } from "#engine/adapters/meilisearch/testing/scripted-server.ts"
import { readSettings } from "#base/settings.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "fossick-generations-"))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const open = (env: NodeJS.ProcessEnv) =>
  openEngine(
    readSettings(engineSettings, { FOSSICK_DATA_DIR: dataDir, FOSSICK_ENGINE: "meilisearch", ...env }),
    { mode: "write", embedder: new HashingEmbedder() },
  )

test("a key that is given twice, or in an empty file, is rejected", async () => {
  const file = path.join(dataDir, "key")
  await expect(open({ FOSSICK_MEILI_KEY: "secret", FOSSICK_MEILI_KEY_FILE: file })).rejects.toThrow(
    /FOSSICK_MEILI_KEY and FOSSICK_MEILI_KEY_FILE are both set/,
  )
  await expect(open({ FOSSICK_MEILI_KEY_FILE: file })).rejects.toThrow(/cannot read/)
  await writeFile(file, "\n")
  await expect(open({ FOSSICK_MEILI_KEY_FILE: file })).rejects.toThrow(/is empty/)
})

test("the key in the file is sent, without the line break", async () => {
  const file = path.join(dataDir, "key")
  await writeFile(file, "from-a-file\n")
  const answer: Answer = {
    status: 403,
    body: { code: "invalid_api_key", message: "The provided API key is invalid." },
  }
  await using server = await startServer(() => answer)
  const opening = open({ FOSSICK_MEILI_URL: server.url, FOSSICK_MEILI_KEY_FILE: file })
  await expect(opening).rejects.toMatchObject({
    code: "ENGINE_UNAVAILABLE",
    message: expect.stringContaining("refuses the key (invalid_api_key). Set FOSSICK_MEILI_KEY"),
  })
  expect(server.requests[0]!.authorization).toBe("Bearer from-a-file")
})

test("an index name that the server would reject is rejected", () => {
  expect(() => readSettings(engineSettings, { FOSSICK_MEILI_INDEX: "a/b" })).toThrow(
    /FOSSICK_MEILI_INDEX must be/,
  )
})
