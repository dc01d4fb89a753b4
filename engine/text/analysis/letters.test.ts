import { expect, test } from "vitest"
import { analyse } from "./analyse.ts"
import { oneSpelling } from "./letters.ts"

test.each([
  ["Turkish capitals", "tr", ["TÜRKİYE", "Türkiye", "türkiye"]],
  ["the Turkish i without a dot", "tr", ["IŞIK", "Işık", "ışık"]],
  ["a Turkish name on an English page", "en", ["TÜRKİYE", "Türkiye"]],
  ["the French œ", "fr", ["CŒUR", "cœur", "coeur"]],
  ["the Danish æ", "da", ["Æble", "aeble"]],
  ["Polish letters", "pl", ["żółć", "zolc"]],
  ["Vietnamese tones and đ", "vi", ["ĐƯỜNG", "đường", "duong"]],
  ["soft hyphens", "de", ["Donau\u00ADdampf\u00ADschiff", "Donaudampfschiff"]],
  ["Hindi nasals", "hi", ["हिन्दी", "हिंदी"]],
  ["Hindi candrabindu", "hi", ["चाँद", "चांद"]],
  ["the Hindi nukta", "hi", ["सड़क", "सड\u093Cक", "सडक"]],
  ["Hindi joiners", "hi", ["क्\u200Dया", "क्\u200Cया", "क्या"]],
  ["Hindi plurals", "hi", ["किताब", "किताबें", "किताबों"]],
  ["Persian and Arabic kaf", "fa", ["کتاب", "كتاب"]],
  ["Persian and Arabic yeh", "fa", ["علی", "علي", "على"]],
  ["Urdu heh", "ur", ["ہم", "هم"]],
  ["Arabic vowels and long strokes", "ar", ["كِتَابٌ", "كتـــاب", "كتاب"]],
  ["the Arabic article, and a conjunction before it", "ar", ["والكتاب", "فالكتاب", "الكتاب", "كتاب"]],
  [
    "the Hebrew article, and what is written before it",
    "he",
    ["ספר", "הספר", "והספר", "בספר", "ולספר", "שהספר"],
  ],
  ["Hebrew points", "he", ["שָׁלוֹם", "שלום"]],
  ["Greek capitals, accents and cases", "el", ["ΑΝΘΡΩΠΟΙ", "άνθρωπος", "ανθρώπων"]],
  ["digits of any script", "fa", ["۱۲۳", "١٢٣", "१२३", "๑๒๓", "123"]],
])("%s become one term", (_, language, words) => {
  expect(new Set(words.map((word) => analyse(word, language).join(" "))).size).toBe(1)
})

test.each([
  ["Arabic", "ar", "ولد", "لد"],
  ["Hindi", "hi", "जन्म", "जम"],
  ["Greek", "el", "νόμος", "νομός πόλη"],
  ["Persian, apart by a non-joiner", "fa", "می\u200Cشود", "میشود"],
])("%s words that differ stay distinct", (_, language, word, other) => {
  expect(analyse(word, language)).not.toEqual(analyse(other, language))
})

test("code symbols and emoji stay unchanged", () => {
  expect(oneSpelling("useEffect(() => x²) 👩\u200D💻 …")).toBe("useEffect(() => x2) 👩💻 ...")
  expect(oneSpelling("naïve café")).toBe("naïve café")
})
