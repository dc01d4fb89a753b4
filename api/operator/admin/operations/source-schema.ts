import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { inlined } from "../../../server/operation/published.ts"
import {
  anyObject,
  count,
  type JsonSchema,
  named,
  namedObject,
  orNull,
  type Schema,
  text,
  yesNo,
} from "../../../server/schema/schemas.ts"

// A source in the admin API has the schema of the file of sources.

const written = inlined(
  JSON.parse(
    readFileSync(fileURLToPath(import.meta.resolve("#crawler/sources/sources.schema.json")), "utf8"),
  ),
  "#/$defs/source",
) as Schema<object>
const { name: nameField, ...otherFields } = written["properties"] as Readonly<Record<string, JsonSchema>>

/** The name of a source that is declared. */
export const newSourceName = nameField as Schema<string>
export const sourceName = text("Name of the source.", { minLength: 1 })

/** A source as it is declared; its name stands in the path, too. */
const source: Schema<object> = {
  ...written,
  required: ["seeds"],
  description: "What is crawled, how, and when: the fields of the file of sources.",
}

export const Source = named("Source", source)

/** A source with what differs from the defaults. */
export const sparseSource = (description: string): Schema<object> => ({ ...source, description })

const shownFields = {
  // A crawl of one address is filed under its host, which may be an address in brackets.
  name: text(nameField!["description"] as string),
  ...otherFields,
  login: orNull(
    anyObject("How it logs in. Values that may be secrets are `(hidden)`, names of secrets are shown."),
  ),
}
export const SourceShown: Schema<object> = namedObject(
  "SourceShown",
  shownFields,
  "Every field with its value: what was left out has its default.",
  { required: Object.keys(shownFields) },
)

export const crawlSize = {
  pages: count("Addresses that earlier runs know; before the first run the most that its limits let in."),
  pages_known: yesNo("Whether earlier runs know them."),
  seconds: count("About so long does a run over all of it take, by the pauses that its hosts are given."),
  delay_ms: count("The longest pause between two requests to one of its hosts."),
}
