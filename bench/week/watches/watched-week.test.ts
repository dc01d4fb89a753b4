import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"

import { startCheapVectors } from "#engine/testing/model-server.ts"
import { playWatchedWeek } from "./watched-week.ts"

test("over two days with kills, each watch reports each change once, by webhook, e-mail and feed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fossick-watched-week-"))
  await using vectors = await startCheapVectors()
  try {
    const settings = { ...vectors.settings, FOSSICK_UNIT_READER: "off" }
    const given = { days: 2, seed: 3, asks: false, settings }
    const { verdicts, kills } = await playWatchedWeek(folder, given)
    expect(verdicts.filter(({ lost, doubled }) => lost.length + doubled.length > 0)).toEqual([])
    expect(verdicts.map(({ watch, way }) => `${watch} by ${way}`)).toHaveLength(8)
    for (const { expected } of verdicts) expect(expected).toBeGreaterThan(0)
    expect(kills).toBeGreaterThan(0)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
