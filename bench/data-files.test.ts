import { mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { readJsonLines } from "./data-files.ts"

test("a line of data in another format is rejected, with its file and number", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fossick-data-"))
  const file = pathToFileURL(join(folder.path, "questions.jsonl"))
  const shape = { properties: { text: { type: "string" } } } as const
  writeFileSync(file, '{"text": "what is WAL"}\n{"text": "what is a page"}\n')
  expect(readJsonLines(file, shape)).toEqual([{ text: "what is WAL" }, { text: "what is a page" }])
  writeFileSync(file, '{"text": "what is WAL"}\n{"txt": "what is a page"}\n')
  expect(() => readJsonLines(file, shape)).toThrow(/questions\.jsonl, line 2: .*must have property 'text'/)
})
