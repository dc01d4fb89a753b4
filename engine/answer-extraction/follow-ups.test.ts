import { describe, expect, test } from "vitest"
import { followUpQuestions } from "./follow-ups.ts"

const page = (title: string, markdown: string) => ({ title, markdown, passages: [], language: "en" })

describe("follow-up questions", async () => {
  test("are headings on the same subject that are questions with an answer, without their numbers", async () => {
    const faq = page(
      "FAQ",
      [
        "**(1) How do I clean a pump?**\n\nWith water.",
        "**(2) Why does my pump leak?**\n\nThe seal is worn.",
        "## 3. Can a pump run dry?\n\nNo.",
        "## How to store a pump\n\nDry.",
        "## Who sells pumps?",
        "## What is the weather like?\n\nFine.",
        "## The pump\n\nText.",
      ].join("\n\n"),
    )
    expect(await followUpQuestions("how do I clean my pump", [faq])).toEqual([
      "Why does my pump leak?",
      "Can a pump run dry?",
      "How to store a pump",
    ])
  })

  test("ask which topic is meant when titles fall into two, unless the question says so", async () => {
    const hits = ["Backup | SQLite", "Copies | SQLite", "Dump | PostgreSQL", "Restore | PostgreSQL"].map(
      (title) => page(title, "Text."),
    )
    expect(await followUpQuestions("how do I back up?", hits)).toEqual([
      "Do you mean “how do I back up” in SQLite or in PostgreSQL?",
    ])
    expect(await followUpQuestions("how do I back up sqlite?", hits)).toEqual([])
    expect(await followUpQuestions("how do I back up?", hits.slice(0, 3))).toEqual([])
  })

  test("are empty when pages contain no questions", async () => {
    expect(await followUpQuestions("pump", [page("Pumps", "# Pump\n\nA pump moves water.")])).toEqual([])
    expect(await followUpQuestions("pump", [])).toEqual([])
  })
})
