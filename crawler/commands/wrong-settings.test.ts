import { execFile } from "node:child_process"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import { readSettings } from "#base/settings.ts"
import { engineSettings } from "#engine/settings.ts"

test("a model hub's password is refused and not repeated", () => {
  const env = { FOSSICK_MODEL_HUB: "https://me:pass@hub.example" }
  expect(() => readSettings(engineSettings, env)).toThrow(
    /FOSSICK_MODEL_HUB must be an address without a user name or password$/,
  )
})

describe("wrong settings of commands", () => {
  test.each([
    ["search", ["why?"]],
    ["index", ["upgrade"]],
    ["crawl", ["example.com"]],
  ])("%s rejects a wrong value with code 2 before it does anything", async (command, args) => {
    const { code, stderr } = await run(command, args, {
      FOSSICK_EMBED_THREADS: "many",
      FOSSICK_DATA_DIR: "/dev/null/nowhere",
    })
    expect(stderr).toBe(
      'Wrong settings:\n  - FOSSICK_EMBED_THREADS must be a whole number from 0 to 256 (is "many")\n',
    )
    expect(code).toBe(2)
  })

  test("a crawl reports wrong settings of the engine and the crawler together", async () => {
    const wrong = {
      FOSSICK_EMBED_THREADS: "many",
      FOSSICK_ALLOWED_NETWORKS: "10.0.0.0/8,what is this",
      FOSSICK_USER_AGENT: "Bot\nX: y",
    }
    const { stderr } = await run("crawl", ["example.com"], wrong)
    for (const name of Object.keys(wrong)) expect(stderr).toContain(`- ${name} must be`)
  })
})

function run(command: string, args: readonly string[], env: Record<string, string>) {
  const script = join(import.meta.dirname, "../../command/fossick.js")
  return new Promise<{ code: unknown; stderr: string }>((resolve) => {
    const options = { env: { ...CHILD_ENV, NODE_NO_WARNINGS: "1", ...env } }
    execFile(process.execPath, [script, command, ...args], options, (error, _, stderr) => {
      resolve({ code: error?.code ?? 0, stderr })
    })
  })
}
