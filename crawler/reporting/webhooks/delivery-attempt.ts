import { request } from "undici"
import { OutgoingProxy, type ProxySettings } from "../../fetch/connect/outgoing-proxy.ts"
import { AddressGuard } from "../../fetch/guard/address-guard.ts"
import { BlockedAddressError } from "../../fetch/guard/blocked-address.ts"
import { retryAfterMs } from "../../fetch/retry-after.ts"
import { isUnknownName } from "../../fetch/network-error.ts"
import type { Attempt } from "#base/work/retries.ts"

export interface PostOptions {
  readonly guard: AddressGuard
  readonly signal: AbortSignal
  /** Default 15 seconds. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 15_000
const CONNECT_TIMEOUT_MS = 5000

/** The error for a receiver whose host was not found, and for one whose address is not allowed: see `concealed.ts`. */
const UNREACHABLE_RECEIVER =
  "the host was not found, or is in a network that FOSSICK_WEBHOOK_NETWORKS doesn't allow; see the log"

/** The maximum number of bytes of a response that are read; none of them are kept. */
const MAX_ANSWER_BYTES = 16 * 1024

/** The guard for connections to webhook and notification receivers. @param networks private networks that they may be in */
export const receiverGuard = ({
  networks,
  proxy,
}: {
  readonly networks: readonly string[]
  readonly proxy?: ProxySettings | undefined
}): AddressGuard =>
  new AddressGuard({
    allowed: networks,
    allowedBy: "FOSSICK_WEBHOOK_NETWORKS",
    purpose: "webhook",
    proxy: OutgoingProxy.of(proxy),
    connections: 1,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  })

/** POSTs one message. Redirects are not followed: they could lead to a host that no one chose. Never rejects. */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { guard, signal, timeoutMs = TIMEOUT_MS }: PostOptions,
): Promise<Attempt> {
  const late = AbortSignal.timeout(timeoutMs)
  try {
    const target = new URL(url)
    const {
      statusCode: status,
      headers: answered,
      body: answer,
    } = await request(target, {
      dispatcher: guard.dispatcherFor(target),
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      signal: AbortSignal.any([late, signal]),
    })
    // Only the status matters: a body that never ends does not change it.
    await answer.dump({ limit: MAX_ANSWER_BYTES }).catch(() => undefined)
    if (status >= 200 && status < 300) return { error: null, status }
    const asked = answered["retry-after"]
    return {
      status,
      error:
        status >= 300 && status < 400
          ? `answered ${status}, and redirects are not followed`
          : `answered ${status}`,
      retryAfterMs: asked === undefined ? null : retryAfterMs(String(asked), Date.now()),
      final: status === 410,
    }
  } catch (error) {
    const reason = late.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(error as Error)
    const isConcealed = [error, (error as Error).cause].some(
      (one) => one instanceof Error && (one instanceof BlockedAddressError || isUnknownName(one)),
    )
    return {
      status: null,
      error: isConcealed ? UNREACHABLE_RECEIVER : reason,
      ...(isConcealed && { reason }),
      final: false,
    }
  }
}

function reasonOf(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return reasonOf(error.errors[0])
  return error.message || (error as NodeJS.ErrnoException).code || error.name
}
