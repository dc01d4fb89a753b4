import { ok, operations } from "../../../server/operation/operation.ts"
import { closedBody } from "../../../server/operation/published.ts"
import { filled } from "../../../server/operation/shared-fields.ts"
import {
  always,
  anyObject,
  count,
  listOf,
  namedObject,
  object,
  oneOf,
  orNull,
  text,
  time,
  whole,
  withDefault,
  yesNo,
} from "../../../server/schema/schemas.ts"
import { deleteBody, readersBody, readersField, sendBody } from "../document-body.ts"

const MOST_LISTED = 1000

const Document = namedObject("Document", {
  id: text(),
  url: text("Where people open it."),
  title: orNull(text("The title as sent; null if it comes from the content.")),
  type: text("Media type as sent; empty if the content decides."),
  bytes: count("Size of the content."),
  updated_at: orNull(time("As sent.")),
  received_at: time("When this version arrived."),
  metadata: anyObject("As sent."),
  readers: readersField,
})

const searchable = orNull(
  yesNo("With `wait`: whether a run applied the change within a minute. Null without `wait`."),
)
const path = {
  source: filled("Name of the source."),
  id: filled("The document's id, percent-encoded."),
}

/** Documents sent by programs. */
export const documentOperations = operations("Documents", "key", {
  sendDocuments: {
    at: "POST /documents",
    summary: "Send documents",
    description:
      "Stores up to 10,000 documents in a source. When the call returns, they are on disk, and a run that makes them searchable starts. A document replaces the one with the same id; sending the same document again changes nothing. A source that doesn't exist yet is created. To send a file, such as a PDF, send a form (`multipart/form-data`) with the fields `file`, `source` and optionally `id`, `url`, `title`, `metadata`, `readers` (as JSON) and `wait`. Needs a key with the role write or admin. Free.",
    body: { schema: closedBody(sendBody).schema, required: true },
    answers: ok(
      object({
        source: text(),
        created: count(),
        updated: count(),
        unchanged: count(),
        searchable,
        documents: listOf(
          object({ id: text(), url: text(), result: oneOf(["created", "updated", "unchanged"]) }),
          "In the order in which they were sent.",
        ),
      }),
      "The result for each document.",
    ),
    refusals: [400, 403, 409, 422],
    examples: [
      {
        summary: "A ticket",
        body: {
          source: "tickets",
          documents: [
            { id: "4711", title: "Pump leaks", markdown: "The seal of the pump leaks after a cold start." },
          ],
        },
        status: 200,
      },
      { summary: "Nothing", body: { source: "tickets", documents: [] }, status: 422 },
    ],
  },
  listDocuments: {
    at: "GET /documents",
    summary: "List the documents in a source",
    description: "Sorted by id, without content. Needs a key with the role write or admin.",
    query: {
      source: filled("Name of the source."),
      after: filled("Only ids after this one: `next_after` from the previous list."),
      limit: withDefault(whole(1, MOST_LISTED, "How many documents to list."), 100),
    },
    needs: ["source"],
    answers: ok(
      object({
        documents: listOf(Document),
        total: count("Number of documents in the source."),
        next_after: orNull(text("`after` for the next list; null at the end.")),
      }),
      "The documents.",
    ),
    refusals: [400, 403, 404, 409],
    examples: [{ summary: "A source that doesn't exist", query: { source: "invoices" }, status: 404 }],
  },
  setDocumentReaders: {
    at: "POST /documents/readers",
    summary: "Change who may read documents",
    description:
      "Changes the readers of documents and nothing else. The run that applies the change to searches starts at once. Needs a key with the role write or admin.",
    body: closedBody(readersBody),
    answers: ok(
      object({ source: text(), documents: listOf(text(), "Ids of the documents that existed."), searchable }),
      "What was changed.",
    ),
    refusals: [400, 403, 404, 409, 422],
    examples: [
      {
        summary: "A source that doesn't exist",
        body: { source: "invoices", documents: [{ id: "4711", readers: { allow: ["group:sales"] } }] },
        status: 404,
      },
    ],
  },
  deleteDocuments: {
    at: "POST /documents/delete",
    summary: "Delete several documents",
    description:
      "The next run, which starts at once, removes their pages from the index. If they are more than `removal.maxShare` of the source's pages, the removal waits for the operator. Needs a key with the role write or admin.",
    body: closedBody(deleteBody),
    answers: ok(
      object({ source: text(), deleted: listOf(text(), "Ids of the documents that existed."), searchable }),
      "What was deleted.",
    ),
    refusals: [400, 403, 404, 409, 422],
    examples: [
      { summary: "A source that doesn't exist", body: { source: "invoices", ids: ["4711"] }, status: 404 },
    ],
  },
  getDocument: {
    at: "GET /documents/{source}/{id}",
    summary: "Show a document",
    description: "Without its content. Needs a key with the role write or admin.",
    path,
    answers: ok(Document, "The document."),
    refusals: [403, 404, 409],
    examples: [
      { summary: "A document that doesn't exist", path: { source: "invoices", id: "4711" }, status: 404 },
    ],
  },
  deleteDocument: {
    at: "DELETE /documents/{source}/{id}",
    summary: "Delete a document",
    description: "Like `POST /documents/delete`, for one document.",
    path,
    answers: ok(object({ id: text(), deleted: always(true) }), "The document was deleted."),
    refusals: [403, 404, 409],
    examples: [
      { summary: "A document that doesn't exist", path: { source: "invoices", id: "4711" }, status: 404 },
    ],
  },
})
