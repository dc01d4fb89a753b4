import { expect, test } from "vitest"
import { digestOf, firstMissing, type Shown, shownLines } from "./shown-text.ts"

const page = (markdown: string, more: Partial<Shown> = {}): string[] =>
  shownLines({ title: "Bonus", description: null, author: null, markdown, images: [], ...more })

const OWN = "# Bonus\n\nAnna\n\n- approved\n\nBob\n\n- approved"

test("a page counts as shown when each of its lines was shown in the same order, with anything in between", () => {
  expect(firstMissing(page(OWN), page(OWN))).toBeNull()
  expect(firstMissing(page(OWN), page(`You may edit this.\n\n${OWN}\n\nEdit`))).toBeNull()
})

test.each([
  ["a line less", page(OWN.replace("\nBob", ""))],
  ["one of two equal lines less", page(OWN.replace(/\n\n- approved$/, ""))],
  ["other words", page(OWN.replace("Bob\n\n- approved", "Bob\n\n- hidden"))],
  ["another order", page("# Bonus\n\nBob\n\n- approved\n\nAnna\n\n- approved")],
  ["another title", page(OWN, { title: "Access denied" })],
  ["nothing", page("")],
])("a page with %s is a different one", (_, other) => {
  expect(firstMissing(page(OWN), other)).not.toBeNull()
})

test("descriptions, authors and images count, since search results show them", () => {
  const own = page("Text.", {
    description: "All of it",
    author: "Anna",
    images: [{ url: "https://a.example/plan.png" }],
  })
  for (const less of [{ description: null }, { author: null }, { images: [] }])
    expect(
      firstMissing(
        own,
        page("Text.", {
          description: "All of it",
          author: "Anna",
          images: [{ url: "https://a.example/plan.png" }],
          ...less,
        }),
      ),
    ).not.toBeNull()
})

test("parts that vary by visitor or time are ignored: the end of addresses, and times with seconds", () => {
  const own = page("See [it](/doku.php?id=a&sectok=1#x) and ![](/p.png;v=1).\n\nMade at 12:03:04.", {
    images: [{ url: "https://a.example/p.png?token=1" }],
  })
  const other = page("See [it](/doku.php?id=b&sectok=2) and ![](/p.png;v=2).\n\nMade at 9:13:14.", {
    images: [{ url: "https://a.example/p.png?token=2" }],
  })
  expect(firstMissing(own, other)).toBeNull()
  expect(digestOf(own)).toBe(digestOf(other))
  expect(firstMissing(page("[it](/a)"), page("[it](/b)"))).not.toBeNull()
  expect(firstMissing(page("At 12:30"), page("At 12:45"))).not.toBeNull()
  expect(firstMissing(page("Pay: 5000"), page("Pay: 0"))).not.toBeNull()
})

test("a long missing line is shortened", () => {
  const missing = firstMissing(page("word ".repeat(100)), page(""))!
  expect(missing.length).toBe(81)
})
