import { mkdtempDisposable, utimes } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { expect, test } from "vitest"
import { keep, keptVersion, NEVER_KEPT, readKept } from "./kept-file.ts"

test("two writes within one tick of the clock give two versions", async () => {
  await using dir = await mkdtempDisposable(path.join(tmpdir(), "fossick-kept-"))
  const file = path.join(dir.path, "kept.bin")
  const now = new Date()
  expect(await keptVersion(file)).toBe(NEVER_KEPT)
  const versions = new Set<string>()
  for (const content of ["one", "two", "six"]) {
    await keep(file, Buffer.from(content))
    await utimes(file, now, now)
    const kept = await readKept(file, 3)
    expect(kept?.bytes.toString()).toBe(content)
    expect(await keptVersion(file)).toBe(kept?.version)
    versions.add(kept!.version)
  }
  expect(versions.size).toBe(3)
})
