import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeTinyCrossEncoder } from "#engine/rerankers/testing/tiny-cross-encoder.ts"
import { usableStatementReranker } from "./statement-reranker.ts"

const on = { statementReranker: true }

test("the reranker that ships with Fossick tells what answers from what only has the words", async () => {
  await using reranker = await usableStatementReranker(on, { error: () => {} })
  const [answers, repeats] = await reranker!.scores("how long are backups kept?", [
    "Backups > Upkeep : Each night one is made. [unused1] A backup is deleted after 30 days. [unused2] ",
    "Backups > Upkeep : [unused1] Backups are kept in the folder that you name. [unused2] Each night one is made.",
  ])
  expect(answers).toBeGreaterThan(repeats!)
})

test("without it, because it is off or damaged, there is none, and the log says why", async () => {
  const dir = await mkdtemp(join(tmpdir(), "fossick-reranker-"))
  try {
    const said: unknown[] = []
    const log = { error: (what: unknown) => void said.push(what) }
    expect(await usableStatementReranker({ statementReranker: false }, log)).toBeNull()
    expect(said).toEqual([])

    const folder = await makeTinyCrossEncoder(dir)
    await using whole = await usableStatementReranker(on, log, folder)
    expect(whole).not.toBeNull()
    await writeFile(join(folder, "SHA256SUMS"), `${"0".repeat(64)}  config.json\n`)
    expect(await usableStatementReranker(on, log, folder)).toBeNull()
    expect(said).toEqual([{ reason: expect.stringContaining("statement reranker in") as string }])
    await rm(join(folder, "SHA256SUMS"))
    await rm(join(folder, "onnx"), { recursive: true })
    expect(await usableStatementReranker(on, log, folder)).toBeNull()
    expect(JSON.stringify(said[1])).toContain("it has no onnx/model_quantized.onnx")
  } finally {
    await rm(dir, { recursive: true })
  }
})
