import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { OUTBOUND_PURPOSES } from "#base/outbound/purposes.ts"

import { ROOT, sourceFiles } from "./imports.ts"

// Files that may open outgoing connections: docs/privacy.md says that the list is complete.

/** Code that opens a connection, or has one opened. */
const OPENS: readonly RegExp[] = [
  // The import of a value, not just of a type.
  /^import (?!type)\{[^}]*(?<!type )\b(?:request|fetch|stream|pipeline|connect|Agent|Pool|Client|ProxyAgent|EnvHttpProxyAgent|WebSocket|EventSource|buildConnector)\b[^}]*\} from "undici"/m,
  /^import (?!type)(?:\w+|\* as \w+)[^"]* from "undici"/m,
  /\bimport\("undici"\)/,
  /^import (?!type)\{[^}]*(?<!type )\b(?:connect|createConnection|Socket)\b[^}]*\} from "node:(?:net|tls)"/m,
  /^import (?!type)\{[^}]*(?<!type )\b(?:request|get)\b[^}]*\} from "node:https?"/m,
  /^import (?!type)[^"]* from "node:(?:dgram|http2)"/m,
  /^import (?!type)[^"]* from "(?:nodemailer|imapflow|meilisearch|pg|pg-boss|@opensearch-project\/opensearch|ws|axios|playwright)"/m,
  /\bimport\("(?:nodemailer|imapflow|meilisearch|pg|pg-boss|@opensearch-project\/opensearch|ws|axios|playwright)"\)/,
  /^import (?!type)[^"]* from "@opentelemetry\/exporter-/m,
  /(?<![.\w#])fetch\(/,
  /\bnew (?:WebSocket|EventSource)\(/,
]

/** Files that contact other hosts and record that they do. */
const NOTING = [
  "base/telemetry/traces/otlp.ts",
  "api/doors/x402/chain/chain.ts",
  "api/doors/x402/chain/facilitator.ts",
  "crawler/reporting/alerts/send-mail.ts",
  "crawler/fetch/connect/connector.ts",
  "crawler/fetch/connect/outgoing-proxy.ts",
  "engine/adapters/meilisearch/server/send.ts",
  "engine/adapters/opensearch/server/cluster.ts",
  "engine/models/embedders/model-hub.ts",
  "engine/models/servers/model-server.ts",
]

/** Files that only connect to this appliance, or that connect through one of the files above, each with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  "base/store/postgres/sessions.ts": "the server of the state, which outbound.ts notes",
  "api/client/client.ts":
    "the client, for programs that call the appliance; the command line and the pages for people do",
  "api/operator/commands/try-sale.ts": "a sale on this machine alone",
  "api/doors/mcp/ask-api.ts": "this appliance",
  "api/services/federation/peer.ts": "through the address guard",
  "api/identity/oauth/client-documents.ts": "through the address guard",
  "api/identity/sign-on/guarded-fetch.ts": "through the address guard",
  "api/start.ts": "this appliance",
  "command/doctor/service-checks.ts": "this appliance, when the doctor is asked",
  "command/service/service-session.ts": "this appliance",
  "crawler/fetch/content/mailbox/imap/mail-server.ts": "over sockets that the address guard opened",
  "crawler/fetch/guard/address-guard.ts": "through connector.ts",
  "crawler/jobs/queue/boss-queue.ts": "the server of the state, which outbound.ts notes",
  "crawler/fetch/login/source-login.ts": "fetch is the reader's",
  "crawler/fetch/render/browser.ts":
    "the browser, whose requests all go through guard-proxy.ts, and so through connector.ts",
  "crawler/fetch/render/find-browser.ts": "asks where a browser is, and starts none",
  "crawler/fetch/render/guard-proxy.ts": "over sockets that the address guard opened",
  "crawler/fetch/render/page-rendering.ts": "fetch is the reader's",
  "crawler/fetch/visit/reader.ts": "fetch is its own, through the address guard",
  "crawler/page/formats/pdf/pdf-cmaps.ts": "fetch is what the library calls; it reads a file beside it",
  "crawler/reporting/webhooks/delivery-attempt.ts": "through the address guard",
  "engine/adapters/meilisearch/meilisearch-engine.ts": "through send.ts",
  "engine/adapters/meilisearch/server/indexes.ts": "through send.ts",
  "engine/adapters/meilisearch/server/server.ts": "through send.ts",
}

const FLOORS = /^(?:base|engine|crawler|api|command)\//
const LEFT_OUT = /\.test\.ts$|(?:^|\/)testing\/|^command\/pack\//
const files = sourceFiles().filter((file) => FLOORS.test(file) && !LEFT_OUT.test(file))
const textOf = (file: string): string =>
  readFileSync(join(ROOT, file), "utf8").replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "")

test("only the listed files open connections", () => {
  const opening = files.filter((file) => OPENS.some((way) => way.test(textOf(file))))
  const named = [...NOTING, ...Object.keys(OTHERS)]
  expect(opening.filter((file) => !named.includes(file))).toEqual([])
  expect(named.filter((file) => !files.includes(file))).toEqual([])
  expect(files.length).toBeGreaterThan(500)
})

test("files that contact others record it in the ledger", () => {
  expect(NOTING.filter((file) => !/\bnoteOutbound\(/.test(textOf(file)))).toEqual([])
})

test("the handbook page has a row for each purpose, with its settings", () => {
  const page = readFileSync(join(ROOT, "docs/privacy.md"), "utf8")
  const rows = new Map(
    [...page.matchAll(/^\| `([\w-]+)` \|(.*)\|$/gm)].map(([, purpose, rest]) => [purpose, rest!] as const),
  )
  expect(new Set(rows.keys())).toEqual(new Set(Object.keys(OUTBOUND_PURPOSES)))
  const settings = readFileSync(join(ROOT, "docs/settings.md"), "utf8")
  for (const [purpose, { settings: governing }] of Object.entries(OUTBOUND_PURPOSES))
    for (const name of governing) {
      expect(rows.get(purpose)).toContain(name)
      expect(settings).toContain(`| \`${name}\` |`)
    }
})
