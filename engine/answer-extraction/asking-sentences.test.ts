import { expect, test } from "vitest"
import { askingIn } from "./asking-sentences.ts"

test.each([
  ["How do I change the seal?", "How do I change the seal?", ""],
  [
    "My pump leaks since May. How do I change its seal?",
    "How do I change its seal?",
    "My pump leaks since May.",
  ],
  [
    "How do I change the seal of a pump? I have tried glue.",
    "How do I change the seal of a pump?",
    "I have tried glue.",
  ],
  [
    "The pump leaks.\nIs there a spare seal, and who sells it? Thanks.",
    "Is there a spare seal, and who sells it?",
    "The pump leaks. Thanks.",
  ],
  ["My pump leaks. I want to change its seal.", "My pump leaks. I want to change its seal.", ""],
  ["The pump leaks. Why?", "The pump leaks. Why?", ""],
])("%j asks %j", (text, question, context) => {
  expect(askingIn(text)).toEqual({ question, context })
})
