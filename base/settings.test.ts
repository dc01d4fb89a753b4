import { expect, test } from "vitest"
import { checkSettings, integer, onOff, readSettings, type Setting, text } from "./settings.ts"

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

test("what is not set, or set to nothing, has its default", () => {
  expect(
    readSettings({ ...parts.one, ...parts.two }, { FOSSICK_ONE_PORT: "", FOSSICK_TWO_SWITCH: "off" }),
  ).toEqual({
    port: 80,
    name: "one",
    switch: false,
    secret: "",
  })
})

test("everything that is wrong is reported at once, unknown names too, without a secret's value", () => {
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
  - FOSSICK_THREE is no setting of Fossick (docs/settings.md lists them)
  - FOSSICK_TWO_SWICTH is no setting of Fossick (docs/settings.md lists them); did you mean "FOSSICK_TWO_SWITCH"?
  - X402_FOUR is no setting of Fossick (docs/settings.md lists them)
  - FOSSICK_ONE_PORT must be a whole number from 1 to 99 (is "100")
  - FOSSICK_TWO_SWITCH must be on or off (is "yes")
  - FOSSICK_SECRET must be better`,
  )
  expect(() => checkSettings(Object.values(parts), { FOSSICK_ONE_PORT: "99", PATH: "/bin" })).not.toThrow()
})
