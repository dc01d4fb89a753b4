#!/usr/bin/env node
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

// `fossick keys create` in the image is what `npm run keys -- create` is in the checkout: the image's own npm would
// look for a package in the working directory.

const root = new URL("../", import.meta.url)
const COMMAND = /^node ((?:api|crawler|engine)\/(?!testing\/)\S+\.ts)$/

const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
  scripts: Record<string, string>
}
const programs = new Map(
  Object.entries(scripts).flatMap(([name, line]) => {
    const program = COMMAND.exec(line)?.[1]
    return program === undefined ? [] : [[name, fileURLToPath(new URL(program, root))] as const]
  }),
)

const [name = "", ...args] = process.argv.slice(2)
const program = programs.get(name)
if (program === undefined) {
  process.stderr.write(
    `Usage: fossick <command> [arguments]\n\nCommands: ${[...programs.keys()].join(", ")}\n`,
  )
  process.exitCode = 2
} else {
  process.argv = [process.execPath, program, ...args]
  await import(program)
}
