import type { Login } from "../source.ts"
import { resolveSecret, signingSecret } from "#base/secret.ts"

/** Matches `${NAME}` or `file:/path`, optionally after one word: `Bearer ${TOKEN}`. */
const REFERENCE = /^(?:(\w+) )?(\$\{[A-Za-z_]\w*\}|file:.+)$/
/** Matches names of fields, cookies and headers whose values are secrets. */
const SECRET_NAME =
  /pass|pwd|secret|token|\bpin\b|otp|api.?key|\bkey\b|auth|cookie|sess|\bsid\b|kennwort|credential/i
/** Matches a header name (RFC 9110 §5.6.2). The names in the list below are set by the request itself. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/
const OWN_HEADERS = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "user-agent",
  "accept-encoding",
])

/** A problem with a field of a login; `path` is the path to the field. */
export interface LoginProblem {
  readonly path: readonly string[]
  readonly message: string
}

/** The problem with a string that must name a secret, or null if there is none. The message never repeats the string. */
export function checkSecret(text: string): string | null {
  return REFERENCE.test(text)
    ? null
    : "must name a secret, not contain it: ${NAME} for an environment variable, or file:/path"
}

/** The secrets that a part of a source refers to, indexed by their paths: `${NAME}` as written, or `file:`. */
export function secretsNamed(
  part: unknown,
  path: readonly string[] = [],
): { path: readonly string[]; from: string }[] {
  if (typeof part === "string") {
    const reference = REFERENCE.exec(part)?.[2]
    if (reference === undefined) return []
    return [{ path, from: reference.startsWith("file:") ? "file:" : reference }]
  }
  if (typeof part !== "object" || part === null) return []
  return Object.entries(part).flatMap(([name, value]) => secretsNamed(value, [...path, name]))
}

/**
 * Problems with secrets that a part of a source refers to: they are missing from `env` or too weak to sign with. `path`
 * is the path to the secret. No message contains a value.
 */
export function missingSecrets(
  part: unknown,
  env: NodeJS.ProcessEnv,
  path: readonly (string | number)[] = [],
): { path: readonly (string | number)[]; message: string }[] {
  if (typeof part === "string") {
    const reference = REFERENCE.exec(part)?.[2]
    if (reference === undefined) return []
    try {
      if (path[0] === "webhooks") signingSecret(reference, env)
      else if (resolveSecret(reference, env) === "") throw new Error(`the secret ${reference} is empty`)
      return []
    } catch (error) {
      return [{ path, message: `cannot be used: ${(error as Error).message}` }]
    }
  }
  if (Array.isArray(part)) return part.flatMap((one, index) => missingSecrets(one, env, [...path, index]))
  if (typeof part !== "object" || part === null) return []
  return Object.entries(part).flatMap(([name, value]) => missingSecrets(value, env, [...path, name]))
}

/**
 * Problems with a login. Every field whose name suggests a secret must refer to a secret, and at least one value must
 * do so, so that no password ends up in a sources file, a backup or a log.
 */
export function loginProblems(login: Login): LoginProblem[] {
  switch (login.kind) {
    case "basic":
      return problem(["password"], checkSecret(login.password))
    case "headers":
      return [
        ...Object.keys(login.headers).flatMap((name) => problem(["headers", name], checkHeaderName(name))),
        ...namedSecrets("headers", login.headers),
      ]
    case "cookies":
      return [
        ...Object.keys(login.cookies).flatMap((name) =>
          problem(["cookies", name], HEADER_NAME.test(name) ? null : "isn't a valid cookie name"),
        ),
        ...namedSecrets("cookies", login.cookies),
      ]
    default:
      return namedSecrets("fields", login.fields)
  }
}

function problem(path: readonly string[], message: string | null): LoginProblem[] {
  return message === null ? [] : [{ path, message }]
}

function checkHeaderName(name: string): string | null {
  if (!HEADER_NAME.test(name)) return "isn't a valid header name"
  return OWN_HEADERS.has(name.toLowerCase()) ? "is a header that Fossick sets itself" : null
}

function namedSecrets(field: string, values: Readonly<Record<string, string>>): LoginProblem[] {
  const problems = Object.entries(values).flatMap(([name, value]) =>
    SECRET_NAME.test(name) ? problem([field, name], checkSecret(value)) : [],
  )
  const hasOne = Object.values(values).some((value) => checkSecret(value) === null)
  if (problems.length > 0 || hasOne) return problems
  return [
    { path: [field], message: "must have at least one value that names a secret: ${NAME}, or file:/path" },
  ]
}

/**
 * A value with its secret filled in; a value that refers to no secret is returned unchanged.
 * @throws Error naming what is missing, never a value
 */
export function resolveValue(text: string, env: NodeJS.ProcessEnv): string {
  const [, word, reference] = REFERENCE.exec(text) ?? []
  if (reference === undefined) return text
  const secret = resolveSecret(reference, env)
  return word === undefined ? secret : `${word} ${secret}`
}

export function resolveValues(
  values: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, resolveValue(value, env)]))
}
