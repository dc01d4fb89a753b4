import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { ROOT, sourceFiles } from "./imports.ts"

// Foreign JSON is parsed only by base/text/json, which limits its size and depth first. All other code that parses JSON
// reads data that the appliance wrote itself.

const PARSES = /\bJSON\.parse\(|\.json\(\)/
/** A column of the appliance's own tables, or one of its own files. */
const OWN = /JSON\.parse\(\s*(?:String\()?\(*(?:row\b|row\?|await readFile\(|readFileSync\()/g

/** The other files that parse JSON, and where the text comes from. */
const OTHERS: Readonly<Record<string, string>> = {
  "base/text/json/foreign-json.ts": "the one place for text of others",
  "base/fossick-version.ts": "its own package.json",
  "base/telemetry/log/log-form.ts": "its own log",
  "base/store/sealed-json.ts": "files of its own, whose checksum it looks at",
  "engine/models/embedders/model-folder.ts": "a model that the operator put there",
  "engine/models/rerankers/cross-encoder.ts": "a model that the operator put there",
  "engine/index/page-record.ts": "what it wrote into the index",
  "engine/adapters/embedded/files/page-store.ts": "what it wrote into the index",
  "engine/adapters/meilisearch/meilisearch-index.ts": "a field that it wrote, of an answer within bounds",
  "engine/adapters/meilisearch/server/documents.ts": "a field that it wrote, of an answer within bounds",
  "engine/adapters/opensearch/server/known-pages.ts": "a field that it wrote, of an answer within bounds",
  "engine/adapters/opensearch/stored-pages.ts": "a field that it wrote, of an answer within bounds",
  "engine/adapters/opensearch/waiting-store.ts": "a field that it wrote, of an answer within bounds",
  "crawler/fetch/content/documents/document-store.ts": "its own table",
  "crawler/fetch/content/mailbox/mail-store.ts": "its own table",
  "crawler/page/scans/recognised-page.ts": "a file of its own",
  "crawler/upkeep/scans/recogniser.ts": "what a library in this process says of a page",
  "crawler/fetch/content/repository/file-table.ts": "a file of its own",
  "crawler/upkeep/removals/removed-copies.ts": "pages that it put aside",
  "api/identity/oauth/tickets.ts": "its own, which it signed",
  "api/identity/sign-on/journeys.ts": "its own, which it sealed",
  "api/identity/sign-on/kept/renewals.ts": "its own, which it sealed",
  "api/identity/sign-on/oidc/open-oidc.ts": "its own, which was sealed",
  "api/operator/judging/judge-session.ts": "a file that the operator names",
  "api/doors/x402/books/reconcile.ts": "its own table",
  "api/identity/accounts/keys/key-scope.ts": "its own table",
  "api/doors/firecrawl/jobs/job-routes.ts": "its own table",
  "api/doors/firecrawl/jobs/job-store.ts": "its own table",
  "api/doors/firecrawl/webhooks/follow-jobs.ts": "its own table",
  "api/server/outage/journal.ts": "a file of its own",
  "api/server/openapi/document.ts": "examples of its own document",
  "api/client/client.ts": "answers of the appliance, for those who call it",
  "api/doors/mcp/ask-api.ts": "answers of this process",
  "api/operator/commands/try-sale.ts": "answers of an appliance that it starts",
  "api/services/chat-models/settings.ts": "a setting",
  "api/services/research/task-store.ts": "its own table",
}

const FLOORS = /^(?:base|engine|crawler|api)\//
const LEFT_OUT = /\.test\.ts$|(?:^|\/)testing\//
const files = sourceFiles().filter((file) => FLOORS.test(file) && !LEFT_OUT.test(file))
const textOf = (file: string): string =>
  readFileSync(join(ROOT, file), "utf8")
    .replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "")
    .replaceAll(OWN, "")

test("no file parses foreign JSON without the bounds", () => {
  const parsing = files.filter((file) => PARSES.test(textOf(file)))
  expect(parsing.filter((file) => !(file in OTHERS))).toEqual([])
  expect(Object.keys(OTHERS).filter((file) => !parsing.includes(file))).toEqual([])
  expect(files.length).toBeGreaterThan(500)
})
