import { once } from "node:events"
import { existsSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { unwritableBecause } from "#base/disk-space.ts"
import { findBrowser } from "#crawler/fetch/render/find-browser.ts"
import { openEngine } from "#engine/open-engine.ts"
import { isNewEnough, NODE_MAJOR } from "../find-node.js"
import { type Check, type Found, note, PATIENCE_MS, wrong } from "./check.ts"
import type { DoctorSettings } from "./settings-checks.ts"
import { isRunning } from "./state-checks.ts"

export const nodeCheck: Check = {
  name: "Node.js",
  run: () =>
    !isNewEnough(process.versions.node) &&
    wrong(`This is Node.js ${process.version}.`, `Fossick needs ${NODE_MAJOR} or newer.`),
}

/** Checks that a running appliance answers on the port, or that the port is free. */
export const portCheck = ({ dataDir, host, port }: DoctorSettings): Check => ({
  name: "port",
  async run(): Promise<Found> {
    if (port === 0) return []
    const isLocked = await isRunning(dataDir)
    // An appliance leaves no lock in a folder that it cannot write to.
    if (isLocked || unwritableBecause(dataDir) !== null) {
      const local = ["0.0.0.0", "::"].includes(host) ? "localhost" : host.includes(":") ? `[${host}]` : host
      const url = `http://${local}:${port}/readyz`
      try {
        const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
        if (response.ok) return []
        if (isLocked)
          return wrong(
            `The appliance is not ready: ${(await response.text()).slice(0, 500)}`,
            "docs/troubleshooting.md",
          )
      } catch {
        if (isLocked)
          return note(
            `A crawler is running on this data folder, but nothing answers at ${url}.`,
            "This is normal for fossick crawl without an appliance, and if the API is in another container.",
          )
      }
    }
    const server = createServer()
    try {
      server.listen(port, host)
      await once(server, "listening")
      server.close()
      await once(server, "close")
      return []
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return [
        code === "EADDRINUSE"
          ? wrong(
              `Port ${port} is in use by another program.`,
              "Set FOSSICK_PORT to another port, or stop that program.",
            )
          : code === "EACCES"
            ? wrong(`Port ${port} needs more privileges.`, "Set FOSSICK_PORT to a port above 1023.")
            : wrong(
                `Fossick cannot listen at ${host} (${code}).`,
                "Set FOSSICK_HOST to an address of this machine.",
              ),
      ]
    }
  },
})

export const browserCheck = ({ browserPath }: DoctorSettings): Check => ({
  name: "browser",
  async run() {
    const found = await findBrowser(browserPath)
    if (!("missing" in found)) return []
    const what = `${found.missing[0]!.toUpperCase()}${found.missing.slice(1)}.`
    return browserPath === ""
      ? note(
          what,
          "Without a browser, pages made by JavaScript are read as the server sends them: docs/javascript-pages.md.",
        )
      : wrong(
          what,
          "Set FOSSICK_BROWSER_PATH to the path of Chromium or Chrome, or leave it empty to have Fossick find one.",
        )
  },
})

const INDEX_ADVICE: Readonly<Record<DoctorSettings["engine"], string>> = {
  embedded: "See docs/troubleshooting.md. If nothing there helps, restore a backup.",
  meilisearch:
    "Check that the server at FOSSICK_MEILI_URL is running and accepts FOSSICK_MEILI_KEY: docs/use-meilisearch.md.",
  opensearch:
    "Check that the cluster at FOSSICK_OPENSEARCH_URLS is running and accepts FOSSICK_OPENSEARCH_USER and FOSSICK_OPENSEARCH_PASSWORD: docs/use-opensearch.md.",
}

/** Opens the index for reading, as a search does, and runs a query. */
export const engineCheck = (settings: DoctorSettings): Check => ({
  name: "index",
  async run(): Promise<Found> {
    const { engine: kind, dataDir } = settings
    const isThere = ["index", "generations"].some((name) => existsSync(join(dataDir, name)))
    if (kind === "embedded" && !isThere) return note("There is no index yet.", "The first crawl creates it.")
    const advice = INDEX_ADVICE[kind]
    const late = sleep(PATIENCE_MS, "late" as const, { ref: false })
    try {
      const asked = (async () => {
        await using engine = await openEngine(settings, { mode: "read" })
        await engine.search({ text: "is anything there?", limit: 1 })
        return await engine.stats()
      })()
      const stats = await Promise.race([asked, late])
      if (stats === "late") return wrong(`The index did not answer within ${PATIENCE_MS / 1000} s.`, advice)
      return stats.pages === 0 ? note("The index is empty.", "To fill it, run fossick crawl <url>.") : []
    } catch (error) {
      return wrong(`The index does not answer: ${(error as Error).message}`, advice)
    }
  },
})
