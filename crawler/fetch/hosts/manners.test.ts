import { expect, test } from "vitest"
import { defineSource } from "../../source.ts"
import { testConfig } from "../../testing/crawl-fixture.ts"
import { mannersOf } from "./manners.ts"

const CONFIG = testConfig({
  FOSSICK_ALLOWED_NETWORKS: "10.0.0.0/8",
  FOSSICK_OWN_HOSTS: "own.example",
  FOSSICK_HOST_DELAY_MS: "500",
  FOSSICK_HOST_CONCURRENCY: "2",
  FOSSICK_FETCH_CONCURRENCY: "8",
})
const HOSTS = ["https://foreign.example/", "https://own.example/", "http://10.1.2.3/", "http://localhost/"]

function manners(author: "operator" | "api", politeness: { delayMs?: number; concurrency?: number }) {
  const source = defineSource({ seeds: HOSTS, politeness })
  return HOSTS.map(mannersOf(source, author, CONFIG))
}

const own = { concurrency: 8, delayMs: 0 }

test("other people's hosts are treated as the settings say, your own at full speed", () => {
  for (const author of ["operator", "api"] as const)
    expect(manners(author, {})).toEqual([{ concurrency: 2, delayMs: 500 }, own, own, own])
})

test("an operator may set any pace, an API caller only a slower one", () => {
  const fast = { delayMs: 0, concurrency: 64 }
  expect(manners("operator", fast)).toEqual(HOSTS.map(() => fast))
  expect(manners("api", fast)).toEqual([{ concurrency: 2, delayMs: 500 }, own, own, own])
  const slow = { delayMs: 2000, concurrency: 1 }
  expect(manners("api", slow)).toEqual(HOSTS.map(() => slow))
})

test("content needs no manners: its pages are read at full speed whatever their addresses", () => {
  for (const kind of [
    { folder: "/srv/a" },
    { documents: true },
    { repository: { url: "https://git.example/a.git" } },
  ]) {
    const source = defineSource({ seeds: ["https://foreign.example/"], ...kind })
    expect(mannersOf(source, "operator", CONFIG)("https://foreign.example/a")).toEqual(own)
  }
})
