import { writeFileSync } from "node:fs"
import { join } from "node:path"

import { readSettings } from "#base/settings.ts"
import { crawlerSettings } from "#crawler/settings.ts"
import { makeCertificate } from "#crawler/fetch/connect/make-certificate.ts"
import { SourceTls } from "#crawler/fetch/connect/source-tls.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import { FakeInternet, PUBLIC_ADDRESS } from "#crawler/testing/fake-internet.ts"
import { startSecureSite } from "#crawler/testing/secure-site.ts"

import { ClientDocuments } from "../client-documents.ts"

const HOST = "program.example"

/** A program's https site, with a document about the program, and the reader of such documents. */
export interface ProgramSite extends AsyncDisposable {
  readonly documents: ClientDocuments
  /** Address of the document. */
  readonly id: string
  /** Another address on the site. */
  url(path: string): string
  /** Changes the document's contents from now on; null if the site is down. */
  say(document: object | null): void
  /** Paths that were requested. */
  readonly asked: () => readonly string[]
}

/** @param document the document without its `client_id`, which is the document's address */
export async function startProgramSite(document: object): Promise<ProgramSite> {
  const opened = new AsyncDisposableStack()
  const folder = opened.use(temporaryFolder())
  const internet = opened.use(new FakeInternet({ [HOST]: PUBLIC_ADDRESS, "inside.example": "127.0.0.1" }))
  const root = makeCertificate({ subject: "root", isAuthority: true })
  const caFile = join(folder.path, "root.pem")
  writeFileSync(caFile, root.cert)
  let said: object | null = document
  const site = opened.use(
    await startSecureSite(
      makeCertificate({ subject: "program", names: [HOST, "inside.example"], issuer: root }),
      {
        answer: (request, response) => {
          if (said === null) response.writeHead(503).end()
          else if (request.url === "/away") response.writeHead(302, { location: id }).end()
          else if (request.url === "/long")
            response.end(JSON.stringify({ client_id: at("/long"), long: "x".repeat(20_000) }))
          else response.end(JSON.stringify({ client_id: id, ...said }))
        },
      },
    ),
  )
  const at = (path: string) => site.url(path, HOST)
  const id = at("/client.json")
  const tls = new SourceTls({ seeds: [], caFile, clientCert: null, login: null }, {})
  const documents = opened.use(
    new ClientDocuments({
      proxy: readSettings(crawlerSettings, {}),
      userAgent: "test",
      guard: { resolve: internet.resolve, tls },
    }),
  )
  return {
    documents,
    id,
    url: (path) => at(path),
    say: (next) => {
      said = next
    },
    asked: () => site.requests.map(({ path }) => path),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
