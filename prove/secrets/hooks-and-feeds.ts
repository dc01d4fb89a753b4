import { pause } from "#base/flow/pause.ts"

import type { Marks } from "./marks.ts"

const LOOK_MS = 200
const LOOKS = 600

/** Waits for a condition. @returns whether it became true in time */
export async function soon(isSo: () => Promise<boolean>): Promise<boolean> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    if (await isSo()) return true
    await pause(LOOK_MS)
  }
  return false
}

/** A response, to be searched for secrets. */
export interface Said {
  readonly status: number
  readonly text: string
  /** The response with its headers, as text. */
  readonly said: string
}

interface Calls {
  readonly get: (path: string, key?: string) => Promise<Said>
  readonly post: (path: string, body: object, key?: string) => Promise<Said>
  /** Stores a response that must not contain a secret. */
  readonly keep: (where: string, what: string) => void
}

interface ShownWatch {
  readonly id: string
  readonly ready_at: string | null
  readonly feed_url: string
  readonly webhook_secret: string
  readonly deliveries: readonly { readonly kind: string; readonly last_attempt_at: string | null }[]
}

/**
 * Tries a watch whose receiver repeats what it is sent, and whose feed is read with and without its token; and a crawl
 * job with such a receiver. Answers that only their owner sees aren't searched, because they contain the secrets.
 *
 * @param receiver base address of the receiver
 * @param change adds a page to the source `later`
 * @returns whether everything went as it should
 */
export async function useHooksAndFeeds(
  receiver: string,
  change: () => Promise<unknown>,
  { get, post, keep }: Calls,
  marks: Marks,
): Promise<boolean> {
  const watched = await post("/watches", {
    source: "later",
    webhook: `${receiver}/hook-watch`,
    emails: ["operator@example.com"],
  })
  if (watched.status !== 201) return false
  const watch = JSON.parse(watched.text) as ShownWatch
  const token = new URL(watch.feed_url).searchParams.get("token")!
  addBytes(marks, "token of a feed", token, "base64url")
  addBytes(marks, "webhook secret of a watch", watch.webhook_secret.replace(/^whsec_/, ""), "base64")
  const shown = async () => JSON.parse((await get(`/watches/${watch.id}`)).text) as ShownWatch
  await soon(async () => (await shown()).ready_at !== null)
  await change()
  // Each message has been tried, successfully or not.
  await soon(async () => {
    const tried = (await shown()).deliveries.filter(({ last_attempt_at: at }) => at !== null)
    return ["webhook", "email"].every((kind) => tried.some((one) => one.kind === kind))
  })
  const feed = await get(`/watches/${watch.id}/feed?token=${token}`, "")
  const wrong = marks.of("token that is wrong")
  const refused = await get(`/watches/${watch.id}/feed?token=${encodeURIComponent(wrong)}`, "")
  for (const one of [feed, refused]) keep("GET /watches/{id}/feed", one.said)
  keep("GET /watches/{id}/entries", (await get(`/watches/${watch.id}/entries`)).said)

  const begun = await post("/v2/crawl", {
    url: `${receiver}/open`,
    limit: 1,
    webhook: { url: `${receiver}/hook-crawl`, metadata: { any: 1 } },
  })
  const { id, webhookSecret = "" } = JSON.parse(begun.text) as { id: string; webhookSecret?: string }
  addBytes(marks, "webhook secret of a crawl job", webhookSecret.replace(/^whsec_/, ""), "base64")
  let job = ""
  await soon(async () => {
    job = (await get(`/v2/crawl/${id}`)).said
    return /"status":"(?:completed|failed)"/.test(job)
  })
  keep("GET /v2/crawl/{id}", job)
  return (
    feed.status === 200 && feed.text.includes("<entry>") && refused.status === 404 && webhookSecret !== ""
  )
}

/** Adds a secret as written, and the bytes that it encodes. */
function addBytes(marks: Marks, name: string, text: string, encoding: "base64" | "base64url"): void {
  marks.add(name, text)
  marks.add(`bytes of the ${name}`, Buffer.from(text, encoding))
}
