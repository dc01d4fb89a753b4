import { expect, it } from "vitest"
import { detectLanguage } from "./detect-language.ts"

it("knows languages by codes of two letters, and says nothing of the others", () => {
  expect(
    detectLanguage("Die Schleuse wird geöffnet, wenn das Becken voll ist und die Boote fest sind."),
  ).toBe("de")
  // Kabyle, `ber`.
  expect(
    detectLanguage("azul fell-awen, nekkni d imaziɣen n tmurt n leqbayel, tanemmirt nwen") ?? "",
  ).toMatch(/^(?:|[a-z]{2})$/)
  expect(detectLanguage("4711 0815")).toBeNull()
})
