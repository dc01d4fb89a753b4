import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { Fossick } from "#base/testing/fossick.ts"
import { openEngine } from "#engine/open-engine.ts"
import { engineSettings } from "#engine/settings.ts"
import { aPage } from "#engine/testing/pages.ts"

import type { Marks } from "./judge.ts"
import { parseJudged } from "./judged-file.ts"

// Tests the command on a real index in a data folder.

const program = new Fossick()
let dir: string

const JUDGED = `questions:
  - question: pump
    pages:
      - url: https://docs.example.com/pump
        grade: 3
      - url: https://docs.example.com/valve
  - question: impeller
    pages: [{ url: https://docs.example.com/pump }]
`

const file = async (name: string, text: string) => {
  await writeFile(path.join(dir, name), text)
  return path.join(dir, name)
}

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fossick-judge-"))
  const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: path.join(dir, "data") })
  await using engine = await openEngine(settings, { mode: "write", embedding: "off" })
  await engine.index([
    aPage("pump", { title: "Pump", markdown: "A pump moves water." }),
    aPage("valve", { title: "Valve", markdown: "A valve behind the pump closes the line when it has to." }),
  ])
})
afterAll(async () => {
  await program[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

async function judged(...args: readonly string[]) {
  return await fossick(await file("judged.yaml", JUDGED), ...args)
}

const run = (...args: readonly string[]) =>
  program.run(dir, args, { FOSSICK_DATA_DIR: path.join(dir, "data") })

async function fossick(...args: readonly string[]) {
  const { code, out, err } = await run("judge", "--depth", "fast", ...args)
  return { code, stdout: out, stderr: err }
}

test("judged questions give nDCG, hits and ranks, and a planted regression fails the build", async () => {
  const plain = await judged("--json", "--fail-below", "0.5")
  expect(plain.code).toBe(0)
  const marks = JSON.parse(plain.stdout) as Marks
  expect(marks).toEqual({
    ndcg: 0.5,
    hit1: 0.5,
    hit3: 0.5,
    questions: [
      { question: "pump", ndcg: 1, rank: 1 },
      { question: "impeller", ndcg: 0, rank: null },
    ],
  })

  const better = await file("better.yaml", "rules: [{ id: i, kind: synonym, words: [pump, impeller] }]")
  const after = await judged("--after", better, "--fail-below", "0.99")
  expect(after.code).toBe(0)
  expect(after.stdout).toContain("nDCG@10 0.500 -> 1.000")
  expect(after.stdout).toMatch(/- -> 1 .*impeller/)

  const worse = await file(
    "worse.yaml",
    "rules: [{ id: w, kind: pin, questions: [pump], url: 'https://docs.example.com/valve' }]",
  )
  const regression = await judged("--after", worse, "--fail-below", "0.5")
  expect(regression.code).toBe(1)
  expect(regression.stderr).toContain("below 0.5")

  const against = await judged("--against", await file("before.json", plain.stdout), "--json")
  expect(JSON.parse(against.stdout)).toMatchObject({ ndcg: 0.5, before: { ndcg: 0.5 } })
})

test("questions are stored beside the index and run without a file, and a planted regression fails the build", async () => {
  const none = await fossick()
  expect(none.stderr).toContain("There are no judged questions yet")
  const saved = await judged("--import", "--save", "--note", "first", "--json")
  expect(saved.code).toBe(0)
  expect(JSON.parse(saved.stdout)).toMatchObject({ ndcg: 0.5 })
  expect((await fossick("--export")).stdout).toBe((await fossick("--export")).stdout)
  expect(parseJudged((await fossick("--export")).stdout, "out")).toHaveLength(2)
  const same = await fossick("--against", "latest", "--fail-drop", "0.1", "--json")
  expect([same.code, JSON.parse(same.stdout)]).toMatchObject([0, { ndcg: 0.5, before: { ndcg: 0.5 } }])

  const worse = await file(
    "planted.yaml",
    "rules: [{ id: w, kind: pin, questions: [pump], url: 'https://docs.example.com/valve' }]",
  )
  await run("rules", "apply", worse)
  const regression = await fossick("--against", "latest", "--fail-drop", "0.1")
  expect([regression.code, regression.stderr]).toEqual([1, expect.stringContaining("fell from 0.500 to")])
  await run("rules", "apply", await file("none.yaml", "rules: []"))
  expect((await judged("--save")).stderr).toContain("--save saves the results of the stored questions")
  expect((await fossick("--fail-drop", "0.1")).code).toBe(2)
})

test("errors in a file are reported by line", () => {
  const wrong = (text: string) => {
    try {
      return JSON.stringify(parseJudged(text, "judged.yaml"))
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(wrong("questions:\n  - question: a\n    pages:\n      - url: ftp://x\n")).toMatch(
    /^judged.yaml:4:\d+: ftp/,
  )
  expect(
    wrong("questions:\n  - question: a\n    pages:\n      - { url: 'https://x/', grade: 99 }\n"),
  ).toMatch(/^judged.yaml:4:\d+: questions.0.pages.0.grade/)
  expect(wrong("questions:\n  - pages: [{ url: 'https://x/' }]\n")).toContain("question")
})
