#!/usr/bin/env node
// `fossick`: runs the command on this Node if it is new enough, else on the one that npm installed with it.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { constants } from "node:os"
import { fileURLToPath } from "node:url"
import { keepCompiled } from "./compile-cache.js"
import { installedNode, isNewEnough, noNode } from "./find-node.js"
import { firstLine } from "./first-line.js"

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]

/** Set for the command on the other Node by the one that looked for it. */
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
  // node:sqlite announces itself as experimental in every process; all other warnings are for the operator.
  process.removeAllListeners("warning")
  process.on("warning", (warning) => {
    if (warning.name !== "ExperimentalWarning") process.stderr.write(`${warning.name}: ${warning.message}\n`)
  })
  await keepCompiled(process.env)
  const isClone = existsSync(new URL("main.ts", import.meta.url))
  await import(isClone ? "./main.ts" : "./main.js")
}

/** This process stays, so that what waits for it or signals it reaches the command. */
function runOn(node) {
  const args = [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(node, args, { stdio: "inherit", env: { ...process.env, [SAID]: "1" } })
  // The command may take its time with the end, and decides on it. What a terminal sends, such as Ctrl-C, it sends to
  // both; heard twice, it would end at once what wants to end well.
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
