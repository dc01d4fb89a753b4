import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

import { describe, expect, test } from "vitest"

import { checkSettings, readSettings } from "#base/settings.ts"
import { apiSettings } from "../../api/settings.ts"
import { x402Settings } from "../../api/doors/x402/settings.ts"
import { crawlerSettings } from "#crawler/settings.ts"
import { engineSettings } from "#engine/settings.ts"
import { parseEnv } from "node:util"
import { PLACES } from "./places.ts"
import { firstSettings, unitFor } from "./unit.ts"

const ROOT = join(import.meta.dirname, "../..")
const read = (path: string) => readFileSync(join(ROOT, path), "utf8")

test("the handbook shows the unit unchanged", () => {
  expect(read("docs/run-as-a-service.md")).toContain(
    `\`\`\`ini\n${read("command/service/fossick.service").trim()}\n\`\`\``,
  )
})

describe("the systemd unit", () => {
  test("starts this installation, whatever its folder is called", () => {
    const unit = unitFor({ node: '/opt/my "50%" $HOME/node', fossick: "/opt/fossick/command/fossick.js" })
    expect(unit).toContain(
      '\nExecStart="/opt/my \\"50%%\\" $$HOME/node" "/opt/fossick/command/fossick.js" start\n',
    )
    expect(unit.match(/^ExecStart=/gm)).toHaveLength(1)
  })

  test("gives the appliance enough time to stop", () => {
    const { shutdownSeconds } = readSettings(apiSettings, {})
    const [, stop] = /^TimeoutStopSec=(\d+)$/m.exec(read("command/service/fossick.service"))!
    expect(Number(stop)).toBeGreaterThan(shutdownSeconds + 5)
  })
})

test("the first settings are valid, with a key of their own that the appliance accepts", () => {
  const settings = parseEnv(firstSettings())
  checkSettings([engineSettings, crawlerSettings, apiSettings, x402Settings], settings)
  expect(readSettings(apiSettings, settings).apiKey).toMatch(/^fsk-[\w-]{43}$/)
  expect(readSettings(engineSettings, settings).dataDir).toBe(PLACES.data)
  expect(readSettings(crawlerSettings, settings).sourcesFile).toBe(PLACES.sources)
  expect(firstSettings()).not.toBe(firstSettings())
})

test("--dry-run shows every step and performs none", async () => {
  const before = existsSync(PLACES.unit)
  const fossick = (...args: string[]) =>
    promisify(execFile)(
      process.execPath,
      [join(ROOT, "command/fossick.js"), "service", ...args, "--dry-run"],
      {
        env: { PATH: process.env["PATH"] },
      },
    )
  const { stdout } = await fossick("uninstall")
  expect(stdout).toContain("/var/lib/fossick and the user fossick would be kept")
  const { stdout: steps } = await fossick("install")
  for (const place of Object.values(PLACES)) expect(steps).toContain(place)
  expect(steps).not.toMatch(/^done/m)
  expect(existsSync(PLACES.unit)).toBe(before)
})
