import { describe, expect, test } from "vitest"
import { comparisonIn, partsIn } from "./sides.ts"

describe("a question that compares", () => {
  test.each([
    ["tea versus coffee", ["tea", "coffee"]],
    ["tea vs coffee vs water?", ["tea", "coffee", "water"]],
    ["Tea or coffee: which has more caffeine?", ["Tea", "coffee"]],
    ["How do tea, coffee and cocoa differ?", ["tea", "coffee", "cocoa"]],
    [
      "What is the difference between a gas hob and an induction hob in a kitchen?",
      ["gas hob", "induction hob"],
    ],
    ["remove or purge in the shop?", ["remove", "purge"]],
    ["The kitchen: gas vs induction", ["gas", "induction"]],
    ["how does a gas hob differ from an induction hob", ["gas hob", "induction hob"]],
    ["hold or keep in the shop, what is the difference", ["hold", "keep"]],
    ["diesel or electric engines, which one is louder", ["diesel engines", "electric engines"]],
    ["Hard and soft cheese compared", ["Hard cheese", "soft cheese"]],
    ["Should I use butter or oil for pancakes?", ["butter", "oil"]],
    ["Butter compared with oil: what burns first?", ["Butter", "oil"]],
    ["which burns first, butter or oil?", ["butter", "oil"]],
    ["What distinguishes butter, oil and lard?", ["butter", "oil", "lard"]],
    ["does the flour go into the bowl or into the pan?", ["bowl", "pan"]],
  ])("%s", (question, sides) => {
    expect(comparisonIn(question)?.sides).toEqual(sides)
  })

  test.each([
    "How do I stop or restart the server?",
    "When was the house built, and by whom?",
    "What is butter?",
    "My pan is hot and dry, what can I do?",
    "Error: cannot open file",
  ])("is not recognised in %j", (question) => {
    expect(comparisonIn(question)).toBeNull()
  })

  test("becomes one question for each side", () => {
    expect(comparisonIn("Tea or coffee: which has more caffeine?")?.questions).toEqual([
      "Tea which has more caffeine",
      "coffee which has more caffeine",
    ])
  })

  test("asks what the sides are when only their difference is requested", () => {
    const difference = comparisonIn("Tea or coffee: what is the difference?")
    expect(difference).toMatchObject({ questions: ["Tea", "coffee"], asksWhatTheyAre: true })
    expect(comparisonIn("Tea or coffee: which has more caffeine?")?.asksWhatTheyAre).toBe(false)
  })
})

describe("several questions", () => {
  test.each([
    ["Which port does the server use? Where are its logs kept?", []],
    [
      "Which port does the server use? Where are the logs kept?",
      ["Which port does the server use", "Where are the logs kept"],
    ],
    [
      "how long is parental leave, and who approves a trip",
      ["how long is parental leave", "who approves a trip"],
    ],
    ["What is a pump and how does it work?", []],
    ["How do I restart the pump? I tried the red lever.", []],
    ["salt and what", []],
    ["how long is a mile", []],
  ])("are split only if each makes sense alone: %s", (question, parts) => {
    expect(partsIn(question)).toEqual(parts)
  })
})
