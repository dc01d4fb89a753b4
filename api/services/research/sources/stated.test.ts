import { expect, test } from "vitest"

import { hit } from "../../../testing/fake-engine.ts"
import { statedBy } from "./stated.ts"

const { signal } = new AbortController()

const page = (markdown: string, title = "Rotary pumps") => {
  const text = markdown.replaceAll(/^#+ .*$/gm, "").trim()
  return hit({ title, markdown, passages: [{ text, headings: [], position: 0 }] })
}
const textsOf = async (markdown: string) =>
  (await statedBy("How does a rotary pump work?", [page(markdown)], signal)).map(({ text }) => text)

test.each([
  "For more information, see the manual of the rotary pump.",
  "Let us now look at the rotary pump more closely.",
  "We will now take the rotary pump to pieces.",
  "This section describes the parts of a rotary pump.",
  "There are two kinds of rotary pumps.",
  "The next step is to choose a rotary pump.",
  "First, the rotary pump is taken to pieces.",
  "If present, they hold the rotary pump in its place.",
  "During its life a rotary pump is greased often.",
])("what leads a reader on states nothing: %s", async (sentence) => {
  expect(await textsOf(`# Rotary pumps\n\n${sentence}\n\nRollers press the hose flat.`)).toEqual([
    "Rollers press the hose flat.",
  ])
})

test("a sentence that needs the one before comes with it; right below a heading that one names what it speaks of", async () => {
  const markdown =
    "# Rotary pumps\n\nThis pump moves water with rollers. It needs no valves.\n\nThat is rare.\n\n## Care\n\nThis pump is greased once a month."
  const found = await statedBy("How does a rotary pump work?", [page(markdown)], signal)
  expect(found.map(({ text, stated }) => [text, stated.needs, stated.opens])).toEqual([
    ["Rotary pumps: This pump moves water with rollers.", null, true],
    ["It needs no valves.", "Rotary pumps: This pump moves water with rollers.", false],
    ["Care: This pump is greased once a month.", null, true],
  ])
})

test("the number of a footnote is no term", async () => {
  expect(await textsOf("# Pumps\n\n**2**\n\n: A rotary pump moves water with rollers.")).toEqual([
    "A rotary pump moves water with rollers.",
  ])
})

test("what is said under a term says the term, and the answer below a question the question", async () => {
  const markdown =
    "# Pumps\n\n**Speed**\n\n: Turns of the pump in a minute.\n\n  default is 600.\n\n## Is the pump loud?\n\nNo. It hums."
  expect(await textsOf(markdown)).toEqual([
    "Speed: Turns of the pump in a minute.",
    "Speed: default is 600.",
    "Is the pump loud? No. It hums.",
  ])
})
