import { describe, expect, it } from "vitest"
import { fingerprintOf, sayTheSame } from "./fingerprint.ts"

const words = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `word${(i + from) * 7919}`)
const page = (terms: readonly string[], title = "Title") => ({ title, fingerprint: fingerprintOf(terms) })
const changed = (terms: readonly string[], at: number) => terms.with(at, "another")

describe("two pages say the same", () => {
  it("when their text is equal, and of short texts the title too", () => {
    const long = words(200)
    expect(sayTheSame(page(long), page(long, "Other"))).toBe(true)
    expect(sayTheSame(page(["under", "construction"]), page(["under", "construction"]))).toBe(true)
    expect(sayTheSame(page(["under", "construction"]), page(["under", "construction"], "Other"))).toBe(false)
  })

  it("never without a title", () => {
    const long = words(200)
    expect(sayTheSame(page(long, ""), page(long, ""))).toBe(false)
    expect(sayTheSame(page(long, ""), page(long, "Title"))).toBe(false)
  })

  it("when a word or two of a long text differ and their titles agree", () => {
    const long = words(2000)
    expect(sayTheSame(page(long), page(changed(long, 500), "Title - Site"))).toBe(true)
    expect(sayTheSame(page(long), page([...long, "printed", "today"], "TITLE"))).toBe(true)
    expect(sayTheSame(page(long), page(changed(long, 500), "Other"))).toBe(false)
    expect(sayTheSame(page(long, ""), page(changed(long, 500), ""))).toBe(false)
  })

  it("not when much differs, a text is short, or there is none", () => {
    expect(sayTheSame(page(words(400)), page(words(400, 1000)))).toBe(false)
    expect(sayTheSame(page(words(400)), page([...words(300), ...words(100, 1000)]))).toBe(false)
    expect(sayTheSame(page(words(100)), page(changed(words(100), 9)))).toBe(false)
    expect(sayTheSame(page([]), page([]))).toBe(false)
  })
})
