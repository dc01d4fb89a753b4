import type { BodySchema } from "../server/wire/body-schema.ts"

/** Characters of a name at most: it stands beside the search box. */
const MAX_NAME_CHARS = 40

export const applianceBody: BodySchema<{ readonly name: string | null }> = {
  required: ["name"],
  properties: {
    name: {
      type: ["string", "null"],
      maxLength: MAX_NAME_CHARS,
      description: "Shown on its pages; empty or null: it has none.",
    },
  },
}
