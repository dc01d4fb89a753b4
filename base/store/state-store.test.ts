import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test, vi } from "vitest"

import { openStateStore } from "./state-store.ts"

const folder = mkdtempSync(join(tmpdir(), "fossick-"))
afterAll(() => rmSync(folder, { recursive: true }))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const modes = (dir: string) => new Set(readdirSync(dir).map((name) => modeOf(join(dir, name))))

test.skipIf(process.platform === "win32")(
  "what is kept is for its owner alone, new or as it was left",
  () => {
    const fresh = join(folder, "new/data")
    const left = join(folder, "left")
    mkdirSync(left)
    {
      using old = openStateStore(left)
      old.exec("create table t (x)")
    }
    chmodSync(left, 0o755)
    chmodSync(join(left, "state.db"), 0o644)
    for (const dir of [fresh, left]) {
      using db = openStateStore(dir)
      db.exec("create table if not exists u (x)")
      expect(modeOf(dir)).toBe("700")
      expect(readdirSync(dir)).toContain("state.db-wal")
      expect(modes(dir)).toEqual(new Set(["600"]))
    }
  },
)

test.skipIf(process.platform === "win32")(
  "says that it closed a folder in use to others, and nothing of the empty one of a fresh clone",
  () => {
    const dir = join(folder, "cloned")
    mkdirSync(dir)
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    try {
      openStateStore(dir).close()
      expect(modeOf(dir)).toBe("700")
      expect(said).not.toHaveBeenCalled()
      chmodSync(dir, 0o755)
      openStateStore(dir).close()
      expect(modeOf(dir)).toBe("700")
      expect(said.mock.calls.map(([text]) => text)).toEqual([
        `${dir} was open to other users (mode 755); now it is for its owner alone.\n`,
      ])
    } finally {
      said.mockRestore()
    }
  },
)
