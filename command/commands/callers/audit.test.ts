import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { expect, test } from "vitest"

import type { AuditEntry } from "#base/audit/audit-log.ts"

import { COMMANDS } from "../../registry.ts"
import { type CommandSpec, isGroup } from "../../spec.ts"
import { FOSSICK, refusalOf } from "../../testing/fossick.ts"

// `fossick audit` as a program, on a data folder that other commands change.

const run = promisify(execFile)

test("changes by commands are recorded with who typed them, and can be shown, found and exported", async () => {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), "fossick-audit-"))
  opened.defer(() => rm(folder, { recursive: true }))
  const env = { PATH: process.env["PATH"], FOSSICK_DATA_DIR: join(folder, "data") }
  const fossick = async (...args: readonly string[]) =>
    (await run(process.execPath, [FOSSICK, ...args], { cwd: folder, env })).stdout
  const key = JSON.parse(await fossick("keys", "create", "--name", "chat", "--json")) as {
    id: string
    key: string
  }
  await fossick("keys", "disable", key.id)
  await writeFile(
    join(folder, "rules.yaml"),
    "rules:\n  - { id: pumps, kind: synonym, words: [pump, compressor] }\n",
  )
  await fossick("rules", "apply", "rules.yaml")
  // These commands change nothing, or are refused.
  await fossick("keys", "list")
  await expect(fossick("rules", "apply", "none.yaml")).rejects.toThrow(/none\.yaml/)
  const entries = (await fossick("audit", "--json"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditEntry)
  expect(entries.map(({ action, object }) => [action, object])).toEqual([
    ["fossick rules apply", "rules/rules.yaml"],
    ["fossick keys disable", `keys/${key.id}`],
    ["fossick keys create", `keys/${key.id}`],
  ])
  expect(entries[2]).toMatchObject({
    who: { kind: "command", id: userInfo().username },
    changes: expect.arrayContaining([{ field: "name", before: null, after: '"chat"' }]) as unknown,
  })
  expect(await fossick("audit", "--object", "keys", "--limit", "1")).toMatch(/fossick keys disable/)
  expect(await fossick("audit", "--who", "nobody")).toBe("No changes were recorded.\n")
  const file = await fossick("audit", "--all")
  expect(file.trim().split("\n")).toHaveLength(3)
  expect(file).not.toContain(key.key)
  expect(await readFile(join(folder, "data", "state.db"), "latin1")).not.toContain(key.key)
  expect(await refusalOf("audit", "--from", "yesterday")).toMatch(/--from must be a time like/)
})

test("commands named like a change are declared as one", async () => {
  const specs = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { load }]) => {
      const spec = await load()
      return isGroup(spec)
        ? Object.entries(spec.commands).map(([one, of]) => [`${name} ${one}`, of] as const)
        : [[name, spec] as const]
    }),
  )
  const orders =
    /^(create|public|disable|enable|set|delete|apply|run|pause|resume|cancel|skip-host|accept|approve|reject|restore|repair|upgrade|model|rollback|drop|import|crawl)$/
  const silent = specs
    .flat()
    .filter(
      ([path, spec]: readonly [string, CommandSpec]) =>
        orders.test(path.split(" ").at(-1)!) && spec.changes === undefined,
    )
  expect(silent.map(([path]) => path)).toEqual([])
})
