import { expect, test } from "vitest"

import { hit } from "../../../testing/fake-engine.ts"
import type { OutputField } from "./output-schema.ts"
import { type Answering, fillSchema } from "./structured.ts"

const PAGE = hit({ url: "https://pumps.example/rotary" as never, source: "pumps" })

/** A form with one value, filled from these units; each search returns new hits, as real searches do. */
async function filled(field: OutputField, texts: readonly string[]) {
  const answer = async (): Promise<Answering[]> => texts.map((text) => ({ text, hit: { ...PAGE } }))
  const { content, missing, hits } = await fillSchema(
    "Rotary pumps",
    { properties: { value: field } },
    answer,
  )
  return { value: content["value"], reason: missing[0]?.reason ?? null, pages: hits.length }
}

test("a number must stand beside what it counts, and is a year only if a year is asked for", async () => {
  const price: OutputField = { type: "integer", description: "price in euros" }
  expect(await filled(price, ["In 2019 a rotary pump of 40 litres had a price of 120 euros."])).toEqual({
    value: 120,
    reason: null,
    pages: 1,
  })
  const founded: OutputField = { type: "integer", description: "year of foundation" }
  const sentence = "The foundation of the maker, which has 35 workers, was in 1888."
  expect((await filled(founded, [sentence])).value).toBe(1888)
  expect((await filled({ type: "integer", description: "number of workers" }, [sentence])).value).toBe(35)
})

test("a value comes from the unit that answers best, or is null with a reason", async () => {
  const maker: OutputField = { type: "string", description: "who makes them" }
  expect((await filled(maker, ["Acme makes rotary pumps.", "Bolt makes some, too."])).value).toBe(
    "Acme makes rotary pumps.",
  )
  expect(await filled(maker, [])).toEqual({
    value: null,
    reason: "No page found answers “who makes them”.",
    pages: 0,
  })
  const price: OutputField = { type: "number", description: "price in euros" }
  expect((await filled(price, ["The price is a secret."])).reason).toBe(
    "Nothing found on “price in euros” contains such a number.",
  )
})

test("a page that gives two values is listed once", async () => {
  const answer = async (): Promise<Answering[]> => [{ text: "The price is 3 euros.", hit: { ...PAGE } }]
  const field: OutputField = { type: "integer", description: "price" }
  const { hits } = await fillSchema("Pumps", { properties: { one: field, two: field } }, answer)
  expect(hits).toHaveLength(1)
})
