import { expect, test } from "vitest"

import { defineSource, Jobs, Sources } from "#crawler"
import { urlOf } from "#engine/testing/pages.ts"

import { memoryState } from "../../../testing/serve-app.ts"
import { sourceSites } from "./source-sites.ts"

test("addresses belong to sources by their declaration, or else by their last crawl", async () => {
  using db = memoryState()
  const jobs = new Jobs(db)
  const crawled = (name: string, seed: string) =>
    jobs.enqueue(defineSource({ name, seeds: [seed], scope: "prefix" }))
  await new Sources(db, jobs).put({ name: "declared", seeds: ["https://a.example/new/"], scope: "prefix" })
  await crawled("declared", "https://a.example/old/")
  await crawled("undeclared", "https://b.example/docs/")
  const sites = sourceSites(db, jobs)
  const belong = async (...names: string[]) => {
    const test = await sites(names)
    return ["https://a.example/new/x", "https://a.example/old/x", "https://b.example/docs/x"].filter(
      (address) => test(urlOf(address)),
    )
  }
  expect(await belong("declared")).toEqual(["https://a.example/new/x"])
  expect(await belong("undeclared")).toEqual(["https://b.example/docs/x"])
  expect(await belong("nowhere", "declared", "undeclared")).toEqual([
    "https://a.example/new/x",
    "https://b.example/docs/x",
  ])
  expect(await belong("nowhere")).toEqual([])
  expect(await belong()).toEqual([])
})
