import { Ajv, type JSONSchemaType } from "ajv"
import { OWN_SCHEMA } from "#base/text/json/own-schema.ts"
import type { CosineRange } from "../../../embedder.ts"
import { lettersOf } from "../../../text/scripts.ts"
import type { Pooling } from "../embed-protocol.ts"

/** The file next to a model's config.json that tells Fossick what it needs to know about the model. */
export const MODEL_CARD = "fossick.json"

/** A model's description of itself; every omitted field has a default, which docs/embedding-models.md states. */
export interface ModelCard {
  /** Typical cosines of unrelated texts, and of texts with the same meaning. */
  readonly cosines?: CosineRange
  /** The prefixes that the model needs before a question and before a passage, including the trailing space. */
  readonly prefixes?: { readonly question?: string; readonly passage?: string }
  readonly pooling?: Pooling
  readonly dimensions?: number
  /** Unicode names of the scripts that the model supports. */
  readonly scripts?: readonly string[]
}

const cosine = { type: "number", minimum: -1, maximum: 1 } as const
const prefix = { type: "string", maxLength: 200, nullable: true } as const
const SCHEMA: JSONSchemaType<ModelCard> = {
  type: "object",
  additionalProperties: false,
  properties: {
    cosines: {
      type: "object",
      additionalProperties: false,
      required: ["unrelated", "same"],
      properties: { unrelated: cosine, same: cosine },
      nullable: true,
    },
    prefixes: {
      type: "object",
      additionalProperties: false,
      properties: { question: prefix, passage: prefix },
      nullable: true,
    },
    pooling: { type: "string", enum: ["mean", "cls"], nullable: true },
    dimensions: { type: "integer", minimum: 1, maximum: 65_536, nullable: true },
    scripts: { type: "array", items: { type: "string" }, minItems: 1, nullable: true },
  },
}

const validate = new Ajv({ ...OWN_SCHEMA, allErrors: true }).compile(SCHEMA)

/** @throws Error that names the field, for an invalid card */
export function readModelCard(said: unknown): ModelCard {
  if (!validate(said)) {
    const faults = (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [instancePath.slice(1).replaceAll("/", "."), message, params["additionalProperty"]]
        .filter(Boolean)
        .join(" "),
    )
    throw new Error(faults.join("; "))
  }
  const { cosines, scripts = [] } = said
  if (cosines && cosines.unrelated >= cosines.same)
    throw new Error("cosines.unrelated must be below cosines.same")
  for (const script of scripts) {
    try {
      lettersOf([script])
    } catch {
      throw new Error(`scripts: Unicode knows no script ${JSON.stringify(script)}`)
    }
  }
  return said
}
