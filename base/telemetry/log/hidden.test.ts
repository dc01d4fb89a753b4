import { expect, test } from "vitest"

import { hidden } from "./hidden.ts"

const SECRET = "pa/ss+word-1"

test("a repeated secret is hidden, however it is written, and the rest stays", () => {
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

test("a base64-encoded secret is hidden at any position, in either alphabet, whatever surrounds it", () => {
  // In base64 these contain many `+` and `/`, which the URL-safe alphabet replaces with `-` and `_`.
  for (const secret of ["ûïþûïþûïþ", "?>?>?>?>~~~", "six_ch"]) {
    for (const before of ["", "a", "ab", "abc"])
      for (const after of ["", "z", "zz", "zzz"])
        for (const encoding of ["base64", "base64url"] as const) {
          const said = Buffer.from(`${before}${secret}${after}`).toString(encoding)
          expect(hidden(`x ${said} y`, [secret])).toBe("x … y")
        }
    const twice = Buffer.from(secret).toString("base64")
    expect(hidden(`x ${twice} and ${twice} y`, [secret])).toBe("x … and … y")
    expect(hidden(`x ${secret} and ${secret} y`, [secret])).toBe("x … and … y")
  }
  expect(hidden("five5 stays, six_ch not", ["five5", "six_ch"])).toBe("five5 stays, … not")
})
