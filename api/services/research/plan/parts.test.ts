import { describe, expect, test } from "vitest"

import { planOf } from "./parts.ts"

const texts = (input: string) => planOf(input).map(({ text }) => text)

describe("the parts of a task", () => {
  test("are a single part if it asks only one thing", () => {
    expect(planOf("  How do pumps   work?  ")).toMatchObject([
      { text: "How do pumps work", label: "How do pumps work", side: null },
    ])
    expect(planOf("rotary pumps")).toHaveLength(1)
  })

  test("are its clauses, each with the omitted subject filled in", () => {
    expect(
      texts("How does a rotary pump work, what does it cost, and for how long is it guaranteed?"),
    ).toEqual([
      "How does a rotary pump work",
      "what does it cost rotary pump",
      "for how long is it guaranteed rotary pump",
    ])
    const headings = planOf("How does a rotary pump work, and say which one is the quietest")
    expect(headings.map(({ heading }) => heading)).toEqual([
      "How does a rotary pump work",
      "Which one is the quietest",
    ])
  })

  test("are asked alone if they say enough, with the subject as context", () => {
    const parts = planOf("How is a rotary pump kept dry in winter? Cover spare seals, and what it costs.")
    expect(parts.map(({ question, context }) => [question, context])).toEqual([
      ["How is a rotary pump kept dry in winter", ""],
      ["Cover spare seals", "rotary pump kept dry winter"],
      ["what it costs rotary pump kept dry winter", ""],
    ])
  })

  test("are the questions after a colon, not the topic before it", () => {
    expect(texts("Rotary pumps in boats: which seals to buy, and how to oil them")).toEqual([
      "which seals to buy Rotary pumps boats",
      "how to oil them Rotary pumps boats",
    ])
    expect(texts("How do pumps work: how does water get in, and how does it get out?")).toHaveLength(3)
  })

  test("are its sentences and list lines", () => {
    expect(texts("Explain rotary pumps briefly.\n- List the makers of seals\n- Hi")).toEqual([
      "Explain rotary pumps briefly",
      "List the makers of seals rotary pumps briefly",
    ])
  })

  test("are the items that it names, with the words before them", () => {
    expect(texts("What must an owner do with the seals, the hoses and the oil?")).toEqual([
      "What must an owner do with the seals",
      "What must an owner do with the hoses",
      "What must an owner do with the oil",
    ])
    expect(texts("How is a boat guarded against rust, against theft, and against rough weather?")).toEqual([
      "How is a boat guarded against rust",
      "How is a boat guarded against theft",
      "How is a boat guarded against rough weather",
    ])
    expect(texts("Maintenance of pumps: seals, bearings and oil")).toEqual([
      "Maintenance of pumps seals",
      "Maintenance of pumps bearings",
      "Maintenance of pumps oil",
    ])
    expect(texts("How is a pump kept dry? Cover seals, the hoses, and valves.").slice(1)).toEqual([
      "seals pump kept dry",
      "the hoses pump kept dry",
      "valves pump kept dry",
    ])
    expect(texts("How are pumps made, with and without rollers, and who makes them?")).toHaveLength(2)
  })

  test("are the items of a list in brackets, whatever comes before its preposition", () => {
    expect(texts("Explain the upkeep of pumps (with seals, hoses, oil and valves).")).toEqual([
      "Explain the upkeep of pumps (with seals",
      "Explain the upkeep of pumps (with hoses",
      "Explain the upkeep of pumps (with oil",
      "Explain the upkeep of pumps (with valves)",
    ])
    expect(texts(String.raw`Explain pumps [\with seals, with hoses, with oil]`)).toEqual([
      String.raw`Explain pumps [\with seals`,
      String.raw`Explain pumps [\with hoses`,
      String.raw`Explain pumps [\with oil]`,
    ])
  })

  test("are found in other languages too", () => {
    expect(texts("Wie arbeitet eine Pumpe, was kostet sie und wer stellt sie her?")).toHaveLength(3)
  })

  test("are few, however long the input, and have short labels", () => {
    const input = Array.from({ length: 50 }, (_, i) => `Explain the matter number ${i} of many.`).join(" ")
    const parts = planOf(input)
    expect(parts.length).toBeLessThanOrEqual(9)
    for (const { label } of parts) expect(label.length).toBeLessThanOrEqual(92)
  })
})

