import { expect, test } from "vitest"

import { hidden } from "./hidden.ts"

const SECRET = "pa/ss+word-1"

test("a secret that somebody repeats is hidden, however it is written, and the rest stays", () => {
  const plain = Buffer.from(`\0fossick\0${SECRET}`).toString("base64")
  expect(hidden(`535 no entry with AUTH PLAIN ${plain}`, [SECRET])).toBe("535 no entry with AUTH PLAIN …")
  for (const before of ["", "a", "ab", "crawler:"]) {
    for (const encoding of ["base64", "base64url"] as const) {
      const said = Buffer.from(`${before}${SECRET}.`).toString(encoding)
      expect(hidden(`with ${said}, said`, [SECRET])).toBe("with …, said")
    }
  }
  expect(hidden(`at http://u:${encodeURIComponent(SECRET)}@host/`, [SECRET])).toBe("at http://u:…@host/")
  expect(hidden(`{"said":"${SECRET}"}`, ["another-one", SECRET])).toBe('{"said":"…"}')
  expect(hidden("a short one stays", ["one", ""])).toBe("a short one stays")
})
