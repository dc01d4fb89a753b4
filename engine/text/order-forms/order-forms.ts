import { lazily } from "#base/process/lazily.ts"
import { ENGLISH } from "./english.ts"
import { EUROPEAN } from "./european.ts"
import { EAST_ASIAN, UNCHANGED, VERB_LAST } from "./other-languages.ts"
import { prefilter } from "./prefilter.ts"

/** The forms of orders to models, ignoring case; each takes linear time on text without repeated blanks. */
export const orderForms = lazily((): readonly RegExp[] =>
  [...ENGLISH, ...EUROPEAN, ...EAST_ASIAN, ...VERB_LAST, ...UNCHANGED].map((form) => new RegExp(form, "iu")),
)

const prefiltered = lazily(() => prefilter(orderForms()))

/** The forms that a text may match; `read` is the text after `asRead`. */
export const formsFor = (read: string): readonly RegExp[] => prefiltered()(read)

const LEAST_WORD = 5

/** The words in the forms, as spelt in a text; for some of them, only the beginning. */
export const orderWords = lazily(
  (): ReadonlySet<string> =>
    new Set(
      orderForms()
        .flatMap(
          ({ source }) =>
            source
              .replace(/\\[pP]\{[^}]*\}|\\[a-zA-Z]|\(\?<?[:=!]|\[[^\]]*\]/g, " ")
              .match(/\p{Script=Latin}+\??/gu) ?? [],
        )
        // The letter before a `?` may be missing.
        .flatMap((word) => (word.endsWith("?") ? [word.slice(0, -1), word.slice(0, -2)] : [word]))
        .filter((word) => word.length >= LEAST_WORD)
        .map((word) => word.toLowerCase()),
    ),
)