describe("the sides of a comparison", () => {
  const sides = (input: string) =>
    planOf(input).flatMap(({ side, heading }) => (side === null ? [] : [`${side} | ${heading}`]))

  test.each([
    ["Compare PostgreSQL and SQLite", ["PostgreSQL", "SQLite"]],
    ["Rust vs. Go", ["Rust", "Go"]],
    ["Compare hold, keep and purge", ["hold", "keep", "purge"]],
    ["How do Kafka, RabbitMQ and NATS differ in delivery guarantees?", ["Kafka", "RabbitMQ", "NATS"]],
    ["What is the difference between a mutex and a semaphore?", ["mutex", "semaphore"]],
    ["Compare Acme's red, green and blue pumps for small boats", ["red pumps", "green pumps", "blue pumps"]],
  ])("of %s", (input, wanted) => {
    expect(planOf(input).map(({ side }) => side)).toEqual(wanted)
  })

  test("each get the questions from the clauses after them", () => {
    expect(sides("Tea versus coffee: what does each cost, and how are they brewed?")).toEqual([
      "Tea | What does each cost",
      "coffee | What does each cost",
      "Tea | How are they brewed",
      "coffee | How are they brewed",
    ])
    expect(sides("Hot and cold storage: how do they differ, and which one is cheaper?")).toEqual([
      "Hot storage | How do they differ",
      "cold storage | How do they differ",
    ])
  })

  test("are searched for with the rest of the task, and asked about by their names", () => {
    const parts = planOf("What is amortisation, and how does it differ between a lender and small traders?")
    expect(parts.map(({ text, question, context }) => [text, question, context])).toEqual([
      ["What is amortisation", "What is amortisation", ""],
      ["lender amortisation", "what is lender", "amortisation"],
      ["small traders amortisation", "what is small traders", "amortisation"],
    ])
    const questions = (input: string) => planOf(input).map(({ question }) => question)
    expect(questions("Tea versus coffee: what does each cost, and what are their leaves like?")).toEqual([
      "what does Tea cost",
      "what does coffee cost",
      "what are Tea's leaves like",
      "what are coffee's leaves like",
    ])
    expect(questions("Compare tea and coffee in loose leaf price")).toEqual([
      "tea loose leaf price",
      "coffee loose leaf price",
    ])
    expect(questions("Compare red and green MPMs for small boats in winter storms")).toEqual([
      "red MPM small boats winter storms",
      "green MPM small boats winter storms",
    ])
    expect(questions("Compare red and green MPMs for small boats")).toEqual([
      "what is red MPM",
      "what is green MPM",
    ])
    expect(questions("Hot and cold storage: how do they differ?")).toEqual([
      "what is Hot storage",
      "what is cold storage",
    ])
  })

  test("are each asked about the things compared", () => {
    expect(sides("Compare tea and coffee in price, taste and time to brew")).toEqual([
      "tea | Price",
      "coffee | Price",
      "tea | Taste",
      "coffee | Taste",
      "tea | Time to brew",
      "coffee | Time to brew",
    ])
    const [tea] = planOf("Compare tea and coffee for breakfast in price and taste")
    expect(tea).toMatchObject({ question: "tea price", context: "breakfast" })
  })

  test("are not found if each clause means something else", () => {
    expect(
      sides("Set up a well with a pump: what kind to buy, and how to oil it before each winter"),
    ).toEqual([])
  })

  test("are found in an input full of blanks, which could be split in countless ways", () => {
    const input = `compare${" ".repeat(19_000)}rotary pumps${"\t ".repeat(400)}and piston pumps`
    expect(planOf(input).map(({ side }) => side)).toEqual(["rotary pumps", "piston pumps"])
  })
})
