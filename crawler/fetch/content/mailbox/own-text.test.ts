import { expect, test } from "vitest"
import { ownText, SaidBefore } from "./own-text.ts"

/** The displayed text of each message of a thread. */
function shown(...messages: readonly string[]): string[] {
  const said = new SaidBefore()
  return messages.map((text) =>
    ownText(text, said)
      .map(({ kind, lines }) => lines.map((line) => (kind === "quote" ? `> ${line}` : line)).join("\n"))
      .join("\n\n"),
  )
}

const QUESTION = "Hello Bob,\n\nwhen does the ferry to the northern island leave on Sundays in winter?\n\nAda"

test("a quote of an earlier message is left out with its introduction, whatever its line breaks", () => {
  const answer = [
    "On Mon, 5 Jan 2026 at 10:14, Ada Lovelace <ada@mail.example>",
    "wrote:",
    "> Hello Bob,",
    ">",
    "> when does the ferry to the",
    "> northern island leave on",
    "> Sundays in winter?",
    "",
    "At nine.",
  ].join("\n")
  expect(shown(QUESTION, answer)[1]).toBe("At nine.")
})

test("answers between quoted lines stay in place", () => {
  const question = "Which colour do we take for the door?\n\nAnd who is going to buy the paint?"
  const answer =
    "Ada schrieb am 5.1.2026 um 10:14:\n> Which colour do we take for the door?\nGreen.\n\n> And who is going to buy the paint?\nI do."
  expect(shown(question, answer)[1]).toBe("Green.\n\nI do.")
})

test("a quote of text from outside the thread stays", () => {
  const text = "The contract says:\n\n> The tenant paints the door every seven years.\n\nSo we do."
  expect(shown(text)[0]).toBe(text)
  expect(shown("Hello", text)[1]).toBe(text)
})

test("text that an author repeats without quoting it stays", () => {
  expect(shown(QUESTION, QUESTION)[1]).toBe(QUESTION)
  const patch = "Fixes: the ferry\nCc: Bob <bob@mail.example>\nSigned-off-by: Ada <ada@mail.example>"
  expect(shown(`One\n\n${patch}`, `Two\n\n${patch}`)[1]).toBe(`Two\n\n${patch}`)
})

test.each([
  [
    "-----Original Message-----\nFrom: Ada Lovelace\nSent: Monday, 5 January 2026 10:14\nTo: Bob\nSubject: Ferry",
  ],
  [
    "-----Ursprüngliche Nachricht-----\nVon: Ada Lovelace\nGesendet: Montag, 5. Januar 2026 10:14\nAn: Bob\nBetreff: Fähre",
  ],
  ["De : Ada Lovelace <ada@mail.example>\nEnvoyé : lundi 5 janvier 2026 10:14\nÀ : Bob\nObjet : Ferry"],
  [
    "________________________________\nVan: Ada Lovelace\nVerzonden: maandag 5 januari 2026 10:14\nAan: Bob\nOnderwerp: Veer",
  ],
])("text below a header is left out when the thread already has it: %s", (header) => {
  expect(shown(QUESTION, `At nine.\n\n${header}\n\n${QUESTION}`)[1]).toBe("At nine.")
  expect(shown("Something else", `At nine.\n\n${header}\n\n${QUESTION}`)[1]).toContain(
    "> when does the ferry",
  )
})

test("a signature and a list's footer appear once in a thread", () => {
  const footer = "_______________________________________________\nferry mailing list\nferry@lists.example"
  const signature = "-- \nAda Lovelace, +44 20 7946 0018"
  const [first, second] = shown(`One.\n\n${signature}\n${footer}`, `Two.\n\n${signature}\n${footer}`)
  expect(first).toContain("+44 20 7946 0018")
  expect(first).toContain("ferry@lists.example")
  expect(second).toBe("Two.")
})

test("a line with a date and a colon stays above a quote that stays", () => {
  const text = "These are the departures of 2026:\n> nine\n> ten"
  expect(shown("Hello", text)[1]).toBe("These are the departures of 2026:\n\n> nine\n> ten")
})
