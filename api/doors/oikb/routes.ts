import type { Router } from "@koa/router"

import { Refusal } from "#base/errors.ts"
import { foreignOrNothing } from "#base/text/json/foreign-json.ts"
import type { StoredDocument } from "#crawler/fetch/content/documents/document-store.ts"

import { clientGone, type Context, type RequestState } from "../../context.ts"
import { badRequest } from "../../errors.ts"
import { refuseChanges } from "../../read-only.ts"
import { roomOnDisk } from "../../room-on-disk.ts"
import type { KeptDocuments } from "../../services/documents/kept-documents.ts"
import type { DocumentNeeds } from "../../services/documents/routes.ts"
import { readFileForm } from "../../server/serving/file-form.ts"
import { admission } from "../../server/middleware/admission.ts"
import { writerAuthentication } from "../../server/middleware/authentication.ts"
import type { OtherApi } from "../../server/middleware/error-envelope.ts"
import { arrivingBodies, bodyText } from "../../server/middleware/json-body.ts"
import { pathParameter } from "../../server/middleware/query-parameters.ts"
import { fieldsOf } from "./read-fields.ts"
import { deletedBy, documentId, type ManifestFile, planSync } from "./sync-plan.ts"

/** Prefix of every path that oikb calls. */
const ROOT = "/api/v1"
const KNOWLEDGE = `${ROOT}/knowledge/:id`
const LISTED_AT_ONCE = 1000

/** Paths of Open WebUI's knowledge bases, and refusals in the format that oikb expects. */
export const oikbApi: OtherApi = {
  owns: (path) => path.startsWith(`${ROOT}/`),
  refusal: ({ status, message }) => ({ status, body: { detail: message } }),
}

/** oikb's calls, which change the documents of a source: each knowledge base is a source. */
export function oikbRoutes(
  router: Router<RequestState>,
  { documents: opened, accounts, admissions, config, mayKeep, readOnly }: DocumentNeeds,
): void {
  if (opened === undefined) return
  const arriving = arrivingBodies(config.bodyLimit)
  const limit = config.documentsBodyMb * 1024 * 1024
  router.use(
    ROOT,
    writerAuthentication(accounts.keys),
    refuseChanges(readOnly),
    admission(admissions, "documents"),
  )
  const body = async (ctx: Context) =>
    await fieldsOf(await bodyText(ctx.req, ctx.get("Content-Encoding"), limit, arriving), clientGone(ctx))

  router.post(`${KNOWLEDGE}/sync/diff`, async (ctx) => {
    const documents = await opened()
    const { manifest } = await body(ctx)
    if (!isManifest(manifest)) throw badRequest("Invalid manifest. Must be a list of files.")
    const stored: StoredDocument[] = []
    for await (const some of all(ctx, documents, { mayBeNew: true })) stored.push(...some)
    ctx.body = planSync(manifest, stored)
  })

  router.post(`${KNOWLEDGE}/sync/cleanup`, async (ctx) => {
    const documents = await opened()
    const { file_ids: ids } = await body(ctx)
    if (!isTexts(ids)) throw badRequest("Invalid file_ids. Must be a list of ids.")
    const gone = deletedBy(ids)
    if (gone.length > 0) await documents.delete(ctx.state.key, pathParameter(ctx, "id"), gone)
    ctx.body = { status: true }
  })

  router.post(`${KNOWLEDGE}/dirs/create`, async (ctx) => {
    const { name, parent_id: parent = "" } = await body(ctx)
    if (typeof name !== "string" || (typeof parent !== "string" && parent !== null))
      throw badRequest("Invalid name. Must be a string.")
    ctx.body = { id: parent ? `${parent}/${name}` : name, name }
  })

  router.post(`${KNOWLEDGE}/reset`, async (ctx) => {
    await (await opened()).deleteAll(ctx.state.key, pathParameter(ctx, "id"))
    ctx.body = { status: true }
  })

  router.get(KNOWLEDGE, async (ctx) => {
    const { name } = await (await opened()).of(ctx.state.key, pathParameter(ctx, "id"))
    ctx.body = { id: name, name, description: "", files: null }
  })

  router.get(`${KNOWLEDGE}/files`, async (ctx) => {
    const items: object[] = []
    for await (const some of all(ctx, await opened()))
      items.push(...some.map(({ id, bytes }) => ({ id, filename: id, meta: { name: id, size: bytes } })))
    ctx.body = { items, total: items.length }
  })

  router.post(`${ROOT}/files/`, roomOnDisk(mayKeep), async (ctx) => {
    const documents = await opened()
    const { name, type, body, fields } = await readFileForm(ctx, {
      names: ["metadata"],
      maxBytes: documents.maxBytes,
      arriving,
    })
    const about = foreignOrNothing(fields["metadata"] ?? "") as Readonly<Record<string, unknown>> | undefined
    const { knowledge_id: source, file_hash: checksum, directory_id: path = "" } = about ?? {}
    if (typeof source !== "string" || typeof checksum !== "string" || typeof path !== "string")
      throw badRequest("Invalid metadata. Must be JSON with knowledge_id and file_hash.")
    const id = documentId({ path, filename: name })
    const [kept] = await documents.send(ctx.state.key, source, [
      {
        id,
        url: null,
        body,
        type: type === "application/octet-stream" ? "" : type,
        facts: {},
        updatedAt: null,
        metadata: { checksum },
        readers: null,
      },
    ])
    ctx.body = { id: kept!.id, filename: name, meta: { name, size: body.byteLength } }
  })
}

/** The documents of the source in the path, in batches. @param mayBeNew whether a source that does not exist yet is treated as an empty one */
async function* all(
  ctx: Context,
  documents: KeptDocuments,
  { mayBeNew = false } = {},
): AsyncGenerator<readonly StoredDocument[]> {
  const source = pathParameter(ctx, "id")
  for (let after = ""; ;) {
    let some: readonly StoredDocument[]
    try {
      some = await documents.list(ctx.state.key, source, { after, limit: LISTED_AT_ONCE })
    } catch (error) {
      if (mayBeNew && error instanceof Refusal && error.because === "missing") return
      throw error
    }
    yield some
    if (some.length < LISTED_AT_ONCE) return
    after = some.at(-1)!.id
  }
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

const isManifest = (value: unknown): value is readonly ManifestFile[] =>
  Array.isArray(value) &&
  value.every((file: Partial<ManifestFile> | null) =>
    [file?.filename, file?.path, file?.checksum].every((text) => typeof text === "string"),
  )
