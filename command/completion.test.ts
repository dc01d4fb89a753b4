import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { completionScript } from "./completion.ts"
import { COMMANDS } from "./registry.ts"

/** Suggestions for a line: `fossick jobs ` for the words after jobs. */
const OFFERS: [line: string, offered: string[]][] = [
  ["fossick cr", ["crawl"]],
  ["fossick jobs ", ["list", "show", "pause", "resume", "cancel", "skip-host"]],
  ["fossick jobs list --st", ["--state"]],
  ["fossick jobs list --state p", ["paused"]],
  ["fossick crawl --scope ", ["host", "domain", "prefix"]],
  ["fossick crawl example.com --dep", ["--depth"]],
  ["fossick completion ", ["bash", "zsh", "fish"]],
  ["fossick backup ./so", ["./some-file.tar"]],
]

describe.each(["bash", "zsh", "fish"] as const)("the script for %s", (shell) => {
  test("loads silently, and offers matching completions", { tags: [shell] }, async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, "some-file.tar"), "")
    writeFileSync(join(folder.path, "script"), await completionScript(shell, COMMANDS))
    const lines = [...OFFERS.map(([line]) => line), "fossick "]
    const program = { bash: askBash, zsh: askZsh, fish: askFish }[shell](lines)
    const args = { bash: ["--norc"], zsh: ["-f"], fish: ["--no-config"] }[shell]
    const { stdout, stderr } = await promisify(execFile)(shell, [...args, "-c", program], {
      cwd: folder.path,
      env: { PATH: process.env["PATH"], HOME: folder.path, TERM: "dumb" },
    })
    expect(stderr).toBe("")
    const offered = stdout.trimEnd().split("\n")
    // zsh completes in widgets, which need a terminal, so for zsh this only checks that the completion function is
    // registered.
    const expected = [...OFFERS.map(([, words]) => words), Object.keys(COMMANDS)]
    expect(offered.map((line) => line.split(" ").sort())).toEqual(
      shell === "zsh" ? [["_fossick"]] : expected.map((words) => words.sort()),
    )
  })
})

const askBash = (lines: readonly string[]) => `source ./script
ask() {
  COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _fossick; echo "\${COMPREPLY[*]}"
}
${lines.map((line) => `ask ${line.endsWith(" ") ? `${line}""` : line}`).join("\n")}`

const askZsh = () => `autoload -U compinit && compinit -u -d ./dump
source ./script
echo \${_comps[fossick]}`

const askFish = (lines: readonly string[]) => `source ./script
for line in ${lines.map((line) => `"${line}"`).join(" ")}
  complete -C"$line" | string split \\t -f1 | string join " "
end`
