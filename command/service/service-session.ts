import { existsSync, realpathSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

import { CommandError } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"
import { steadyNow } from "#base/steady-time.ts"

import { reachableHost } from "../../api/server/reachable-host.ts"
import { apiSettings } from "../../api/settings.ts"
import { installedNode } from "../find-node.js"
import { PLACES, SERVICE, USER } from "./places.ts"
import { installation, removal, type Step } from "./plan.ts"
import { run, succeeds } from "./system.ts"
import type { Programs } from "./unit.ts"

/** Maximum wait for the appliance: the first start on a slow machine compiles all code and loads the model. */
const READY_MS = 180_000
const POLL_MS = 500
/** Home folders: `ProtectHome` hides them from the service, and other users cannot enter them. */
const HOMES = /^\/(home|root|run\/user)\//

/** `fossick service install`. */
export async function installService({ dryRun }: { readonly dryRun: boolean }): Promise<number> {
  const found = programs()
  if (HOMES.test(found.fossick) || HOMES.test(found.node)) {
    const advice = `A service cannot see home folders, but Fossick is in ${found.fossick} and Node.js is ${found.node}. Put the clone into /opt/fossick and run npm ci there, or install the npm package for all users. Then run the command again from there.`
    if (!dryRun) throw new CommandError(advice)
    process.stdout.write(`The installation would be refused: ${advice}\n`)
  }
  if (!dryRun) refuseWithoutRights()
  carryOut(installation(found), dryRun)
  if (dryRun) return 0
  if (!succeeds("runuser", "-u", USER, "--", found.node, "--check", found.fossick)) {
    throw new CommandError(
      `The user ${USER} cannot read ${found.fossick} or run ${found.node}. Let other users enter their folders (chmod o+rX), then run the command again.`,
    )
  }
  const url = await readyUrl()
  process.stdout.write(`
Fossick is ready.

  Address    ${url}
  API key    FOSSICK_API_KEY in ${PLACES.settings}
  Settings   ${PLACES.settings}
  Sources    ${PLACES.sources}
  Data       ${PLACES.data}
  Log        journalctl -u ${SERVICE} -f

Run Fossick's commands as its user and with its settings:

  sudo -u ${USER} env FOSSICK_CONFIG_FILE=${PLACES.settings} ${found.node} ${found.fossick} doctor
`)
  return 0
}

/** `fossick service uninstall`. */
export function uninstallService({ dryRun }: { readonly dryRun: boolean }): number {
  if (!dryRun) refuseWithoutRights()
  carryOut(removal(), dryRun)
  const verb = dryRun ? "would be kept" : "are kept"
  process.stdout.write(
    `${PLACES.config}, ${PLACES.data} and the user ${USER} ${verb}: fossick service install will use them again.\n`,
  )
  return 0
}

/** Real paths, because an npm package is reached through symbolic links, and only their targets survive an upgrade. */
function programs(): Programs {
  const fossick = realpathSync(fileURLToPath(new URL("../fossick.js", import.meta.url)))
  return { node: realpathSync(installedNode(import.meta.url) ?? process.execPath), fossick }
}

function refuseWithoutRights(): void {
  if (!existsSync("/run/systemd/system")) {
    throw new CommandError(
      "This machine does not run systemd, so a service cannot be installed. docs/run-as-a-service.md describes the alternatives; --dry-run shows what would be done.",
    )
  }
  if (process.getuid?.() !== 0) throw new CommandError("Only root can do this: run the command with sudo.")
}

function carryOut(steps: readonly Step[], dryRun: boolean): void {
  for (const step of steps) {
    const isDone = step.isDone()
    if (!isDone && !dryRun) step.do()
    const verb = isDone ? "already done" : dryRun ? "would" : "done"
    process.stdout.write(`${verb}: ${step.about}\n`)
  }
}

/** The address on this machine, once /readyz reports that all is well. @throws CommandError if it does not */
async function readyUrl(): Promise<string> {
  const settings = readSettings(apiSettings, environment({ FOSSICK_CONFIG_FILE: PLACES.settings }))
  const url = `http://${reachableHost(settings.host)}:${settings.port}`
  process.stdout.write(`waiting until ${url}/readyz reports that Fossick is ready\n`)
  const late = steadyNow() + READY_MS
  let last = "no answer"
  while (steadyNow() < late) {
    if (succeeds("systemctl", "is-failed", SERVICE)) break
    try {
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) })
      if (response.ok) return url
      last = await response.text()
    } catch {
      // The appliance is still starting.
    }
    await sleep(POLL_MS)
  }
  const log = run("journalctl", "-u", SERVICE, "-n", "15", "--no-pager", "-o", "cat")
  throw new CommandError(`Fossick did not become ready (${last}). The end of its log:\n\n${log}`)
}
