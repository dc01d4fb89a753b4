import { describe, expect, test } from "vitest"
import { splitSentences } from "./sentences.ts"

describe("sentences", () => {
  test.each<[string, string[], string?]>([
    ["Stop it. Copy the folder!  Start again?", ["Stop it.", "Copy the folder!", "Start again?"]],
    ["New in version 3.11. It needs Node 24.", ["New in version 3.11.", "It needs Node 24."]],
    ["Use a manager, e.g. Nix, i.e. The good one.", ["Use a manager, e.g. Nix, i.e. The good one."]],
    ["Dr. Smith and J. R. Hall wrote it. They left.", ["Dr. Smith and J. R. Hall wrote it.", "They left."]],
    [
      "It works (see Sect. 3. There is more.) well. Good.",
      ["It works (see Sect. 3. There is more.) well.", "Good."],
    ],
    ["1. Stop the appliance.", ["1. Stop the appliance."]],
    [
      "Run node:sqlite v2.0.1 with foo.bar(). Then wait.",
      ["Run node:sqlite v2.0.1 with foo.bar().", "Then wait."],
    ],
    ["He said “Stop.” Then he left.", ["He said “Stop.”", "Then he left."]],
    ["Delete the .LCK and .LNK files. Then start.", ["Delete the .LCK and .LNK files.", "Then start."]],
    [
      "Open http://localhost/search?q=pumps&all in a browser. Really?! It works.",
      ["Open http://localhost/search?q=pumps&all in a browser.", "Really?!", "It works."],
    ],
    ["z. B. Hunde bellen. Katzen nicht.", ["z. B. Hunde bellen.", "Katzen nicht."], "de"],
    ["今日は雨です。明日は晴れます！本当？", ["今日は雨です。", "明日は晴れます！", "本当？"], "ja"],
    ["它很快。它很小。", ["它很快。", "它很小。"], "zh"],
    ["", []],
    ["no mark at all", ["no mark at all"]],
  ])("are split from %j", (line, sentences, language = "en") => {
    expect(splitSentences(line, language)).toEqual(sentences)
  })

  test("are not held together for long by an unclosed bracket", () => {
    const line = `It is (open. ${"Here is one. ".repeat(20)}`
    expect(splitSentences(line, "en").length).toBeGreaterThan(10)
  })

  test("lose no word, whatever the language", () => {
    const line = "One. Two (three. four) five! Mr. Six? Seven"
    for (const language of ["en", "xx-not-a-language-tag!", null]) {
      expect(splitSentences(line, language).join(" ")).toBe(line)
    }
  })
})
