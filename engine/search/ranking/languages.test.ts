import { describe, expect, test } from "vitest"
import type { PageFacts } from "../../index/page/page-facts.ts"
import { placeOf } from "../../index/page/domains.ts"
import { areTranslations } from "./languages.ts"

const page = (url: string, language: string | null): PageFacts => ({
  url,
  title: "",
  ...placeOf(url),
  language,
  country: null,
  topic: null,
  published: null,
  fingerprint: { exact: url, similar: null },
})
const pair = (a: readonly [string, string | null], b: readonly [string, string | null]) =>
  [page(...a), page(...b)] as const

describe("two pages are translations of each other", () => {
  test.each([
    [
      ["https://x.example/en/guide", "en"],
      ["https://x.example/de/guide", "de"],
    ],
    [
      ["https://x.example/docs/en-GB/guide", "en"],
      ["https://x.example/docs/pt_BR/guide", "pt"],
    ],
    [
      ["https://x.example/guide", "en"],
      ["https://x.example/fr/guide", "fr"],
    ],
    [
      ["https://x.example/guide.en.html", "en"],
      ["https://x.example/guide.ja.html", "ja"],
    ],
    [
      ["https://x.example/guide.html", "en"],
      ["https://x.example/guide.html.ru", "ru"],
    ],
    [
      ["https://x.example/guide?lang=es&v=2", "es"],
      ["https://x.example/guide?v=2", "en"],
    ],
    [
      ["https://x.example/guide?language=es", "es"],
      ["https://x.example/guide?locale=pt_BR", "pt"],
    ],
    [
      ["https://x.example/guide?hl=ja", "ja"],
      ["https://x.example/guide", "en"],
    ],
    [
      ["https://x.example/zh-Hans/guide", "zh"],
      ["https://x.example/guide", "en"],
    ],
    [
      ["https://x.example/en/guide?a=1&b=2", "en"],
      ["https://x.example/de/guide?b=2&a=1", "de"],
    ],
  ] as const)("when only the language differs in their addresses: %j, %j", (a, b) => {
    expect(areTranslations(...pair(a, b))).toBe(true)
    expect(areTranslations(...pair(b, a))).toBe(true)
  })

  test.each([
    ["of one language", ["https://x.example/en/guide", "en"], ["https://x.example/guide", "en"]],
    ["of other hosts", ["https://x.example/en/guide", "en"], ["https://y.example/de/guide", "de"]],
    ["with other paths", ["https://x.example/en/guide", "en"], ["https://x.example/de/leitfaden", "de"]],
    [
      "where the part names no language of the page",
      ["https://x.example/de/guide", "en"],
      ["https://x.example/guide", "fr"],
    ],
    [
      "where the parameter names no language of the page",
      ["https://x.example/guide?lang=de", "en"],
      ["https://x.example/guide", "fr"],
    ],
    [
      "where the part says more than a language",
      ["https://x.example/de-luxe-chairs/guide", "de"],
      ["https://x.example/guide", "en"],
    ],
    ["of other types", ["https://x.example/guide.en.pdf", "en"], ["https://x.example/guide.de.html", "de"]],
    [
      "where neither address says a language",
      ["https://x.example/guide.html?b=1&a=2", "en"],
      ["http://x.example/guide.html?b=1&a=2", "de"],
    ],
    ["with other parameters", ["https://x.example/p?id=1", "en"], ["https://x.example/p?id=2", "de"]],
    ["with nothing else in their paths", ["https://x.example/en", "en"], ["https://x.example/de", "de"]],
    [
      "with the same path on other hosts",
      ["https://x.example/en/guide", "en"],
      ["https://y.example/guide", "de"],
    ],
    [
      "of unknown language beside one that is named",
      ["https://x.example/en/guide", "en"],
      ["https://x.example/guide", null],
    ],
    ["of unknown language", ["https://x.example/en/guide", "en"], ["https://x.example/de/guide", null]],
  ] as const)("but not pages %s", (_, a, b) => {
    expect(areTranslations(...pair(a, b))).toBe(false)
    expect(areTranslations(...pair(b, a))).toBe(false)
  })
})
