import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { identityOf } from "./raw-message.ts"
import { readMessage } from "./read-message.ts"

const read = async (...lines: readonly string[]) => await readMessage(Buffer.from(lines.join("\n")))

const mail = async (name: string) =>
  await readMessage(readFileSync(join(import.meta.dirname, "testing/mails", name)))

/** A multipart message with these parts. */
const parts = (kind: string, ...each: readonly string[]) =>
  [
    "From: ada@mail.example",
    "Subject: Parts",
    `Content-Type: multipart/${kind}; boundary=b`,
    "",
    ...each.flatMap((part) => ["--b", part]),
    "--b--",
    "",
  ].join("\n")

describe("messages from other programs read as in Python's email package", () => {
  test.each([
    ["iso-2022-jp.eml", "まみむめも", "すみません。"],
    [
      "shift-jis.eml",
      "test",
      "あいうえお\n\nこのメールはテスト用のメールです。\n\n今後ともよろしくお願い申し上げます！",
    ],
    ["ks-c-5601.eml", "test", "스티해"],
    [
      "signed.eml",
      "Re: Testing multipart/signed",
      "This is random text, not what has been signed below, ie, this sig\nemail is not signed correctly.",
    ],
  ])("%s", async (name, subject, text) => {
    const message = await mail(name)
    expect({ ...message, text: message.text.trim() }).toMatchObject({ subject, text, attachments: [] })
  })

  test("names of attached files, raw and encoded", async () => {
    expect((await mail("raw-utf-8-name.eml")).attachments).toMatchObject([
      { name: "ciële.txt", type: "text/plain" },
    ])
    const { attachments } = await mail("long-japanese-name.eml")
    expect(attachments).toMatchObject([{ name: `${"かきくけこ".repeat(5)}.txt` }])
    expect(Buffer.from(attachments[0]!.content).toString().trim()).toBe("this is the data")
  })

  test("a message within a message is read with its files", async () => {
    const { text, attachments } = await mail("forwarded.eml")
    expect(text).toContain("This is the first part.")
    expect(text).toContain("Just attaching another PDF, here, to see what the message looks like,")
    expect(attachments).toMatchObject([{ name: "broken.pdf", type: "application/pdf" }])
  })
})

test("format=flowed lines are joined, and quotes stay quotes", async () => {
  const { text } = await read(
    "Content-Type: text/plain; format=flowed",
    "",
    "> Is it a long ",
    "> line?",
    "It is a line that ",
    "flows on.",
  )
  expect(text.trim().split("\n").at(-1)).toBe("It is a line that flows on.")
  expect(text).toMatch(/^> Is it a long/)
})

test("undeclared bytes that are not UTF-8 are read as Windows-1252", async () => {
  const message = await readMessage(
    Buffer.from("From: J\xf6rn <j@mail.example>\nSubject: Gr\xfc\xdfe\n\nK\xe4se \x80 5\n", "latin1"),
  )
  expect(message).toMatchObject({ from: "Jörn", subject: "Grüße" })
  expect(message.text.trim()).toBe("Käse € 5")
})

test("plain text is read, unless the HTML has much more text", async () => {
  const html =
    "Content-Type: text/html\n\n<p>The ferry leaves at <b>nine</b>.</p><style>p{}</style><p>Bye</p>"
  expect((await read(parts("alternative", "Content-Type: text/plain\n\nAt nine.", html))).text.trim()).toBe(
    "At nine.",
  )
  const long = `Content-Type: text/html\n\n<p>${"The ferry leaves at nine. ".repeat(10)}</p>`
  const note = "Content-Type: text/plain\n\nYour program can't show HTML."
  expect((await read(parts("alternative", note, long))).text).toContain("leaves at nine. The ferry")
  expect((await read(parts("mixed", html))).text).toBe("The ferry leaves at nine.\n\nBye")
})

test("HTML keeps its lists, tables, links and quotes, and hidden text is left out", async () => {
  const { text } = await read(
    "Content-Type: text/html",
    "",
    `<div style="display:none">preview</div><div>Dear Bob,</div><div>see <a href="https://a.example/x">this</a>:</div>`,
    "<ul><li>one<li>two</ul><table><tr><td>Mon</td><td>9:00</td></tr><tr><td>Tue</td><td>10:00</td></tr></table>",
    `<div class="gmail_quote"><div>Ada wrote:</div><blockquote class="gmail_quote"><p>When?</p><blockquote>Never</blockquote></blockquote></div>`,
  )
  expect(text).toBe(
    "Dear Bob,\nsee this <https://a.example/x>:\n\n- one\n- two\n\nMon 9:00\nTue 10:00\n\nAda wrote:\n\n> When?\n\n> > Never",
  )
})

