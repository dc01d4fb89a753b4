import { expect, test } from "vitest"

import { sentencesOf } from "./sentences.ts"

test("an answer is cut behind its citations", () => {
  expect(sentencesOf("Run it. [1] Then wait, as [the page] says. [2][3] That is all.")).toEqual([
    { text: "Run it.", cites: [1] },
    { text: "Then wait, as [the page] says.", cites: [2, 3] },
    { text: "That is all.", cites: [] },
  ])
  expect(sentencesOf("No answer to this was found in the index.")).toEqual([
    { text: "No answer to this was found in the index.", cites: [] },
  ])
})

test("an answer that is still being written shows what there is", () => {
  expect(sentencesOf("Run it. [1] Then w")).toEqual([
    { text: "Run it.", cites: [1] },
    { text: "Then w", cites: [] },
  ])
})
