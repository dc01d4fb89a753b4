import type { Router } from "@koa/router"

import type { DiskRoom } from "#base/disk-space.ts"
import { foreignOrNothing } from "#base/text/json/foreign-json.ts"
import type { StoredDocument } from "#crawler/fetch/content/documents/document-store.ts"

import { clientGone, type Context, type Middleware, type RequestState } from "../../context.ts"
import { badRequest } from "../../errors.ts"
import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Admissions } from "../../identity/accounts/admission.ts"
import { refuseChanges } from "../../read-only.ts"
import { roomOnDisk } from "../../room-on-disk.ts"
import { admission } from "../../server/middleware/admission.ts"
import { writerAuthentication } from "../../server/middleware/authentication.ts"
import { arrivingBodies, bodyText, jsonBody } from "../../server/middleware/json-body.ts"
import { unprocessable } from "../../server/middleware/query-parameters.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import { documentOperations as calls } from "./described/operations.ts"
import type { Kept, KeptDocuments } from "./kept-documents.ts"
import { readersIn, sentDocuments, type Sent } from "./read-documents.ts"
import { isForm, readFileForm } from "../../server/serving/file-form.ts"

/** First path segment of the calls below. */
export const DOCUMENTS = "documents"

export interface DocumentNeeds {
  /** Opens the documents; if left out, none are accepted. */
  readonly documents?: () => Promise<KeptDocuments>
  readonly accounts: Pick<Accounts, "keys">
  readonly admissions: Admissions
  readonly config: { readonly bodyLimit: number; readonly documentsBodyMb: number }
  readonly mayKeep: Pick<DiskRoom, "isLow">
  readonly readOnly: string | null
}

/** Maximum size in bytes of a body that names documents to delete. */
const DELETE_BYTES = 4_000_000

/** Documents sent by programs: store, list, show, delete. */
export function documentRoutes(
  router: Router<RequestState>,
  { documents: opened, accounts, admissions, config, mayKeep, readOnly }: DocumentNeeds,
): void {
  if (opened === undefined) return
  const limit = config.documentsBodyMb * 1024 * 1024
  const arriving = arrivingBodies(config.bodyLimit)
  router.use(
    `/${DOCUMENTS}`,
    writerAuthentication(accounts.keys),
    refuseChanges(readOnly),
    admission(admissions, "documents"),
    onlyFor("POST", roomOnDisk(mayKeep)),
  )
  router.use(`/${DOCUMENTS}/delete`, jsonBody(DELETE_BYTES, arriving))
  router.use(`/${DOCUMENTS}/readers`, onlyFor("POST", jsonBody(limit, arriving)))

  const sent = async (ctx: Context, maxBytes: number): Promise<Sent> => {
    if (!isForm(ctx)) {
      const text = await bodyText(ctx.req, ctx.get("Content-Encoding"), limit, arriving)
      const read = await sentDocuments(text, clientGone(ctx))
      if (isSent(read)) return read
      const [whole] = read.filter(({ field }) => field === "")
      throw whole ? badRequest(`${whole.message}.`) : unprocessable(read)
    }
    const { name, type, body, fields } = await readFileForm(ctx, { names: FORM_FIELDS, maxBytes, arriving })
    const { source = "", id = name, url = null, title, wait = "false" } = fields
    if (source === "") throw badRequest("Invalid source. The form must name the source of the file.")
    if (wait !== "true" && wait !== "false") throw badRequest("Invalid wait. Must be one of true, false.")
    const document = {
      id,
      url,
      body,
      type: type === "application/octet-stream" ? "" : type,
      facts: title === undefined ? {} : { title },
      updatedAt: null,
      metadata: metadataOf(fields["metadata"]),
      readers: formReaders(fields["readers"]),
    }
    return { source, wait: wait === "true", documents: [document] }
  }
  const searchable = async (ctx: Context, documents: KeptDocuments, source: string, wait: boolean) =>
    wait ? await documents.searchable(source, clientGone(ctx)) : null

  serve(router, calls.sendDocuments, async ({ ctx }) => {
    const documents = await opened()
    const { source, wait, documents: given } = await sent(ctx, documents.maxBytes)
    const kept = await documents.send(ctx.state.key, source, given)
    const count = (result: Kept["result"]) => kept.filter((one) => one.result === result).length
    return {
      source,
      created: count("created"),
      updated: count("updated"),
      unchanged: count("unchanged"),
      searchable: await searchable(ctx, documents, source, wait),
      documents: kept,
    }
  })

  serve(router, calls.listDocuments, async ({ ctx, query }) => {
    const { source, after = "", limit: most } = query
    if (source === undefined) throw badRequest("Invalid source. It is missing.")
    const documents = await opened()
    const { key } = ctx.state
    const found = await documents.list(key, source, { after, limit: most })
    return {
      documents: found.map(onWire),
      total: await documents.count(key, source),
      next_after: found.length < most ? null : (found.at(-1)?.id ?? null),
    }
  })

  serve(router, calls.setDocumentReaders, async ({ ctx, body: { source, documents: given, wait } }) => {
    const documents = await opened()
    const changed = await documents.setReaders(ctx.state.key, source, given)
    return { source, documents: changed, searchable: await searchable(ctx, documents, source, wait) }
  })

  serve(router, calls.deleteDocuments, async ({ ctx, body: { source, ids, wait } }) => {
    const documents = await opened()
    const deleted = await documents.delete(ctx.state.key, source, ids)
    return { source, deleted, searchable: await searchable(ctx, documents, source, wait) }
  })

  serve(router, calls.getDocument, async ({ ctx, path: { source, id } }) =>
    onWire(await (await opened()).get(ctx.state.key, source, id)),
  )

  serve(router, calls.deleteDocument, async ({ ctx, path: { source, id } }) => {
    const documents = await opened()
    await documents.get(ctx.state.key, source, id)
    await documents.delete(ctx.state.key, source, [id])
    return { id, deleted: true }
  })
}

const FORM_FIELDS = ["source", "id", "url", "title", "metadata", "readers", "wait"]

const isSent = (read: Awaited<ReturnType<typeof sentDocuments>>): read is Sent => "documents" in read

const onlyFor =
  (method: string, middleware: Middleware): Middleware =>
  (ctx, next) =>
    ctx.method === method ? middleware(ctx, next) : next()

function metadataOf(text: string | undefined): Readonly<Record<string, unknown>> {
  const metadata = text === undefined ? {} : foreignOrNothing(text)
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata))
    throw badRequest("Invalid metadata. Must be a JSON object.")
  return metadata as Readonly<Record<string, unknown>>
}

/** Reads the form field `readers`. Text that can't be read is refused; ignoring it would let everybody in. */
function formReaders(text: string | undefined): StoredDocument["readers"] {
  const readers = text === undefined ? null : readersIn(text)
  if (Array.isArray(readers)) throw unprocessable(readers)
  return readers as StoredDocument["readers"]
}

const onWire = ({ id, url, facts, type, bytes, updatedAt, version, metadata, readers }: StoredDocument) => ({
  id,
  url,
  title: facts.title ?? null,
  type: type.split(";")[0]!,
  bytes,
  updated_at: updatedAt === null ? null : new Date(updatedAt),
  received_at: new Date(version),
  metadata,
  readers,
})
