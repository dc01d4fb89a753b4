import type { RequestSchema } from "../../server/wire/validate.ts"

export interface SessionRequest {
  readonly key: string
}

/** Longer than any key that can be sent in a header. */
const MAX_KEY_CHARS = 1000

export const sessionSchema: RequestSchema<SessionRequest> = {
  type: "object",
  required: ["key"],
  properties: {
    key: {
      type: "string",
      minLength: 1,
      maxLength: MAX_KEY_CHARS,
      "x-allowed": `an API key, a text of at most ${MAX_KEY_CHARS} characters`,
      description: "An API key.",
    },
  },
}
