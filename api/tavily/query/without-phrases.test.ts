import { expect, test } from "vitest"

import { parseQueryText } from "#engine/text/query-text.ts"

import { withoutPhrases } from "./without-phrases.ts"

test("phrases become words, the other operators stay in force", () => {
  const loose = withoutPhrases('pump "shaft seal" -leak -"dry run" site:example.com -site:old.example.com')
  expect(parseQueryText(loose!)).toEqual({
    text: "pump shaft seal",
    phrases: [],
    excludedWords: ["leak"],
    excludedPhrases: ["dry run"],
    includeDomains: ["example.com"],
    excludeDomains: ["old.example.com"],
  })
})

test.each(["pump -leak", "", '5" pump', "-only"])("%j quotes nothing", (question) => {
  expect(withoutPhrases(question)).toBeNull()
})
