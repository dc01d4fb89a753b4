import { expect, test } from "vitest"
import { ArgumentsError, wholeNumber } from "./command-arguments.ts"
import { bytesOf, freeSpace } from "./free-space.ts"

const setting = freeSpace({ name: "FOSSICK_FREE_SPACE", default: 500 } as unknown as Parameters<
  typeof freeSpace
>[0])
const DISK = 200_000_000_000

test.each([
  ["500", 500_000_000],
  ["500MB", 500_000_000],
  ["500 MB", 500_000_000],
  ["2GB", 2_000_000_000],
  ["1.5GB", 1_500_000_000],
  ["1.25GB", 1_250_000_000],
  ["1TB", 1_000_000_000_000],
  ["0", 0],
  ["5%", 10_000_000_000],
  ["0.5 %", 1_000_000_000],
  ["99.9%", 199_800_000_000],
  ["1000TB", 1_000_000_000_000_000],
])("%s of a disk of 200 GB are %d bytes", (text, bytes) => {
  expect(bytesOf(setting.parse(text), DISK)).toBeCloseTo(bytes, -3)
})

test.each(["", "MB", "-1", "5KB", "5gb", "100%", "101%", "1001TB", "1,5GB", "x5", "5MBx", "5.", "5  MB"])(
  "rejects %j as disk space",
  (text) => {
    expect(() => setting.parse(text)).toThrow(
      "must be a number of megabytes (500), a size with a unit (2GB), or a percentage of the disk (5%)",
    )
  },
)

test("the free-space setting keeps its other properties", () => {
  expect(setting).toMatchObject({ name: "FOSSICK_FREE_SPACE", default: 500 })
})

test("a whole-number option accepts nothing else", () => {
  expect(["1", "07", "10"].map((text) => wholeNumber("--limit", text, 1, 10))).toEqual([1, 7, 10])
  for (const text of ["0", "11", "1.5", "-1", "1e1", " 1", "", "ten", "0x1"]) {
    expect(() => wholeNumber("--limit", text, 1, 10)).toThrow("--limit must be a whole number from 1 to 10")
    expect(() => wholeNumber("--limit", text, 1, 10)).toThrow(ArgumentsError)
  }
})
