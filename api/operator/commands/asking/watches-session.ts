import { EXIT } from "#base/exit-codes.ts"
import { table } from "#crawler/commands/sources/sources-text.ts"

import type { GivenTo, Watch } from "../../../client/client.ts"
import { asked, type Asking } from "./appliance-address.ts"

// Each function implements one `fossick watches …` command: it queries a running appliance and returns the exit code.

export type NewWatch = GivenTo<"POST /watches">["body"]

export type WatchChanges = GivenTo<"PUT /watches/{id}">["body"]

export async function listWatches(all: boolean, asking: Asking): Promise<number> {
  const { watches } = await asked(asking, (client, signal) =>
    client.call("GET /watches", { query: { all: all || undefined }, signal }),
  )
  if (asking.json) watches.forEach((watch) => print(JSON.stringify(watch)))
  else if (watches.length === 0) print("There are no watches yet. Add one with fossick watches add.")
  else {
    const rows = watches.map((watch) => [watch.id, watch.name, subjectOf(watch), stateOf(watch)])
    table([["ID", "NAME", "WATCHES", "STATE"], ...rows]).forEach(print)
  }
  return EXIT.ok
}

export async function addWatch(body: NewWatch, asking: Asking): Promise<number> {
  const made = await asked(asking, (client, signal) => client.call("POST /watches", { body, signal }))
  if (asking.json) print(JSON.stringify(made))
  else {
    const secret = `${made.webhook_secret}  (signs its webhooks; shown only once)`
    table([
      ["watch", made.id],
      ["feed", made.feed_url],
      ...(made.webhook === null ? [] : [["secret", secret]]),
    ]).forEach(print)
  }
  return EXIT.ok
}

export async function showWatch(id: string, asking: Asking): Promise<number> {
  const watch = await asked(asking, (client, signal) =>
    client.call("GET /watches/{id}", { path: { id }, signal }),
  )
  if (asking.json) {
    print(JSON.stringify(watch))
    return EXIT.ok
  }
  const { include = [], exclude = [], deliveries } = watch
  table(
    [
      ["watch", watch.id],
      ["name", watch.name],
      ["watches", subjectOf(watch)],
      ["only", include.join(" ")],
      ["without", exclude.join(" ")],
      ["reports", watch.changes.join(", ")],
      ["webhook", watch.webhook ?? ""],
      ["e-mail", watch.emails.join(", ")],
      ["messages", watch.every_minutes === 0 ? "at once" : `at most every ${watch.every_minutes} minutes`],
      ["state", stateOf(watch)],
      ["feed", watch.feed_url],
    ].filter(([, value]) => value !== ""),
  ).forEach(print)
  if (deliveries.length > 0) print("\nMessages in the last week:")
  const rows = deliveries.map(({ created_at: at, kind, receiver, state, last_error: error }) => [
    at,
    kind,
    receiver,
    state,
    error ?? "",
  ])
  table(rows).forEach(print)
  return EXIT.ok
}

/** Changes how a watch sends notifications; omitted fields stay as they are. */
export async function changeWatch(id: string, body: WatchChanges, asking: Asking): Promise<number> {
  const changed = await asked(asking, (client, signal) =>
    client.call("PUT /watches/{id}", { path: { id }, body, signal }),
  )
  if (asking.json) print(JSON.stringify(changed))
  return EXIT.ok
}

export async function removeWatch(id: string, asking: Asking): Promise<number> {
  const removed = await asked(asking, (client, signal) =>
    client.call("DELETE /watches/{id}", { path: { id }, signal }),
  )
  if (asking.json) print(JSON.stringify(removed))
  return EXIT.ok
}

/** @param diff whether to include the changes within a page */
export async function listEntries(
  id: string,
  {
    after,
    limit,
    diff,
  }: { readonly after?: number | undefined; readonly limit: number; readonly diff: boolean },
  asking: Asking,
): Promise<number> {
  const { entries } = await asked(asking, (client, signal) =>
    client.call("GET /watches/{id}/entries", { path: { id }, query: { after, limit }, signal }),
  )
  if (asking.json) entries.forEach((entry) => print(JSON.stringify(entry)))
  else if (entries.length === 0) print("Nothing has changed.")
  else {
    const lines = table(
      entries.map(({ seq, at, change, url, title }) => [String(seq), at, change, url, title]),
      new Set([0]),
    )
    for (const [index, entry] of entries.entries()) {
      print(lines[index] ?? "")
      if (diff && entry.diff !== null) print(entry.diff.trimEnd().replaceAll(/^/gm, "    "))
    }
  }
  return EXIT.ok
}

function subjectOf({ question, source, url }: Watch): string {
  if (source !== undefined) return `source ${source}`
  if (url !== undefined) return url
  return `"${String(question?.["query"])}"`
}

const stateOf = ({ ready_at: ready, pages_seen: pages, paused }: Watch): string =>
  `${ready === null ? "not ready yet" : `${pages} ${pages === 1 ? "page" : "pages"}`}${paused ? ", paused" : ""}`

const print = (line: string): void => void process.stdout.write(`${line}\n`)
