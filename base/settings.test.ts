import type * as Files from "node:fs"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, test, vi } from "vitest"
import {
  baseUrl,
  checkSettings,
  environment,
  headerSecret,
  integer,
  list,
  oneOf,
  onOff,
  originOf,
  readSettings,
  type Setting,
  SettingsError,
  text,
} from "./settings.ts"

const folder = mkdtempSync(join(tmpdir(), "fossick-settings-"))
afterAll(() => rmSync(folder, { recursive: true }))

const secret: Setting<string> = {
  name: "FOSSICK_SECRET",
  default: "",
  about: "A secret.",
  secret: true,
  parse(value) {
    if (value === "") return value
    throw new Error("must be better")
  },
}
const parts = {
  one: {
    port: integer({ name: "FOSSICK_ONE_PORT", default: "80", about: "A port." }, 1, 99),
    name: text({ name: "FOSSICK_ONE_NAME", default: "one", about: "A name." }),
  },
  two: { switch: onOff({ name: "FOSSICK_TWO_SWITCH", default: "on", about: "A switch." }), secret },
}

test("a missing or empty setting has its default", () => {
  expect(
    readSettings({ ...parts.one, ...parts.two }, { FOSSICK_ONE_PORT: "", FOSSICK_TWO_SWITCH: "off" }),
  ).toEqual({
    port: 80,
    name: "one",
    switch: false,
    secret: "",
  })
})

test("all errors are reported at once, including unknown names, without showing secrets", () => {
  const env = {
    FOSSICK_ONE_PORT: "100",
    FOSSICK_TWO_SWITCH: "yes",
    FOSSICK_THREE: "3",
    FOSSICK_TWO_SWICTH: "on",
    X402_FOUR: "4",
    FOSSICK_SECRET: "pst",
  }
  expect(() => checkSettings(Object.values(parts), env)).toThrow(
    `Wrong settings:
  - FOSSICK_THREE isn't a Fossick setting (docs/settings.md lists them)
  - FOSSICK_TWO_SWICTH isn't a Fossick setting (docs/settings.md lists them); did you mean "FOSSICK_TWO_SWITCH"?
  - X402_FOUR isn't a Fossick setting (docs/settings.md lists them)
  - FOSSICK_ONE_PORT must be a whole number from 1 to 99 (is "100")
  - FOSSICK_TWO_SWITCH must be on or off (is "yes")
  - FOSSICK_SECRET must be better`,
  )
  expect(() => checkSettings(Object.values(parts), { FOSSICK_ONE_PORT: "99", PATH: "/bin" })).not.toThrow()
})