test("pictures in the text, signatures and reports are not attached files", async () => {
  const message = parts(
    "mixed",
    "Content-Type: text/plain\n\nHello",
    `Content-Type: image/png; name="logo.png"\nContent-ID: <1>\nContent-Disposition: inline\n\nx`,
    `Content-Type: application/pkcs7-signature; name="smime.p7s"\nContent-Disposition: attachment\n\nx`,
    `Content-Type: application/octet-stream; name="winmail.dat"\nContent-Disposition: attachment\n\nx`,
    `Content-Type: application/pdf; name="../../etc/report.pdf"\nContent-Disposition: attachment\n\nx`,
    `Content-Type: image/jpeg; name="photo.jpg"\nContent-Disposition: attachment\n\nx`,
  )
  const { attachments } = await read(message)
  expect(attachments.map(({ name }) => name)).toEqual(["report.pdf", "photo.jpg"])
})

test("endlessly nested parts and endless headers still yield a subject", async () => {
  let bomb = "Content-Type: text/plain\n\nHello"
  for (let depth = 0; depth < 2000; depth += 1)
    bomb = `Content-Type: multipart/mixed; boundary=b${depth}\n\n--b${depth}\n${bomb}\n--b${depth}--`
  expect(await read(`From: Ada <ada@mail.example>\nSubject: Bomb\n${bomb}`)).toMatchObject({
    subject: "Bomb",
    from: "Ada",
    attachments: [],
  })
  let nested = "Subject: inside\n\nHello"
  for (let depth = 0; depth < 100; depth += 1)
    nested = `Subject: ${depth}\nContent-Type: message/rfc822\n\n${nested}`
  expect((await read(nested)).subject).toBe("99")
  expect(await readMessage(Buffer.alloc(0))).toMatchObject({
    subject: "",
    from: "",
    text: "",
    attachments: [],
  })
  expect((await readMessage(Buffer.from([0, 255, 10, 10, 254, 0]))).attachments).toEqual([])
})

describe("the identity of a message", () => {
  const identity = (...lines: readonly string[]) => {
    const raw = Buffer.from(lines.join("\n"))
    return identityOf(raw, raw.length)
  }
  const dated = (...lines: readonly string[]) => identity(...lines, "", "Hello").sentAt

  test("changes with its text, and not with flags, folders and lists", () => {
    const own = ["From: a@mail.example", "Message-ID: <1@x>", "Date: Thu, 1 Jan 2026 10:00:00 +0100"]
    const one = identity(...own, "", "Hello", "")
    const marked = identity(
      "From a@mail.example Thu Jan  1 10:00:00 2026",
      "X-Mozilla-Status: 0001",
      ...own,
      "Status: RO",
      "",
      "Hello",
      "",
      "",
    )
    expect(marked).toEqual(one)
    const byList = identity(...own, "List-Id: x", "", "Hello", "____", "x@lists.example")
    expect(byList.key).toBe(one.key)
    expect(byList.sum).not.toBe(one.sum)
    expect(identity("From: b@mail.example", ...own.slice(1), "", "Hello").key).not.toBe(one.key)
  })

  test("comes from its text when it has no id", () => {
    const one = identity("From: a@mail.example", "Subject: S", "", "Hello")
    expect(one.id).toBe(null)
    expect(identity("From: a@mail.example", "Subject: S", "Status: R", "", "Hello").key).toBe(one.key)
    expect(identity("From: a@mail.example", "Subject: S", "", "Hallo").key).not.toBe(one.key)
  })

  test("references are found in folded, broken and old headers", () => {
    const id = (name: string) => identity(`Message-ID: <${name}>`, "", "").id
    const refs = (...lines: readonly string[]) => identity("Message-ID: <me@x>", ...lines, "", "Hello").refs
    expect(refs("References: <a@x>", "\t<b@x>", "In-Reply-To: <c@x>")).toEqual(["a@x", "b@x", "c@x"].map(id))
    expect(refs("References: <a@x> <me@x> <a@x>")).toEqual([id("a@x")])
    expect(refs("In-Reply-To: Your message of Monday. <a@x>")).toEqual([id("a@x")])
    expect(refs("In-Reply-To: a@x")).toEqual([id("a@x")])
    expect(refs(`References: ${Array.from({ length: 900 }, (_, at) => `<${at}@x>`).join(" ")}`)).toHaveLength(
      50,
    )
  })

  test("a missing or wrong date is replaced by the server's", () => {
    const received = "Received: from a by b; Thu, 1 Jan 2026 10:00:00 +0000"
    const then = Date.UTC(2026, 0, 1, 10)
    expect(dated("Date: Thu, 1 Jan 2026 11:00:00 +0100 (CET)")).toBe(then)
    expect(dated("Date: 1 Jan 26 10:00 GMT")).toBe(then)
    expect(dated("Date: Thu, 1 Jan 2026 10:00:00")).toBe(then)
    expect(dated(received, "Date: Thu, 1 Jan 2099 10:00:00 +0000")).toBe(then)
    expect(dated(received, "Date: Thu, 1 Jan 1970 00:00:00 +0000")).toBe(then)
    expect(dated(received, "Date: yesterday")).toBe(then)
    expect(dated("From a@x Thu Jan  1 10:00:00 2026", "Subject: none")).toBe(then)
    expect(dated("Subject: none")).toBe(null)
    expect(dated(`Date: 1${" ".repeat(900_000)}x y`)).toBe(null)
  })
})
