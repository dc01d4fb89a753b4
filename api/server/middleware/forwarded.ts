import type { Middleware } from "../../context.ts"
import {
  callerBehind,
  listOf,
  type ProxyList,
  proxyTest,
  withoutMapping,
} from "../proxies/trusted-proxies.ts"

/**
 * Trusts headers of proxies only if the request comes from one of `trusted`. Then `X-Forwarded-For` is reduced to the
 * caller: the last address in it that is not a trusted proxy, since the caller may have made up the addresses before
 * it. Any other request loses these headers. Koa, set to trust them, then correctly reports the caller (`ctx.ip`), the
 * name (`ctx.host`) and the protocol (`ctx.protocol`).
 */
export function forwarded(trusted: ProxyList): Middleware {
  const isProxy = proxyTest(trusted)
  return async (ctx, next) => {
    const { headers, socket } = ctx.req
    const from = withoutMapping(socket.remoteAddress ?? "")
    const given = isProxy(from) ? headers : {}
    const protocol = lastOf(given["x-forwarded-proto"]).toLowerCase()
    const host = lastOf(given["x-forwarded-host"])
    headers["x-forwarded-for"] = callerBehind(given["x-forwarded-for"], isProxy) ?? from
    if (protocol === "http" || protocol === "https") headers["x-forwarded-proto"] = protocol
    else delete headers["x-forwarded-proto"]
    if (/^[\w.:[\]-]{1,255}$/.test(host)) headers["x-forwarded-host"] = host
    else delete headers["x-forwarded-host"]
    await next()
  }
}

const lastOf = (value: string | string[] | undefined): string => listOf(value).at(-1) ?? ""
