import { readFileSync } from "node:fs"

const LEAST_CHARS = 16
const LEAST_DIFFERENT = 8
/** Minimum number of jumps, one more than `password12345678` has. */
const LEAST_JUMPS = 9

/** The requirement for a key or secret that guards this appliance, as the rest of a sentence. */
export const STRONG = `must be hard to guess: at least ${LEAST_CHARS} characters, at least ${LEAST_DIFFERENT} of them different, no repeated text, and no sequence such as 0123456789abcdef. openssl rand -hex 16 makes a good one`

/**
 * Whether a key or secret is as hard to guess as {@link STRONG} says. It detects carelessly typed text, but not whether
 * a long text is in a dictionary.
 */
export function isStrong(secret: string): boolean {
  const chars = Array.from(secret)
  if (chars.length < LEAST_CHARS || new Set(chars).size < LEAST_DIFFERENT) return false
  return !isRepeated(chars) && !isRow(chars)
}

/** Whether the whole text is a shorter text repeated; the last repetition may be cut off. */
function isRepeated(chars: readonly string[]): boolean {
  return Array.from({ length: chars.length >> 1 }, (_, i) => i + 1).some((unit) =>
    chars.every((char, i) => i < unit || char === chars[i - unit]),
  )
}

/**
 * Whether nearly all of the characters only count up, count down or repeat. What matters is the number of other steps,
 * not their share: in only one of 200,000 random secrets of 32 hex digits are more than half of the steps of this kind.
 */
function isRow(chars: readonly string[]): boolean {
  const jumps = chars.filter(
    (char, i) => i === 0 || Math.abs(char.codePointAt(0)! - chars[i - 1]!.codePointAt(0)!) > 1,
  )
  return jumps.length < LEAST_JUMPS
}

/**
 * The value that a reference points to: `${NAME}` is read from the environment, `file:/path` from a file without its
 * final line break; any other text is the value itself.
 *
 * @param where name of `env` in the error
 * @throws Error naming what is missing, never a value
 */
export function resolveSecret(
  reference: string,
  env: NodeJS.ProcessEnv,
  where = "the crawler's environment",
): string {
  const name = /^\$\{(\w+)\}$/.exec(reference)?.[1]
  if (name !== undefined) {
    const value = env[name]
    if (!value) throw new Error(`the secret ${reference} is not set in ${where}`)
    return value
  }
  if (!reference.startsWith("file:")) return reference
  try {
    return readFileSync(reference.slice("file:".length), "utf8").replace(/\r?\n$/, "")
  } catch (error) {
    throw new Error(`the secret ${reference} cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    })
  }
}

/**
 * The secret that a reference points to, used for signing messages.
 * @throws Error naming the reference, never the secret, if it is missing, or is so weak that others could guess it and
 * sign
 */
export function signingSecret(reference: string, env: NodeJS.ProcessEnv): string {
  const secret = resolveSecret(reference, env)
  if (!isStrong(secret.replace(/^whsec_/, ""))) throw new Error(`the secret ${reference} ${STRONG}`)
  return secret
}
