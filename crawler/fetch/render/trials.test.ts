import { expect, test, vi } from "vitest"
import type { PageUrl } from "#engine"
import { Trials } from "./trials.ts"

const url = (path: string, host = "mills.example") => `https://${host}${path}` as PageUrl

test("a text found at two addresses of one site counts as shared, and at two sites it does not", () => {
  const trials = new Trials()
  expect(trials.met(url("/a"), "text").urls).toEqual(new Set([url("/a")]))
  expect(trials.met(url("/a"), "text").urls.size).toBe(1)
  expect(trials.met(url("/", "other.example"), "text").urls.size).toBe(1)
  expect(trials.met(url("/b"), "other text").urls.size).toBe(1)
  expect(trials.met(url("/b"), "text").urls).toEqual(new Set([url("/a"), url("/b")]))
})

test("a browser stops rendering a site's pages for a reason that gained nothing on three", () => {
  const trials = new Trials()
  const isWorth = () => trials.areWorth(url("/x"), "panels")
  for (let page = 0; page < 2; page += 1) trials.end(url(`/${page}`), "panels", false)
  expect(isWorth()).toBe(true)
  trials.end(url("/found"), "panels", true)
  for (let page = 0; page < 3; page += 1) {
    expect(isWorth()).toBe(true)
    trials.end(url(`/${page}`), "panels", false)
  }
  expect(isWorth()).toBe(false)
  expect(trials.areWorth(url("/x"), "branches")).toBe(true)
  expect(trials.areWorth(url("/x", "other.example"), "panels")).toBe(true)
})

test("a browser tries again an hour after the last page that gained nothing", () => {
  vi.useFakeTimers({ toFake: ["performance"] })
  const trials = new Trials()
  const isWorth = () => trials.areWorth(url("/x"), "panels")
  for (let page = 0; page < 3; page += 1) trials.end(url(`/${page}`), "panels", false)
  vi.advanceTimersByTime(59 * 60_000)
  expect(isWorth()).toBe(false)
  vi.advanceTimersByTime(60_000)
  expect(isWorth()).toBe(true)
  trials.end(url("/later"), "panels", false)
  expect(isWorth()).toBe(false)
})
