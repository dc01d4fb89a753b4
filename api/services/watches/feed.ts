import { escapeHtml, escapeXml as xml } from "../../faces/handbook/escape-html.ts"
import { nameOf, subjectText } from "./messages.ts"
import type { Entry, Watch } from "./watch.ts"

const WORDS = { new: "New", changed: "Changed", gone: "Gone" } as const

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
