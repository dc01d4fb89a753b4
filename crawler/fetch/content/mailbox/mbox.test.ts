import { writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { madeUp } from "#base/testing/made-up.ts"
import { temporaryFolder } from "../../../testing/crawl-fixture.ts"
import { mboxMessages, unquoted } from "./mbox.ts"

const LINE = "From ada@mail.example Thu Jan  1 10:00:00 2026\n"

/** The messages of an mbox, without their From lines, as their authors wrote them. */
async function messagesIn(text: string, from = 0): Promise<string[]> {
  using folder = temporaryFolder()
  const path = join(folder.path, "box")
  writeFileSync(path, text)
  await using file = await open(path)
  const messages = await Array.fromAsync(mboxMessages(file, from, Buffer.byteLength(text)))
  for (const { at, length } of messages) expect(at + length).toBeLessThanOrEqual(Buffer.byteLength(text))
  return messages.map(({ raw }) => unquoted(raw).toString())
}

test("an mbox is split at its From lines, and quoted lines are restored", async () => {
  const first = "Subject: one\n\n>From here on.\n>>From there.\n> From a quote.\n\n"
  const second = "Subject: two\n\nText\n"
  expect(await messagesIn(LINE + first + LINE + second)).toEqual([
    "Subject: one\n\nFrom here on.\n>From there.\n> From a quote.\n\n",
    second,
  ])
})

test("a line of text that begins with From starts no message, with or without an empty line above", async () => {
  const text = [
    "Subject: one",
    "",
    "Dear all,",
    "",
    "From 10:30 in 2026 we are in the other room.",
    "From Monday on, too.",
    "",
    "From my point of view 2026 begins at 10:30",
    "and ends: never.",
    "",
    "",
  ].join("\n")
  expect(await messagesIn(LINE + text)).toEqual([text])
})

test.each([
  "From - Sat Jan 01 10:00:00 2026",
  "From MAILER-DAEMON Thu Jan  1 10:00:00 2026",
  "From ada at mail.example  Thu Jan  1 10:00:00 2026",
  "From 1650000000000000000@xxx Thu Jan 01 10:00:00 +0000 2026",
  "From ada@mail.example Thu Jan  1 10:00 MET 2026",
])("a message begins at: %s", async (line) => {
  const message = "Subject: one\n\nText\n\n"
  expect(await messagesIn(`${line}\n${message}${line}\r\n${message}`)).toEqual([message, message])
})

test("a message whose header is incomplete is left out", async () => {
  const one = `${LINE}Subject: one\n\nText\n\n`
  for (const part of [LINE, `${LINE}Subj`, `${LINE}Subject: two\n`, "From ada@ma"])
    expect(await messagesIn(one + part)).toHaveLength(1)
  expect(await messagesIn(`${one}${LINE}Subject: two\n\n`)).toHaveLength(2)
  expect(await messagesIn("")).toEqual([])
  expect(await messagesIn("no mailbox at all")).toEqual([])
})

test("messages of any size are read whole, wherever the reader's chunks end", async () => {
  const sizes = fc.array(fc.oneof(fc.nat(50), fc.integer({ min: 1_048_000, max: 1_049_000 })), {
    minLength: 1,
    maxLength: 5,
  })
  await fc.assert(
    fc.asyncProperty(sizes, async (each) => {
      const messages = each.map((size, at) => `Subject: ${at}\n\n${"x\n".repeat(size / 2)}\n`)
      expect(await messagesIn(messages.map((message) => LINE + message).join(""))).toEqual(messages)
    }),
    madeUp(6),
  )
})
