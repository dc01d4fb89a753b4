import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"

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
