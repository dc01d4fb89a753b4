import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pino } from "pino"
import { expect, test, vi } from "vitest"
import { actingFor } from "#base/flow/caller.ts"
import { Degraded } from "#base/flow/degraded.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { ModelOutage } from "#engine/models/servers/availability.ts"
import { makeTinyCrossEncoder } from "#engine/models/rerankers/testing/tiny-cross-encoder.ts"
import { openUnitReader } from "#engine/models/rerankers/unit-reader.ts"
import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { serveApp } from "../../testing/serve-app.ts"
import { answerFrom } from "./answer.ts"
import { openAnswerReader } from "./unit-reader.ts"

/** Loading a model takes longer while other tests run. */
const PATIENCE_MS = 120_000
const on = { readsUnits: true }

test("the reader that ships with Fossick tells answers from pieces that only share words", async () => {
  await using reader = await openUnitReader({ timeoutMs: PATIENCE_MS })
  const [answers, repeats] = await reader.scores("how long are backups kept?", [
    "Backups > Upkeep : Each night one is made. A backup is deleted after 30 days.",
    "Backups > Folder : Backups are kept in the folder that you name.",
  ])
  expect(answers).toBeGreaterThan(0.5)
  expect(repeats).toBeLessThan(0.5)
  await using opened = await openAnswerReader(on, { error: () => {} })
  expect([opened.reader === null, opened.warnings()]).toEqual([false, []])
})

test("there is no reader if it is off, and a damaged one fails with the reason in the log and the warnings", async () => {
  const dir = await mkdtemp(join(tmpdir(), "fossick-reranker-"))
  try {
    const said: unknown[] = []
    const log = { error: (what: unknown) => void said.push(what) }
    const off = await openAnswerReader({ readsUnits: false }, log)
    expect([off.reader, off.warnings(), said]).toEqual([null, [], []])

    const folder = await makeTinyCrossEncoder(dir)
    await using whole = await openAnswerReader(on, log, folder)
    expect(whole.reader).not.toBeNull()
    await writeFile(join(folder, "SHA256SUMS"), `${"0".repeat(64)}  config.json\n`)
    const damaged = await openAnswerReader(on, log, folder)
    await expect(damaged.reader?.scores("pump", ["a pump"])).rejects.toBeInstanceOf(ModelOutage)
    expect(damaged.warnings()[0]).toMatch(
      /^Answers are chosen without the unit reader: The unit reader in .* is damaged/,
    )
    expect(said).toHaveLength(1)
    await rm(join(folder, "SHA256SUMS"))
    await rm(join(folder, "onnx"), { recursive: true })
    const cut = await openAnswerReader(on, log, folder)
    expect(cut.warnings()[0]).toContain("it has no onnx/model_quantized.onnx")
    expect(cut.warnings()[0]).toContain("install Fossick again")
  } finally {
    await rm(dir, { recursive: true })
  }
})

test("the reader picks the answers of a search, which come without it if it fails", async () => {
  const markdown =
    "# Pump\n\n## Start\n\nThe pump of the mill is started at six.\n\n## Water\n\nA pump moves water."
  const engine = new FakeEngine([hit({ markdown, language: "en", score: 0.9 })])
  const read: string[] = []
  const reader = {
    scores: async (question: string, texts: readonly string[]) => {
      read.push(question)
      return texts.map((text) => (text.includes("A pump moves") ? 1 : 0.0001))
    },
  }
  const ask = async (unitReader: typeof reader | null) => {
    await using app = await serveApp({ engine, unitReader })
    const { body } = await app.post("/search", {
      query: "when is the pump of the mill started",
      include_answer: true,
    })
    return String(body.answer)
  }
  expect(await ask(null)).toMatch(/^The pump of the mill is started at six\./)
  expect(await ask(reader)).toMatch(/A pump moves water\./)
  expect(read).toEqual(["when is the pump of the mill started"])
})

test("concurrent callers take turns with the reader, and no answer lacks anything", async () => {
  const limit = vi.spyOn(AbortSignal, "timeout").mockReturnValue(new AbortController().signal)
  const dir = await mkdtemp(join(tmpdir(), "fossick-busy-reader-"))
  try {
    await using reader = await openUnitReader({
      folder: await makeTinyCrossEncoder(dir),
      timeoutMs: PATIENCE_MS,
    })
    // This model counts the words of the question, so only it chooses the room with the most pumps.
    const rooms = Array.from({ length: 30 }, (_, i) => {
      const beside = i === 20 ? "a pump beside a pump beside a pump" : "a table below a shelf beside a window"
      return `Room number ${i} of the mill is high and white, and it has a pump and ${beside} and a door.`
    })
    const mill = hit({ title: "Mill", markdown: `# Mill\n\n${rooms.join("\n\n")}`, passages: [], score: 0.9 })
    // All units must be waiting before the first one is read, however fast the machine is.
    const allWait = Promise.withResolvers<void>()
    let waiting = 0
    const scores: typeof reader.scores = async (question, texts, signal) => {
      waiting += texts.length
      if (waiting === 24 * asking.length) allWait.resolve()
      await allWait.promise
      return await reader.scores(question, texts, signal)
    }
    const ended: string[] = []
    const ask = async (caller: string) => {
      const degraded = new Degraded()
      const asked = {
        question: "pump",
        hits: [mill],
        depth: "basic" as const,
        signal: new AbortController().signal,
        log: pino({ level: "silent" }),
      }
      const parts = { embedder: new HashingEmbedder(), unitReader: { scores }, chatModel: null }
      const { answer } = await actingFor(caller, () => degraded.collect(() => answerFrom(asked, parts)))
      ended.push(caller)
      return { answer, lacks: degraded.parts }
    }
    const guests = Array.from({ length: 10 }, (_, i) => `guest ${i}`)
    const asking = [...Array.from({ length: 20 }, () => "hog"), ...guests]
    const answers = await Promise.all(asking.map(ask))
    for (const { answer, lacks } of answers) {
      expect(lacks).toEqual([])
      expect(answer).toMatch(/^Room number 20 /)
    }
    expect(ended).toEqual(["hog", ...guests, ...Array.from({ length: 19 }, () => "hog")])
  } finally {
    limit.mockRestore()
    await rm(dir, { recursive: true })
  }
})
