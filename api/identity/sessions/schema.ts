import { object, text } from "../../server/schema/schemas.ts"

/** Maximum length of a key: longer than any key that can be sent in a header. */
const MAX_KEY_CHARS = 1000

export const sessionSchema = object({
  key: text("An API key.", {
    minLength: 1,
    maxLength: MAX_KEY_CHARS,
    "x-allowed": `an API key, a text of at most ${MAX_KEY_CHARS} characters`,
  }),
})
