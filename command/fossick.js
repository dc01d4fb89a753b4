#!/usr/bin/env node
// `fossick`: runs the command on this Node if it is new enough, otherwise on the one that npm installed with Fossick.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { constants } from "node:os"
import { fileURLToPath } from "node:url"
import { keepCompiled } from "./compile-cache.js"
import { installedNode, isNewEnough, noNode } from "./find-node.js"
import { firstLine } from "./first-line.js"

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]

/** Set by the first Node for the command that it runs on another Node: the first line has been logged. */
const SAID = "APPLIANCE_FIRST_LINE_SAID"

if (process.env[SAID] === undefined) firstLine(process.argv.slice(2), process.env)
delete process.env[SAID]

if (isNewEnough(process.versions.node)) {
  await run()
} else {
  const node = installedNode(import.meta.url)
  if (node === null) {
    process.stderr.write(noNode(process.version))
    process.exitCode = 1
  } else {
    runOn(node)
  }
}

async function run() {
  // node:sqlite prints a warning that it is experimental in every process. The operator should see all other warnings.
  process.removeAllListeners("warning")
  process.on("warning", (warning) => {
    if (warning.name !== "ExperimentalWarning") process.stderr.write(`${warning.name}: ${warning.message}\n`)
  })
  await keepCompiled(process.env)
  const isClone = existsSync(new URL("main.ts", import.meta.url))
  await import(isClone ? "./main.ts" : "./main.js")
}

/** Runs the command on another Node. This process stays alive to forward signals and the exit code. */
function runOn(node) {
  const args = [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(node, args, { stdio: "inherit", env: { ...process.env, [SAID]: "1" } })
  // The command decides when to exit, which can take a while. A terminal sends signals such as Ctrl-C to both processes.
  // If they were forwarded too, the command would get them twice, and exit at once instead of shutting down cleanly.
  const onTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (!onTerminal || signal === "SIGTERM") child.kill(signal)
    })
  }
  child.on("error", (error) => {
    process.stderr.write(`${node} cannot be run (${error.message}).\n`)
    process.exitCode = 1
  })
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}
