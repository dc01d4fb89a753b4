import { expect, test, vi } from "vitest"
import { Versions, withVectors } from "./versions.ts"

test("each version is even and higher than the previous one, even when the clock is set back", () => {
  const now = vi.spyOn(Date, "now")
  try {
    now.mockReturnValue(1_000_000)
    const versions = new Versions(0)
    const first = versions.next()
    const second = versions.next()
    now.mockReturnValue(900_000)
    const third = versions.next()
    expect([first, second, third].map((one) => one % 2)).toEqual([0, 0, 0])
    expect(second).toBeGreaterThan(first)
    expect(third).toBeGreaterThan(second)
    expect(new Versions(third).next()).toBeGreaterThan(third)
    expect(new Versions(withVectors(third)).next()).toBeGreaterThan(withVectors(third))
  } finally {
    now.mockRestore()
  }
})

test("vectors are newer than their page, and older than the next write of a page", () => {
  const versions = new Versions(0)
  const page = versions.next()
  expect(withVectors(page)).toBeGreaterThan(page)
  expect(withVectors(page)).toBeLessThan(versions.next())
  expect(withVectors(withVectors(page))).toBe(withVectors(page))
})

test("a version from the year 2200 is a safe integer", () => {
  const now = vi.spyOn(Date, "now").mockReturnValue(Date.UTC(2200, 0))
  expect(Number.isSafeInteger(new Versions(0).next())).toBe(true)
  now.mockRestore()
})
