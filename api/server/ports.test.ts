import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"

import { expect, test } from "vitest"

import { freePort } from "#base/testing/free-port.ts"

import { listenersOf, requireFreePorts } from "./ports.ts"

const open = { host: "127.0.0.1", port: 8080 }

test("the appliance listens for callers, and for payers if searches are sold", () => {
  const main = { ...open, prefix: "FOSSICK" }
  expect(listenersOf(open, null)).toEqual([main])
  const paid = { host: "127.0.0.1", port: 8402, prefix: "FOSSICK_X402" }
  expect(listenersOf(open, { host: "", port: 8402 })).toEqual([main, paid])
  expect(listenersOf(open, { host: "::1", port: 8402 })[1]).toEqual({ ...paid, host: "::1" })
})

test("a port in use or a host of another machine is named by its setting; free ports stay free", async () => {
  const taken = createServer().listen(0, "127.0.0.1")
  await once(taken, "listening")
  const { port } = taken.address() as AddressInfo
  const at = (host: string, one: number, prefix: string) => ({ host, port: one, prefix })
  try {
    const free = at("127.0.0.1", await freePort(), "FOSSICK")
    await requireFreePorts([free, free])
    await expect(requireFreePorts([free, at("127.0.0.1", port, "FOSSICK_X402")])).rejects.toThrow(
      `Port ${port} is in use. Set FOSSICK_X402_PORT to another port, or stop the program that listens on it.`,
    )
    await expect(requireFreePorts([at("192.0.2.1", 0, "FOSSICK")])).rejects.toThrow(
      "FOSSICK_HOST: cannot listen there (EADDRNOTAVAIL).",
    )
  } finally {
    taken.close()
  }
})
