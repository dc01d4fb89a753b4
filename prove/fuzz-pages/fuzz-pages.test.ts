import { expect, test } from "vitest"
import { proof, whatIsWrong } from "./fuzz-pages.ts"

test("Damaged pages, PDF files and archives are read, or left out with a reason", async () => {
  const { rows, faults } = await proof.run({ scale: 0.0003, seed: 11, tell: () => {} })
  expect(faults).toEqual([])
  expect(rows.map(([what, visited]) => [what, visited])).toEqual([
    ["web pages", 30],
    ["PDF files", 4],
    ["Office files and books", 4],
  ])
  // Most mutated files are still pages.
  expect(rows[0]![2]).toBeGreaterThan(18)
})

test("A fault in a reader itself is detected", () => {
  const failed = (because: "unreadable" | "crashed", detail: string) =>
    whatIsWrong({ kind: "failed", because, detail })
  expect(failed("unreadable", "Cannot read properties of undefined (reading 'x')")).not.toBeNull()
  expect(failed("crashed", "the reading process exited with code 7")).not.toBeNull()
  expect(failed("unreadable", "the file has no pages")).toBeNull()
  expect(whatIsWrong("hangs")).not.toBeNull()
  expect(whatIsWrong(new Error("x"))).not.toBeNull()
})
