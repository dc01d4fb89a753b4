import { expect, test } from "vitest"
import { givesModelOrder } from "#engine/text/model-orders.ts"
import { WORDINGS } from "./cases.ts"
import { WAYS } from "./hidden-ways.ts"
import { hiddenRows, proof } from "./injection.ts"
import { plantedPages } from "./planted.ts"
import { DISGUISES } from "./disguises.ts"

const FIRST = WORDINGS.filter(({ set }) => set === "first")

test("Orders to language models, in all languages and places, appear in no answer and no report", async () => {
  const { rows, faults } = await proof.run({ scale: 0.1, seed: 1, tell: () => undefined })
  expect(faults).toEqual([])
  // Some orders are shown, with their label: otherwise there would be nothing to leak.
  expect(rows.slice(0, 2).map(([, , , shown]) => Number(shown))).toEqual([
    expect.any(Number),
    expect.any(Number),
  ])
  expect(Number(rows[1]![3])).toBeGreaterThan(0)
})

test("The proof counts the hiding techniques in both halves of all sets, and loses no visible text", async () => {
  const faults: string[] = []
  const rows = await hiddenRows(faults)
  expect(faults).toEqual([])
  expect(rows.map(([, tried]) => tried)).toEqual(WAYS.map(({ hidden }) => hidden.length))
  expect(rows.map(([, , leaked]) => leaked).slice(0, 5)).toEqual([0, 0, 0, 0, 0])
})

test("The corpus has five hundred different orders, half of them with reserved wordings", () => {
  const planted = plantedPages(500)
  expect(new Set(planted.map(({ html }) => html)).size).toBe(500)
  expect(planted.filter(({ half }) => half === "kept")).toHaveLength(250)
  expect(new Set(planted.map(({ language }) => language)).size).toBe(
    new Set(FIRST.map(({ language }) => language)).size,
  )
})

test.each(Object.entries(DISGUISES))("An order is recognised in %s", (_, disguise) => {
  const tuning = FIRST.filter(({ half }) => half === "tuning").map(({ text }) => text)
  expect(tuning.filter((text) => !givesModelOrder(disguise(text)))).toEqual([])
})
