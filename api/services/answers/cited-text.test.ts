import { describe, expect, test } from "vitest"
import { citedText, NO_ANSWER } from "./cited-text.ts"

describe("a cited answer", () => {
  test("puts a statement's leads before it, as the page writes them", () => {
    const statements = [
      { text: "Moves water.", source: 0, leads: ["Pump"] },
      { text: "Spare parts.", source: 0, leads: ["Is it old?", "5-9:"] },
    ]
    expect(citedText(statements)).toBe("Pump: Moves water. [1] Is it old? 5-9: Spare parts. [1]")
  })

  test("separates code and rows from their numbers and leads", () => {
    const statements = [
      { text: "Copy it:\n```\ncp a b\n```", source: 0, leads: ["Copies"] },
      { text: "| a | b |\n|---|---|\n| 1 | 2 |", source: 1, leads: ["Table"] },
    ]
    expect(citedText(statements)).toBe(
      "Copies: Copy it:\n```\ncp a b\n```\n\n[1]\n\nTable:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[2]",
    )
  })

  test("gives the age of an older page's statement", () => {
    const statements = [
      { text: "25 days.", source: 1 },
      { text: "20 days.", source: 0, leads: ["Leave"], outdated: new Date("2019-05-01") },
    ]
    expect(citedText(statements)).toBe("25 days. [2]\nOlder page, from 2019-05-01: Leave: 20 days. [1]")
  })

  test("names what was not found, without a citation number", () => {
    expect(citedText([{ text: "Pumps move water.", source: 1 }], ["mills"])).toBe(
      "Pumps move water. [2]\nNo answer for mills was found in the index.",
    )
    expect(citedText([], ["mills"])).toBe(NO_ANSWER)
  })
})
