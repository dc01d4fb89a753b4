import { readFileSync } from "node:fs"

/**
 * The value behind a reference: `${NAME}` is taken from the environment, `file:/path` from a file without its final
 * line break; any other text stands for itself.
 *
 * @throws Error naming what is missing, never a value
 */
export function resolveSecret(reference: string, env: NodeJS.ProcessEnv): string {
  const name = /^\$\{(\w+)\}$/.exec(reference)?.[1]
  if (name !== undefined) {
    const value = env[name]
    if (!value) throw new Error(`the secret ${reference} is not set in the crawler's environment`)
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
