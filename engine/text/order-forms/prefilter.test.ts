import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp"
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"

import { orderForms } from "./order-forms.ts"
import { clausesOf, prefilter } from "./prefilter.ts"

/** A pattern without the parts that fast-check can't generate strings for: lookarounds, word boundaries, and letters of any script. */
function plainer({ source }: RegExp): RegExp {
  let plain = ""
  let done = 0
  const skip = ({ start, end }: { start: number; end: number }, instead: string) => {
    if (start < done) return
    plain += source.slice(done, start) + instead
    done = end
  }
  visitRegExpAST(new RegExpParser().parsePattern(source, 0, source.length, { unicode: true }), {
    onAssertionEnter: (part) => skip(part, ""),
    onCharacterClassEnter: (part) => part.raw.includes("\\p") && skip(part, "[a-z]"),
    onCharacterSetEnter: (part) => part.kind === "property" && skip(part, "[a-z]"),
    onBackreferenceEnter: (part) => skip(part, "system"),
  })
  return new RegExp(plain + source.slice(done), "u")
}

describe("the words required by a pattern", () => {
  test.each<[string, RegExp, readonly (readonly string[])[]]>([
    ["words in turn", /ignore\s+the\s+rules/iu, [["ignore the rules"]]],
    ["one of several words", /\b(?:forget|ignore)\b/iu, [["forget", "ignore"]]],
    ["letters that may be missing", /rules?\b/iu, [["rule", "rules"]]],
    ["letters of a class", /ignor[ae]/iu, [["ignora", "ignore"]]],
    ["what stands around a gap", /ignore[^.!?]{0,9}rules/iu, [["ignore"], ["rules"]]],
    ["nothing of a part that may be missing", /(?:please\s+)*ignore/iu, [["ignore"]]],
    ["nothing of what only stands beside it", /(?<!never )ignore(?= rules)/iu, [["ignore"]]],
    [
      "one part of each way, where the ways are long",
      /(?:all\s\w+\srules|any\s\w+\sorder)/iu,
      [[" rules", " order"]],
    ],
    ["nothing where one way has no letters", /(?:rules|\d+)/iu, []],
    ["nothing where all but a letter may be missing", /(?:rules)?x/iu, [["rulesx", "x"]].slice(1)],
  ])("are %s", (_, pattern, clauses) => expect(clausesOf(pattern)).toEqual(clauses))
})

describe("the patterns tried on a text", () => {
  const formsFor = prefilter(orderForms())

  test("are few for most texts", () => {
    expect(formsFor("Turn the pump off before you open the lid. Close all valves first.")).toEqual([])
  })

  test("are those whose words it contains, in any case", () => {
    const [ignore, reveal] = [/ignore\s+all/iu, /reveal\s+the/iu]
    expect(prefilter([ignore, reveal])("Please IGNORE ALL of it")).toEqual([ignore])
  })

  test("include all that match", () => {
    const matched = new Set<RegExp>()
    for (const form of orderForms())
      for (const text of fc.sample(fc.stringMatching(plainer(form)), { numRuns: 6, seed: 1 })) {
        const read = ` ${text} `.replace(/\s+/g, " ")
        if (!form.test(read)) continue
        matched.add(form)
        expect(formsFor(read), `${form.source} on ${read}`).toContain(form)
      }
    expect(matched.size).toBeGreaterThan(orderForms().length * 0.75)
  })
})
