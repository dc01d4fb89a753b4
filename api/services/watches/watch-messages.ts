import { hostname } from "node:os"

import { webhookMessage } from "#crawler/reporting/webhooks/webhook-messages.ts"

import { escapeHtml, escapeXml as xml } from "../../faces/handbook/escape-html.ts"
import type { Entry, Watch } from "./watch.ts"

/** Maximum number of characters of all diffs in one message: mail servers and receivers have their own limits. */
const MOST_DIFF_CHARS = 200_000
const MOST_SUBJECT_CHARS = 150

/** An entry in wire format. */
export function entryOnWire({ seq, id, change, url, title, diff, at }: Entry) {
  return { seq, id, change, url, title, diff, at: at.toISOString() }
}

/** The subject of a watch, in a few words. */
function subjectText({ subject }: Pick<Watch, "subject">): string {
  switch (subject.kind) {
    case "question":
      return String(subject.search["query"])
    case "source":
      return subject.source
    default:
      return subject.urls[0] ?? ""
  }
}

const nameOf = (watch: Watch): string => (watch.name === "" ? subjectText(watch) : watch.name)

/** The body of a webhook message. */
export function watchMessage(watch: Watch, entries: readonly Entry[], at: Date): string {
  return webhookMessage("watch.changed", at, {
    watch: { id: watch.id, name: watch.name },
    entries: shortened(entries).map(entryOnWire),
  })
}

const WORDS = { new: "New", changed: "Changed", gone: "Gone" } as const

/** The same message as text for people. */
export function watchMail(watch: Watch, entries: readonly Entry[]): { subject: string; text: string } {
  const counted = (["new", "changed", "gone"] as const)
    .map((change) => [entries.filter((one) => one.change === change).length, change] as const)
    .filter(([count]) => count > 0)
    .map(([count, change]) => `${count} ${change}`)
  return {
    subject: `[Fossick] ${nameOf(watch)}: ${counted.join(", ")}`
      .replaceAll(/\s+/g, " ")
      .slice(0, MOST_SUBJECT_CHARS)
      .toWellFormed(),
    text: [
      ...shortened(entries).map(({ change, title, url, diff }) =>
        [`${WORDS[change]}: ${title === "" ? url : title}`, url, ...(diff === null ? [] : ["", diff])].join(
          "\n",
        ),
      ),
      `-- \nFossick on ${hostname()}, watch ${watch.id}`,
    ].join("\n\n"),
  }
}

/** Diffs are left out if they don't all fit. */
function shortened(entries: readonly Entry[]): readonly Entry[] {
  let left = MOST_DIFF_CHARS
  return entries.map((entry) => {
    left -= entry.diff?.length ?? 0
    return left < 0 ? { ...entry, diff: null } : entry
  })
}

/**
 * The entries of a watch, newest first, as an Atom feed (RFC 4287).
 * @param self address of the feed, without its token
 */
export function atomFeed(watch: Watch, entries: readonly Entry[], self: string): string {
  const updated = (entries[0]?.at ?? watch.createdAt).toISOString()
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>urn:uuid:${watch.id}</id>
<title>${xml(nameOf(watch))}</title>
<subtitle>${xml(subjectText(watch))}</subtitle>
<link rel="self" href="${xml(self)}"/>
<author><name>Fossick</name></author>
<generator>Fossick</generator>
<updated>${updated}</updated>
${entries.map(entryXml).join("\n")}
</feed>
`
}

function entryXml({ id, change, url, title, diff, at }: Entry): string {
  const time = at.toISOString()
  return `<entry>
<id>urn:uuid:${id}</id>
<title>${WORDS[change]}: ${xml(title === "" ? url : title)}</title>
<link href="${xml(url)}"/>
<category term="${change}"/>
<published>${time}</published>
<updated>${time}</updated>
<content type="html">${xml(diff === null ? `<p>${WORDS[change]}</p>` : `<pre>${escapeHtml(diff)}</pre>`)}</content>
</entry>`
}
