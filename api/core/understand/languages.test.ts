import { describe, expect, test } from "vitest"

import { languageCodes } from "./languages.ts"

describe("a language name", () => {
  test.each([
    ["en", ["en"]],
    [" EN ", ["en"]],
    ["zh-cn", ["zh"]],
    ["zh_Hant_TW", ["zh"]],
    ["pt-BR", ["pt"]],
    ["English", ["en"]],
    ["french", ["fr"]],
    ["Simplified Chinese", ["zh"]],
    ["Scottish Gaelic", ["gd"]],
  ])("%s", (text, codes) => {
    expect(languageCodes(text)).toEqual(codes)
  })

  test("covers all codes that its pages may carry", () => {
    expect(languageCodes("Norwegian")).toEqual(["no", "nb", "nn"])
    expect(languageCodes("nb")).toEqual(["nb", "no"])
    expect(languageCodes("Norwegian Nynorsk")).toEqual(["nn", "no"])
    expect(languageCodes("hebrew")).toEqual(["he", "iw"])
    expect(languageCodes("iw")).toEqual(["iw", "he"])
  })

  test.each(["", "xx", "e", "eng", "klingon", "en cn", "en-"])("%j is not a language", (text) => {
    expect(languageCodes(text)).toBeNull()
  })

  test("is recognised by every English name of a code", () => {
    const names = new Intl.DisplayNames("en", { type: "language" })
    for (const code of ["de", "ja", "sw", "uk", "cy"]) {
      expect(languageCodes(names.of(code)!)).toEqual([code])
    }
  })
})
