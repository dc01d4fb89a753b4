import type { Login, Observer, Repository, SourceSpec } from "../source.ts"

const HIDDEN = "(hidden)"
/** Matches a value that only contains the name of a secret. */
const REFERENCE = /^(\w+ )?(\$\{[A-Za-z_][A-Za-z0-9_]*\}|file:.+)$/

interface MayHoldSecrets {
  readonly login?: Login | null
  readonly observers?: readonly Observer[]
  readonly repository?: Partial<Repository> | null
  readonly mailbox?: SourceSpec["mailbox"]
}

/** A source as it may be shown: values that might be secrets themselves are hidden, names of secrets are not. */
export function withoutSecrets<S extends MayHoldSecrets>(source: S): S {
  const { login, observers, repository, mailbox } = source
  return {
    ...source,
    ...(login && { login: loginWithoutSecrets(login) }),
    ...(observers && { observers: observers.map(observerWithoutSecrets) }),
    ...(repository?.token && { repository: { ...repository, token: shown(repository.token) } }),
    ...(mailbox &&
      typeof mailbox === "object" && { mailbox: { ...mailbox, password: shown(mailbox.password) } }),
  }
}

const observerWithoutSecrets = (observer: Observer): Observer =>
  typeof observer.login === "string" ? observer : { ...observer, login: loginWithoutSecrets(observer.login) }

function loginWithoutSecrets(login: Login): Login {
  switch (login.kind) {
    case "basic":
      return { ...login, password: shown(login.password) }
    case "headers":
      return { ...login, headers: allShown(login.headers) }
    case "cookies":
      return { ...login, cookies: allShown(login.cookies) }
    default:
      return { ...login, fields: allShown(login.fields) }
  }
}

const shown = (value: string): string => (REFERENCE.test(value) ? value : HIDDEN)

function allShown(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shown(value)]))
}
