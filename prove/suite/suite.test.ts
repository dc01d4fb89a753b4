import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"

import { expect, test } from "vitest"

import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"

import { LONG_FILES } from "./long-files.ts"
import { missingNeeds } from "./needs.ts"
import { STATE_FILES } from "./state-files.ts"

const ROOT = join(import.meta.dirname, "../..")
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs")

const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [VITEST, "run", ...args], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", ...env },
  })
  return { status, text: stdout + stderr, lastLine: stdout.trim().split("\n").at(-1) }
}

test("a file that leaves a folder, a port or a process behind fails, and skipped tests are listed with reasons", () => {
  const { status, text, lastLine } = run(["--config", "prove/suite/testing/vitest.config.ts"])
  expect(status).toBe(1)
  expect(text).toMatch(
    /left behind the folder or file left-by-a-test-\w+, the process \d+: .*setInterval.*, 1 listening ports/,
  )
  expect(text).toContain("Skipped 1 (rocket: build a rocket):\n  1 in untidy.fixture.ts")
  expect(text).toContain("Skipped 1 (the moon is down):")
  expect(text).toContain("Skipped 1 (no reason given):")
  expect(lastLine).toBe("1 passed, 1 failed, 3 skipped")
})

test("a run that was promised a program doesn't start without it", () => {
  using folder = temporaryFolder()
  const { status, text } = run(["base/text/retry-after.test.ts"], {
    FOSSICK_TEST_NEEDS: "promtool",
    PATH: folder.path,
  })
  expect(status).not.toBe(0)
  expect(text).toContain("promtool is missing, and this run must not skip its tests")
  expect(text).not.toMatch(/\d passed/)
})

test("every file named in a list exists", () => {
  const named = [...LONG_FILES, ...STATE_FILES]
  expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})

test("an unknown need is reported to whoever promises it", async () => {
  await expect(missingNeeds({ FOSSICK_TEST_NEEDS: "chromum" })).rejects.toThrow("chromum isn't a need")
})

test(
  "when apt-get fails, .ci/install fails too and still names what must not be skipped",
  { tags: ["linux"] },
  () => {
    using folder = temporaryFolder()
    const programs = join(folder.path, "bin")
    const asked = join(folder.path, "asked")
    mkdirSync(programs)
    for (const name of ["dirname", "mkdir", "sed", "cat", "touch", "tar"]) {
      const there = (process.env["PATH"] ?? "").split(delimiter).map((path) => join(path, name))
      symlinkSync(
        there.find((path) => spawnSync(path, ["--version"]).error === undefined)!,
        join(programs, name),
      )
    }
    const fake = (name: string, lines: string) => {
      writeFileSync(join(programs, name), `#!/bin/sh\n${lines}\n`)
      chmodSync(join(programs, name), 0o755)
    }
    fake("id", "echo 0")
    fake("npm", "exit 0")
    fake("node", "exit 0")
    fake("python3", "exit 1")
    fake("apt-get", `echo "$*" >>'${asked}'; exit 100`)
    const tools = join(folder.path, "tools")
    const { status, stderr } = spawnSync("/bin/bash", [join(ROOT, ".ci/install"), tools], {
      env: { PATH: programs },
      encoding: "utf8",
    })
    expect(status).toBe(1)
    expect(stderr).toContain("Not everything that the tests need could be installed")
    const calls = readFileSync(asked, "utf8").split("\n")
    expect(calls.filter((call) => call.startsWith("update"))).toHaveLength(1)
    expect(calls.find((call) => call.startsWith("install"))).toContain("chromium")
    expect(readFileSync(join(tools, "env"), "utf8")).toContain(
      "needs='chromium postgresql git acl strace promtool schemathesis oikb recognition dovecot keycloak dokuwiki'",
    )
  },
)
