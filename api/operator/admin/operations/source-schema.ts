import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { inlined } from "../../../server/operation/published.ts"
import {
  anyObject,
  count,
  type JsonSchema,
  listOf,
  named,
  namedObject,
  orNull,
  type Schema,
  text,
  yesNo,
} from "../../../server/schema/schemas.ts"

// A source in the admin API has the same schema as in the sources file.

const written = inlined(
  JSON.parse(
    readFileSync(fileURLToPath(import.meta.resolve("#crawler/sources/sources.schema.json")), "utf8"),
  ),
  "#/$defs/source",
) as Schema<object>
const { name: nameField, ...otherFields } = written["properties"] as Readonly<Record<string, JsonSchema>>

/** Name of a source to be declared. */
export const newSourceName = nameField as Schema<string>
export const sourceName = text("Name of the source.", { minLength: 1 })

/** A source to be declared; its name is also in the path. */
const source: Schema<object> = {
  ...written,
  required: ["seeds"],
  description: "What to crawl, how and when, in the fields of the sources file.",
}

export const Source = named("Source", source)

/** A source with only the fields that differ from their defaults. */
export const sparseSource = (description: string): Schema<object> => ({ ...Source, description })

const shownFields = {
  // A crawl of one address is stored under its host, which can be an address in brackets.
  name: text(nameField!["description"] as string),
  ...otherFields,
  login: orNull(
    anyObject(
      "How the source logs in. Values that may be secret are shown as `(hidden)`, names of secrets as they are.",
    ),
  ),
  observers: listOf(
    anyObject("As written. Values of its login are hidden like those of the source's login."),
    "Further logins that visit each page to learn who may read it.",
  ),
}
export const SourceShown: Schema<object> = namedObject(
  "SourceShown",
  shownFields,
  "Every field with its value; fields that were left out have their defaults.",
  { required: Object.keys(shownFields) },
)

export const crawlSize = {
  pages: count(
    "Addresses known from earlier runs; before the first run, the most that the source's limits allow.",
  ),
  pages_known: yesNo("Whether `pages` comes from earlier runs."),
  seconds: count(
    "Estimated duration of a run over the whole source, from the pauses between requests to its hosts.",
  ),
  delay_ms: count("The longest pause between two requests to one of its hosts."),
}
