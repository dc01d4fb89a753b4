import { execFile } from "node:child_process"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { engineSettings } from "#engine/config.ts"
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
    X402_FOUR: "4",
    FOSSICK_SECRET: "pst",
  }
  expect(() => checkSettings(Object.values(parts), env)).toThrow(
    `Wrong settings:
  - FOSSICK_THREE is no setting of Fossick (docs/settings.md lists them)
  - X402_FOUR is no setting of Fossick (docs/settings.md lists them)
  - FOSSICK_ONE_PORT must be a whole number from 1 to 99 (is "100")
  - FOSSICK_TWO_SWITCH must be on or off (is "yes")
  - FOSSICK_SECRET must be better`,
  )
  expect(() => checkSettings(Object.values(parts), { FOSSICK_ONE_PORT: "99", PATH: "/bin" })).not.toThrow()
})

test("a model hub's password is refused and not repeated", () => {
  const env = { FOSSICK_MODEL_HUB: "https://me:pass@hub.example" }
  expect(() => readSettings(engineSettings, env)).toThrow(
    /FOSSICK_MODEL_HUB must be an address without user name and password$/,
  )
})

describe("the commands", () => {
  test.each([
    ["engine/commands/search-command.ts", ["why?"]],
    ["engine/commands/index-command.ts", ["upgrade"]],
    ["crawler/commands/crawl/crawl-command.ts", ["example.com"]],
  ])("%s refuses a wrong value with code 2, before it does anything", async (command, args) => {
    const { code, stderr } = await run(command, args, {
      FOSSICK_EMBED_THREADS: "many",
      FOSSICK_DATA_DIR: "/dev/null/nowhere",
    })
    expect(stderr).toBe(
      'Wrong settings:\n  - FOSSICK_EMBED_THREADS must be a whole number from 0 to 256 (is "many")\n',
    )
    expect(code).toBe(2)
  })

  test("a crawl names those of the engine and the crawler together", async () => {
    const wrong = {
      FOSSICK_EMBED_THREADS: "many",
      FOSSICK_ALLOWED_NETWORKS: "10.0.0.0/8,what is this",
      FOSSICK_USER_AGENT: "Bot\nX: y",
    }
    const { stderr } = await run("crawler/commands/crawl/crawl-command.ts", ["example.com"], wrong)
    for (const name of Object.keys(wrong)) expect(stderr).toContain(`- ${name} must be`)
  })
})

function run(command: string, args: readonly string[], env: Record<string, string>) {
  const script = join(import.meta.dirname, "..", command)
  return new Promise<{ code: unknown; stderr: string }>((resolve) => {
    const options = { env: { PATH: process.env["PATH"], NODE_NO_WARNINGS: "1", ...env } }
    execFile(process.execPath, [script, ...args], options, (error, _, stderr) => {
      resolve({ code: error?.code ?? 0, stderr })
    })
  })
}
