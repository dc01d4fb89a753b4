import { describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { aPage } from "#engine/testing/pages.ts"
import type { Visit } from "../../reading.ts"
import { at } from "../../testing/visited.ts"
import { SoftNotFound } from "./soft-not-found.ts"

const words = (name: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `${name}${from + index}`).join(" ")
const HOME = words("home", 0, 60)
const ALPHA = words("alpha", 0, 60)
const OTHER = words("other", 0, 60)
const SAYS_SO = "its text says so, though its status is 200"
const FOR_ANY = "the site sends the same text for pages that don't exist"

const read = (markdown: string) => ({ kind: "read", reading: { extracted: { markdown } } }) as Visit

/** A site with the given texts in the index, and the given response for missing pages. */
function site(held: Readonly<Record<string, string>>, absent: Visit | ((url: PageUrl) => Visit) = read("")) {
  const asked: PageUrl[] = []
  const visited: string[] = []
  const soft = new SoftNotFound({
    engine: {
      get: async (url) => {
        asked.push(url)
        const markdown = held[url.slice(at("").length)]
        return markdown === undefined ? null : aPage(url, { markdown })
      },
    },
    visit: async (url) => {
      visited.push(url)
      return typeof absent === "function" ? absent(url) : absent
    },
  })
  const complaint = (
    path: string,
    markdown: string,
    { title = "A page", isHeld = path in held, isMarked = false } = {},
  ) => soft.complaint({ url: at(path), title, markdown }, { isHeld, isMarked })
  return { complaint, asked, visited }
}

describe("a new page", () => {
  test("is accepted unless it says it is missing, without asking the site", async () => {
    const { complaint, asked, visited } = site({}, read(OTHER))
    expect(await complaint("/a", OTHER)).toBeNull()
    expect(await complaint("/a", "Sorry.", { title: "Page not found" })).toBe(SAYS_SO)
    expect(await complaint("/a", "Mankas.", { isMarked: true })).toBe(SAYS_SO)
    expect(await complaint("/a", "New shelves.", { title: "Under maintenance" })).toBeNull()
    expect([asked, visited]).toEqual([[], []])
  })

  test("about missing things is accepted unless the site says the same for any address", async () => {
    const maybe = { title: "Product not found" }
    const { complaint, visited } = site({}, read(OTHER))
    expect(await complaint("/a", OTHER, maybe)).toBe(FOR_ANY)
    expect(await complaint("/b", ALPHA, maybe)).toBeNull()
    expect(visited).toHaveLength(1)
    const knows = site({}, { kind: "failed", because: "http-status", detail: "404", status: 404 } as Visit)
    expect(await knows.complaint("/a", OTHER, maybe)).toBeNull()
  })
})

describe("a page in the index", () => {
  test("is accepted when the index no longer has it, or when it was edited", async () => {
    const { complaint, visited } = site({ "/": HOME, "/a": ALPHA }, read(OTHER))
    expect(await complaint("/gone", OTHER, { isHeld: true })).toBeNull()
    expect(await complaint("/a", `${words("alpha", 0, 40)} ${words("new", 0, 20)}`)).toBeNull()
    expect(visited).toEqual([])
  })

  test("counts as edited as long as two fifths of its word sequences are shared", async () => {
    const { complaint } = site({ "/": HOME, "/a": words("alpha", 0, 52) }, (url) => read(url))
    // 20 of 50 shingles are shared, and then 19 of 50.
    expect(await complaint("/a", words("alpha", 0, 22), { title: "Page not found" })).toBeNull()
    expect(await complaint("/a", words("alpha", 0, 21), { title: "Page not found" })).toBe(SAYS_SO)
  })

  test("is missing when it has changed completely and reads like an error or maintenance notice", async () => {
    const { complaint, visited } = site({ "/": HOME, "/a": ALPHA })
    expect(await complaint("/a", "Sorry.", { title: "Product not found" })).toBe(SAYS_SO)
    expect(await complaint("/a", "New shelves.", { title: "Under maintenance" })).toBe(SAYS_SO)
    expect(visited).toEqual([])
  })

  test("is missing when it shows the front page's text, current or indexed", async () => {
    const held = site({ "/": HOME, "/a": ALPHA })
    expect(await held.complaint("/a", HOME)).toBe("it now has the text of the front page")
    expect(held.asked.filter((url) => url === at("/"))).toHaveLength(1)
    await held.complaint("/a", HOME)
    expect(held.asked.filter((url) => url === at("/"))).toHaveLength(1)
    const changed = site({ "/": HOME, "/a": ALPHA, "/index.html": HOME })
    expect(await changed.complaint("/", OTHER)).toBeNull()
    expect(await changed.complaint("/a", OTHER)).toBe("it now has the text of the front page")
    // This is another address for the front page, so it changes whenever the front page does.
    expect(await changed.complaint("/index.html", OTHER)).toBeNull()
    expect(changed.visited).toEqual([])
  })

  test("is missing when it shows the text that the site has for any address, whatever page it names", async () => {
    const text = (url: string) => `${OTHER} We have nothing at ${new URL(url).pathname} today.`
    const { complaint, visited } = site({ "/": HOME, "/shop/alpha": ALPHA, "/shop/beta": ALPHA }, (url) =>
      read(text(url)),
    )
    expect(await complaint("/shop/alpha", text(at("/shop/alpha")))).toBe(FOR_ANY)
    expect(await complaint("/shop/beta", text(at("/shop/beta")))).toBe(FOR_ANY)
    expect(await complaint("/shop/alpha", words("new", 0, 60))).toBeNull()
    expect(visited).toEqual([
      expect.stringMatching(/^https:\/\/site\.example\/shop\/no-such-page-[0-9a-f]{16}$/),
    ])
  })

  test("is missing when it shows that text with up to a fifth of it changed", async () => {
    const absent = read(words("other", 0, 52))
    const { complaint } = site({ "/": HOME, "/a": ALPHA }, absent)
    // 40 of 50 shingles are shared, and then 39 of 50.
    expect(await complaint("/a", words("other", 0, 42))).toBe(FOR_ANY)
    expect(await complaint("/a", words("other", 0, 41))).toBeNull()
    // The same limit applies to the text of the front page, both the current one and the one in the index.
    const front = site({ "/": words("home", 0, 52), "/a": ALPHA, "/b": words("home", 0, 42) })
    expect(await front.complaint("/a", words("home", 0, 42))).toBe("it now has the text of the front page")
    expect(await front.complaint("/a", words("home", 0, 41))).toBeNull()
    expect(await front.complaint("/b", "Sorry.", { title: "Page not found" })).toBeNull()
  })

  test("is not compared with a front page that the index does not have", async () => {
    const { complaint } = site({ "/a": ALPHA }, read(OTHER))
    expect(await complaint("/a", OTHER)).toBe(FOR_ANY)
    expect(await complaint("/a", words("new", 0, 60))).toBeNull()
  })

  test("is missing when it repeats its address in decoded form", async () => {
    const { complaint } = site({ "/": HOME, "/gr%C3%BC%C3%9Fe": ALPHA }, read(words("other", 0, 20)))
    const named = `${words("other", 0, 10)} Grüße ${words("other", 10, 20)}`
    expect(await complaint("/gr%C3%BC%C3%9Fe", named)).toBe(FOR_ANY)
  })

  test("is accepted when the site answers other addresses without text", async () => {
    const { complaint, visited } = site({ "/": HOME, "/%E4?x=1": ALPHA }, {
      kind: "failed",
      because: "http-status",
      detail: "404",
      status: 404,
    } as Visit)
    expect(await complaint("/%E4?x=1", OTHER)).toBeNull()
    expect(visited).toEqual([expect.stringMatching(/^https:\/\/site\.example\/no-such-page-[0-9a-f]{16}$/)])
  })
})

describe("a page named by a query parameter", () => {
  test.each(["id", "title", "page", "pagename", "topic", "wakka", "name"])(
    "that cannot exist is requested by %s, once per program",
    async (parameter) => {
      const [one, other, third] = [
        `/wiki.cgi?lang=en&${parameter}=Bees`,
        `/wiki.cgi?${parameter}=Wax`,
        `/other.cgi?${parameter}=Wax`,
      ]
      const { complaint, visited } = site(
        { "/": HOME, [one]: ALPHA, [other]: ALPHA, [third]: ALPHA },
        read(OTHER),
      )
      expect(await complaint(one, OTHER)).toBe(FOR_ANY)
      expect(await complaint(other, OTHER)).toBe(FOR_ANY)
      expect(await complaint(third, OTHER)).toBe(FOR_ANY)
      expect(visited).toEqual([
        expect.stringMatching(new RegExp(`/wiki\\.cgi\\?${parameter}=no-such-page-[0-9a-f]{16}$`)),
        expect.stringMatching(new RegExp(`/other\\.cgi\\?${parameter}=no-such-page-[0-9a-f]{16}$`)),
      ])
    },
  )

  test("is not requested when the parameter is a number", async () => {
    const { complaint, visited } = site({ "/": HOME, "/show?id=17": ALPHA }, read(OTHER))
    expect(await complaint("/show?id=17", OTHER)).toBe(FOR_ANY)
    expect(visited).toEqual([expect.stringMatching(/^https:\/\/site\.example\/no-such-page-/)])
  })
})

describe("a front page", () => {
  test("is accepted, whatever the site says for any address, since a one-page site has no other", async () => {
    const { complaint, visited } = site({ "/": HOME }, read(OTHER))
    expect(await complaint("/", OTHER)).toBeNull()
    expect(await complaint("/", OTHER, { title: "Product not found" })).toBeNull()
    expect(await complaint("/", OTHER, { title: "Product not found", isHeld: false })).toBeNull()
    expect(visited).toEqual([])
  })

  test("is missing when it reports itself missing or under maintenance, unless it said nearly the same before", async () => {
    const { complaint } = site({ "/": HOME })
    expect(await complaint("/", "Sorry.", { title: "Page not found", isHeld: false })).toBe(SAYS_SO)
    expect(await complaint("/", "Shelves.", { title: "Under maintenance" })).toBe(SAYS_SO)
    expect(await complaint("/", HOME, { title: "Under maintenance" })).toBeNull()
  })

  test("is an address without path, query or route", async () => {
    const about = { title: "Product not found", isHeld: false }
    const { complaint } = site({}, read(OTHER))
    for (const path of ["/?id=3", "/#/guide", "/a"])
      expect([path, await complaint(path, OTHER, about)]).toEqual([path, FOR_ANY])
    for (const path of ["/", "/#/", "/#!/"])
      expect([path, await complaint(path, OTHER, about)]).toEqual([path, null])
  })
})