test("errors have a type of their own, and concern only the requested settings", () => {
  const wrong = () => readSettings(parts.one, { FOSSICK_ONE_PORT: "x", FOSSICK_TWO_SWITCH: "x" })
  expect(wrong).toThrow(SettingsError)
  expect(wrong).toThrow(
    /^Wrong settings:\n {2}- FOSSICK_ONE_PORT must be a whole number from 1 to 99 \(is "x"\)$/,
  )
  expect(wrong).toThrow(expect.objectContaining({ name: "SettingsError" }) as Error)
  expect(() => readSettings(parts.two, { FOSSICK_SECRET: "pst" })).toThrow(
    /^Wrong settings:\n {2}- FOSSICK_SECRET must be better$/,
  )
  expect(() =>
    checkSettings([], { FOSSICK_CONFIG_FILE: "a", X402_: "x", MY_FOSSICK_A: "1", X402FOO: "1" }),
  ).toThrow(/^Wrong settings:\n {2}- X402_ isn't a Fossick setting \(docs\/settings\.md lists them\)$/)
})

test("suggestions ignore the prefix that all names share", () => {
  const short = { port: integer({ name: "FOSSICK_PORT", default: "80", about: "A port." }, 1, 99) }
  const said = (name: string) => {
    try {
      checkSettings([short], { [name]: "1" })
      return ""
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(said("FOSSICK_PART")).toMatch(/did you mean "FOSSICK_PORT"\?$/)
  expect(said("FOSSICK_PAST")).toMatch(/lists them\)$/)
})

describe("a kind of setting", () => {
  const declared = { name: "FOSSICK_TEST", about: "A test." } as const
  const refused = (setting: Setting<unknown>, value: string): string => {
    try {
      return `taken: ${JSON.stringify(setting.parse(value))}`
    } catch (error) {
      return (error as Error).message
    }
  }

  test("keeps its declaration", () => {
    const one = { ...declared, default: "1" }
    for (const setting of [text(one), integer(one, 1, 2), oneOf(one, "1"), onOff(one), list(one)])
      expect(setting).toEqual({ ...one, parse: expect.any(Function) as unknown })
    for (const setting of [baseUrl(one), headerSecret(one)])
      expect(setting).toEqual({ ...one, secret: true, parse: expect.any(Function) as unknown })
  })

  test("can be a whole number within its limits", () => {
    const setting = integer({ ...declared, default: "0" }, -10, 99)
    expect(["-10", "0", "99", "007"].map((value) => setting.parse(value))).toEqual([-10, 0, 99, 7])
    for (const value of ["-11", "100", "", "1.5", "1e1", " 1", "1 ", "0x1", "--1", "ten"])
      expect(refused(setting, value)).toBe("must be a whole number from -10 to 99")
  })

  test("can be one of several words, or on or off", () => {
    const word = oneOf({ ...declared, default: "a" }, "a", "b")
    expect([word.parse("a"), word.parse("b")]).toEqual(["a", "b"])
    expect(refused(word, "c")).toBe("must be one of a, b")
    const flag = onOff({ ...declared, default: "on" })
    expect([flag.parse("on"), flag.parse("off")]).toEqual([true, false])
    for (const value of ["", "ON", "true"]) expect(refused(flag, value)).toBe("must be on or off")
  })

  test("can be a server address, with possible secrets removed", () => {
    const setting = baseUrl({ ...declared, default: "" }, "; use FOSSICK_OTHER")
    for (const [value, url] of [
      ["", ""],
      ["http://host:80", "http://host:80"],
      ["https://host/a/b//", "https://host/a/b"],
    ] as const)
      expect(setting.parse(value)).toBe(url)
    for (const value of [
      "host",
      "ftp://host/",
      "xhttp://host/",
      "httpsx://host/",
      "http://h/?a=b",
      "http://h/#a",
    ])
      expect(refused(setting, value)).toBe("must be an http or https address without a query")
    for (const value of ["http://u@host/", "http://u:p@host/", "http://:p@host/"])
      expect(refused(setting, value)).toBe(
        "must be an address without a user name or password; use FOSSICK_OTHER",
      )
    expect(refused(baseUrl({ ...declared, default: "" }), "http://u@h/")).toBe(
      "must be an address without a user name or password",
    )
  })

  test("can be a key suitable for a header", () => {
    const setting = headerSecret({ ...declared, default: "" })
    for (const value of ["", "!~", "sk-1=/+"]) expect(setting.parse(value)).toBe(value)
    for (const value of ["a b", "a\n", "ü", "\u007f"])
      expect(refused(setting, value)).toBe("must be printable ASCII without spaces")
  })

  test("can be a list", () => {
    const setting = list({ ...declared, default: "" })
    expect([setting.parse(""), setting.parse(" a , b,, c "), setting.parse(" ")]).toEqual([
      [],
      ["a", "b", "c"],
      [],
    ])
  })
})

describe("the environment", () => {
  const file = join(folder, "my.env")
  writeFileSync(file, "FOSSICK_A=file\nFOSSICK_B=file\nFOSSICK_EMPTY=file\nFOSSICK_NO=\n")
  const env = { FOSSICK_CONFIG_FILE: file, FOSSICK_A: "outside", FOSSICK_EMPTY: "" }

  test("is combined with the settings file, and takes precedence", () => {
    expect(environment(env)).toEqual({
      FOSSICK_CONFIG_FILE: file,
      FOSSICK_A: "outside",
      FOSSICK_B: "file",
      FOSSICK_EMPTY: "",
      FOSSICK_NO: "",
    })
    expect(process.report.excludeEnv).toBe(true)
  })

  test("says where a value is from", () => {
    const from = (name: string) => originOf({ name: name as "FOSSICK_A" }, env)
    expect(["FOSSICK_A", "FOSSICK_B", "FOSSICK_EMPTY", "FOSSICK_NO", "FOSSICK_C"].map(from)).toEqual([
      "environment",
      "file",
      "default",
      "default",
      "default",
    ])
  })

  test("needs no file unless one is named, which must be readable", () => {
    const without = { FOSSICK_A: "a" }
    // The tests run in a folder without a fossick.env.
    expect(environment(without)).toEqual(without)
    const none = join(folder, "none.env")
    const wrong = () => environment({ FOSSICK_CONFIG_FILE: none })
    expect(wrong).toThrow(SettingsError)
    expect(wrong).toThrow(`FOSSICK_CONFIG_FILE: cannot read ${none}`)
    expect(() => environment({ FOSSICK_CONFIG_FILE: folder })).toThrow(`cannot read ${folder}`)
  })

  describe("with a fossick.env in the working directory", () => {
    afterEach(() => {
      vi.doUnmock("node:fs")
      vi.resetModules()
    })

    /** Reads the settings from a file with this content. The file is simulated, since all tests share a working directory. */
    async function read(content: () => string) {
      vi.doMock("node:fs", async (original) => {
        const real = await original<typeof Files>()
        const readFileSync = (path: string) => (path === "fossick.env" ? content() : real.readFileSync(path))
        return { ...real, readFileSync }
      })
      vi.resetModules()
      return await import("./settings.ts")
    }

    test("is combined with it", async () => {
      const { environment, originOf } = await read(() => "FOSSICK_A=beside\n")
      expect(environment({ FOSSICK_B: "b" })).toEqual({ FOSSICK_A: "beside", FOSSICK_B: "b" })
      expect(originOf({ name: "FOSSICK_A" }, {})).toBe("file")
    })

    test("names it when it cannot be read", async () => {
      const { environment } = await read(() => {
        throw Object.assign(new Error("no"), { code: "EACCES" })
      })
      expect(() => environment({})).toThrow(
        /^Wrong settings:\n {2}- FOSSICK_CONFIG_FILE: cannot read fossick\.env$/,
      )
    })
  })
})
