import type { Login, Repository } from "../source.ts"

const HIDDEN = "(hidden)"
/** A value that names its secret and holds none. */
const REFERENCE = /^(\w+ )?(\$\{[A-Za-z_][A-Za-z0-9_]*\}|file:.+)$/

interface MayHoldSecrets {
  readonly login?: Login | null
  readonly repository?: Partial<Repository> | null
}

/** A source as it may be shown: values of it that may be secrets themselves are hidden, names of secrets are not. */
export function withoutSecrets<S extends MayHoldSecrets>(source: S): S {
  const { login, repository } = source
  return {
    ...source,
    ...(login && { login: loginWithoutSecrets(login) }),
    ...(repository?.token && { repository: { ...repository, token: shown(repository.token) } }),
  }
}

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
