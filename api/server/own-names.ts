import { isIP } from "node:net"
import { hostname } from "node:os"

import type { Context } from "../context.ts"
import { ApiError } from "../errors.ts"

interface OwnNames {
  /** Address at which users reach the appliance; empty if none was set. */
  readonly publicUrl: string
  /** The name or address that the appliance listens on. */
  readonly host: string
  /** Names that the operator added. */
  readonly openHosts: readonly string[]
}

/** Top-level names that the public DNS never resolves (RFC 6761, RFC 6762, RFC 8375, and `internal`, reserved by ICANN in 2024). */
const PRIVATE_NAMES = [".localhost", ".local", ".internal", ".home.arpa"]

/**
 * Refuses calls without a key under a name that might belong to a stranger. A web page whose name suddenly resolves to
 * the appliance's address (DNS rebinding) is the appliance's own page to the browser, so it could read everything that
 * needs no key. Only the `Host` it sends gives it away.
 *
 * Addresses pass, since no one can point them elsewhere, and so do names that can't exist in the public DNS: a page on
 * the internet has neither. Every other name has to be the operator's.
 *
 * @returns a check that throws ApiError 403, naming the settings
 */
export function nameCheck({ publicUrl, host, openHosts }: OwnNames): (ctx: Context) => void {
  const own = new Set(
    [URL.parse(publicUrl)?.hostname ?? "", host, hostname(), ...openHosts].map((name) => plain(name)),
  )
  return (ctx) => {
    const name = plain(ctx.hostname)
    if (isPrivate(name) || own.has(name)) return
    throw new ApiError(403, refusal(name))
  }
}

function isPrivate(name: string): boolean {
  if (isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0) return true
  return !name.includes(".") || PRIVATE_NAMES.some((end) => name.endsWith(end))
}

const plain = (name: string): string => name.toLowerCase().replace(/\.$/, "")

const refusal = (name: string): string =>
  `Access denied. Calls without a key are answered only under host names that the operator has set, and ${name.slice(0, 200)} is not one of them. Send a key, or add the name to FOSSICK_OPEN_HOSTS or FOSSICK_PUBLIC_URL.`
