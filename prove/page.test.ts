import { expect, test } from "vitest"
import { rowsIn, section, withSection } from "./page.ts"

const proof = { title: "Kills", promise: "Nothing is lost.", run: () => Promise.reject(new Error("not run")) }
const outcome = { columns: ["what", "tries"], rows: [["a|b", 3]], faults: [] }
const text = section(proof, outcome, "npm run prove -- kills")

test("A section contains the promise, the results and the command", () => {
  expect(text).toMatch(
    /^## Kills\n\nNothing is lost\.\n\n\| what \| tries \|\n\| --- \| --- \|\n\| a\\\|b \| 3 \|\n\n`npm run prove -- kills`, on \d+ × .+\.$/,
  )
})

test("An image goes between the figures and the command", () => {
  const picture = { file: "kills.svg", about: "How often", svg: "<svg/>" }
  expect(section(proof, { ...outcome, picture }, "npm run prove -- kills")).toContain(
    "| 3 |\n\n![How often](kills.svg)\n\n`npm",
  )
})

test("A section replaces its predecessor, and leaves its neighbours unchanged", () => {
  const page = "# Proofs\n\nIntro.\n\n## Kills\n\nOld.\n\n## Soak\n\nKept.\n"
  expect(withSection(page, text)).toBe(`# Proofs\n\nIntro.\n\n${text}\n\n## Soak\n\nKept.\n`)
  expect(withSection(withSection(page, text), text)).toBe(withSection(page, text))
})

test("The last section is replaced, and a new one goes to the end", () => {
  expect(withSection("# Proofs\n\n## Kills\n\nOld.\n", text)).toBe(`# Proofs\n\n${text}\n`)
  expect(withSection("# Proofs\n\n## Kills of others\n\nKept.\n", text)).toBe(
    `# Proofs\n\n## Kills of others\n\nKept.\n\n${text}\n`,
  )
})

test("A section's rows are read as written, unless its columns changed", () => {
  const page = withSection("# Proofs\n\n## Soak\n\n| what | tries |\n| --- | --- |\n| c | 5 |\n", text)
  expect(rowsIn(page, "Kills", ["what", "tries"])).toEqual([["a|b", "3"]])
  expect(rowsIn(page, "Soak", ["what", "tries"])).toEqual([["c", "5"]])
  expect(rowsIn(page, "Kills", ["what"])).toEqual([])
  expect(rowsIn(page, "Kill", ["what", "tries"])).toEqual([])
})
