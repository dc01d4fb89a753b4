import { describe, expect, test } from "vitest"
import { toPassages } from "../text/passages.ts"
import { extractAnswer } from "./extract-answer.ts"

const QUESTION = "how do I schedule a crawl every night?"

function page(title: string, markdown: string, score = 0.8) {
  const passages = toPassages(markdown).map((passage, position) => ({ ...passage, position }))
  return { title, markdown, passages, language: "en", score }
}

const SCHEDULE = page(
  "How to schedule a crawl",
  `To schedule a crawl every night, let cron run it at the times you choose. Fossick keeps a log of each run.

Weather in the mountains changes quickly.`,
)

describe("an answer from the pages' own sentences", () => {
  test("says what the page says, and where it stands", async () => {
    const answer = await extractAnswer(QUESTION, [page("Pumps", "Seals wear out first.", 0.1), SCHEDULE], {
      length: "short",
    })
    expect(answer[0]).toEqual({
      text: "To schedule a crawl every night, let cron run it at the times you choose.",
      source: 1,
      kind: "prose",
    })
    expect(answer.map(({ text }) => text).join(" ")).not.toContain("Weather")
  })

  test("is none when nothing there answers", async () => {
    expect(await extractAnswer("who painted the Mona Lisa?", [SCHEDULE], { length: "long" })).toEqual([])
  })

  test("is never the question itself, as examples repeat it", async () => {
    const example = page(
      "Ask something",
      'Ask it by its number:\n\n```\ncurl -d \'{"query": "How do I schedule a crawl, every night"}\'\n```',
      0.9,
    )
    const answer = await extractAnswer(QUESTION, [example, SCHEDULE], { length: "long" })
    expect(answer.length).toBeGreaterThan(0)
    expect(answer.every(({ source }) => source === 1)).toBe(true)
  })
})
