import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import type { Jobs } from "#crawler"
import { DocumentStore } from "#crawler/fetch/content/documents/document-store.ts"
import { Sources } from "#crawler/sources/sources.ts"

import { FILES } from "../files/routes.ts"
import { KeptDocuments } from "./kept-documents.ts"

export interface OpenDocumentsParts {
  readonly db: StateStore
  readonly jobs: Jobs
  readonly engineConfig: { readonly dataDir: string }
  readonly crawlerConfig: { readonly maxBytes: number }
  readonly config: { readonly publicUrl: string; readonly port: number }
}

/**
 * Opens a separate connection that flushes commits to disk.
 * @param closing closes it
 */
export async function openDocuments(
  { db, jobs, engineConfig, crawlerConfig, config }: OpenDocumentsParts,
  closing: AsyncDisposableStack,
): Promise<KeptDocuments> {
  const own = await openStateStore(engineConfig.dataDir)
  closing.defer(() => own.close())
  own.setDurable(true)
  return new KeptDocuments({
    store: new DocumentStore(own),
    sources: new Sources(db, jobs),
    jobs,
    filesAt: `${config.publicUrl || `http://localhost:${config.port}`}/${FILES}/`,
    maxBytes: crawlerConfig.maxBytes,
  })
}
