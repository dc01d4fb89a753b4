import { MAX_NAME_CHARS } from "../accounts/keys/key-scope.ts"
import {
  MOST_MONTHLY_CREDITS,
  MOST_ORIGINS,
  type WrittenPublicKey,
} from "../accounts/public-keys/read-spec.ts"
import type { BodySchema } from "../../server/wire/body-schema.ts"

export interface PublicKeyBody extends WrittenPublicKey {
  readonly disabled?: boolean
}

/** Of a public key that is made, or replaced whole. */
export const publicKeyBody: BodySchema<PublicKeyBody> = {
  required: ["origins"],
  properties: {
    name: { type: "string", maxLength: MAX_NAME_CHARS, default: "", description: "What the key is for." },
    source: {
      type: ["string", "null"],
      description: "The source whose pages it finds; either it or `collection`.",
    },
    collection: {
      type: ["string", "null"],
      description: "The collection whose sources' pages it finds; either it or `source`.",
    },
    origins: {
      type: "array",
      items: { type: "string" },
      minItems: 1,
      maxItems: MOST_ORIGINS,
      description: "Origins of the web pages that may use it, such as `https://docs.example.com`.",
    },
    answers: { type: "boolean", default: false, description: "Whether it may ask for answers." },
    rate_limits: {
      type: ["string", "null"],
      description:
        "Calls from each address, such as `search=60/m`, instead of `FOSSICK_PUBLIC_RATE_LIMITS`; null: as that says.",
    },
    credits: {
      type: ["integer", "null"],
      minimum: 0,
      maximum: MOST_MONTHLY_CREDITS,
      description: "Credits that all its callers together may use in a calendar month; null: no limit.",
    },
    disabled: { type: "boolean", default: false, description: "Whether it is refused." },
  },
}
