import { describe, expect, test } from "vitest"

import { withoutReasoning } from "./reasoning.ts"

const ANSWER = "It moves 40 litres. [1]"

describe("removing a model's reasoning", () => {
  test.each([
    ["an element", `<think>\nThe user asks.\n</think>\n\n${ANSWER}`],
    ["an empty one", `<think>\n\n</think>\n\n${ANSWER}`],
    ["one that began in the prompt", `The user asks about pumps.\n</think>\n${ANSWER}`],
    ["other names", `<thinking>Hm.</thinking>${ANSWER}`],
    ["capitals", `<THINK>Hm.</THINK>${ANSWER}`],
    ["two of them", `<think>a</think><reflection>b</reflection>${ANSWER}`],
    ["Mistral's marks", `[THINK]Hm.[/THINK]${ANSWER}`],
    ["Cohere's marks", `<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>${ANSWER}<|END_RESPONSE|>`],
    [
      "the channels of harmony",
      `<|channel|>analysis<|message|>The user asks.<|end|><|start|>assistant<|channel|>final<|message|>${ANSWER}<|return|>`,
    ],
    ["an element round the answer", `<think>Hm.</think><answer>${ANSWER}</answer>`],
  ])("%s", (_, reply) => {
    expect(withoutReasoning(reply)).toEqual({ text: ANSWER, thought: true })
  })

  test("unfinished reasoning leaves nothing", () => {
    expect(withoutReasoning("<think>\nThe user asks about").text).toBe("")
    expect(withoutReasoning("<|channel|>analysis<|message|>The user").text).toBe("")
  })

  test("streamed reasoning is never shown, and neither is part of a mark", () => {
    const reply = `<think>Hm. Well.</think>${ANSWER}`
    for (let end = 0; end <= reply.length; end++) {
      expect(ANSWER.startsWith(withoutReasoning(reply.slice(0, end), false).text)).toBe(true)
    }
  })
})

test("an answer that speaks of such elements keeps them", () => {
  const answer = "Models write <think> before they reason, and <output> is an element of HTML."
  expect(withoutReasoning(answer)).toEqual({ text: answer, thought: false })
})
