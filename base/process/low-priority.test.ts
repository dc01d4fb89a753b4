import { execFileSync } from "node:child_process"
import { getPriority } from "node:os"
import { expect, test } from "vitest"

const MODULE = new URL("low-priority.ts", import.meta.url).href

test.runIf(process.platform === "linux")(
  "a process goes behind others with all that it starts, and never before those that it was behind already",
  () => {
    const program = `
      import { execFileSync } from "node:child_process"
      import { getPriority, setPriority } from "node:os"
      import { goBehindOthers } from ${JSON.stringify(MODULE)}
      const seen = []
      const look = () => seen.push(getPriority(), Number(execFileSync("nice")))
      goBehindOthers()
      look()
      setPriority(15)
      goBehindOthers()
      look()
      console.log(JSON.stringify(seen))`
    const out = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
      encoding: "utf8",
    })
    const behind = Math.max(5, getPriority())
    expect(JSON.parse(out)).toEqual([behind, behind, 15, 15])
  },
)
