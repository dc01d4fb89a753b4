import { existsSync, readFileSync, readdirSync } from "node:fs"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { readJsonLines } from "../data-files.ts"

export interface Collection {
  readonly name: string
  /** ISO 639-1, of its documents. */
  readonly language: string
  /** In the language of the collection, unless a document has its own. */
  readonly documents: readonly { id: string; title: string; text: string; language?: string }[]
  readonly queries: readonly Judged[]
}

export interface Judged {
  readonly id: string
  readonly text: string
  /** Gain by document id; what is absent is not relevant. */
  readonly relevant: ReadonlyMap<string, number>
}

/**
 * Every judged collection in a folder: `<name>/corpus.jsonl`, `queries.jsonl`, `qrels.tsv` (the BEIR layout), and `language.txt` with the code of a
 * language other than English.
 */
export function readCollections(folder: string): Collection[] {
  return readdirSync(folder)
    .filter((name) => existsSync(path.join(folder, name, "corpus.jsonl")))
    .sort()
    .map((name) => readCollection(path.join(folder, name)))
}

/** Collections to index as one: their documents and questions, with ids that keep them apart. */
export const together = (collections: readonly Collection[]): readonly Collection[] =>
  collections.map(({ name, language, documents, queries }) => ({
    name,
    language,
    documents: documents.map((one) => ({ ...one, id: `${name} ${one.id}`, language })),
    queries: queries.map((one) => ({
      ...one,
      relevant: new Map(Array.from(one.relevant, ([id, gain]) => [`${name} ${id}`, gain])),
    })),
  }))

function readCollection(folder: string): Collection {
  const qrels = new Map<string, Map<string, number>>()
  const [, ...rows] = readFileSync(path.join(folder, "qrels.tsv"), "utf8").trim().split("\n")
  for (const row of rows) {
    const [query, document, gain] = row.split("\t") as [string, string, string]
    if (!qrels.has(query)) qrels.set(query, new Map())
    if (Number(gain) > 0) qrels.get(query)!.set(document, Number(gain))
  }
  const language = path.join(folder, "language.txt")
  return {
    name: path.basename(folder),
    language: existsSync(language) ? readFileSync(language, "utf8").trim() : "en",
    documents: lines(folder, "corpus.jsonl").map(({ _id: id, title = "", text }) => ({ id, title, text })),
    queries: lines(folder, "queries.jsonl")
      .map(({ _id: id, text }) => ({ id, text, relevant: qrels.get(id) ?? new Map() }))
      .filter((query) => query.relevant.size > 0),
  }
}

const lines = (folder: string, file: string) =>
  readJsonLines(pathToFileURL(path.join(folder, file)), {
    properties: { _id: { type: "string" }, text: { type: "string" } },
    optionalProperties: { title: { type: "string" } },
    additionalProperties: true,
  })
