import { expect, test } from "vitest"
import { defineSource, type SourceSpec } from "../../source.ts"
import { fieldChanges } from "../file/plan.ts"
import { sourceYaml, withoutDefaults } from "../file/source-yaml.ts"
import { readSourceSpec } from "../source-spec.ts"
import { withoutSecrets } from "../shown-source.ts"
import { SourceError, problemText } from "./source-problem.ts"

const form = (user: string, more: object = {}) => ({
  kind: "form",
  url: "https://wiki.example/login",
  fields: { user, password: "${WIKI_PASSWORD}" },
  proof: "Signed in",
  ...more,
})
const written = {
  name: "wiki",
  seeds: "wiki.example",
  login: form("hr"),
  observers: [
    { name: "hr", login: "same", readers: { allow: "group:hr" } },
    { name: "staff", login: form("staff"), readers: { allow: ["group:staff"] } },
    { name: "anyone", login: "none", readers: "everybody" },
  ],
}

function problemsOf(change: object): string[] {
  try {
    readSourceSpec({ ...written, ...change })
    return []
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return error.problems.map(problemText)
  }
}
const withObserver = (observer: object) => problemsOf({ observers: [written.observers[1], observer] })

test("observers can be given in short forms, and are stored as written", () => {
  const spec = readSourceSpec(written)
  const { observers, observersMaxAgeDays } = defineSource(spec)
  expect(observers[0]!.readers).toEqual({ allow: ["group:hr"] })
  expect(observersMaxAgeDays).toBe(7)
  expect(sourceYaml(withoutDefaults(defineSource(spec)))).toContain(
    'login: "none", readers: everybody'.replaceAll('"', ""),
  )
})

test("problems with observers are reported by field", () => {
  expect(problemsOf({ login: null })).toEqual([
    "observers require the source to have a login, because their pages are compared with what it reads",
  ])
  expect(problemsOf({ clientCert: { cert: "file:/c.pem", key: "file:/k.pem" } })).toEqual([
    "observers don't work with clientCert: the site would treat every observer as the owner of the certificate",
  ])
  expect(problemsOf({ observers: [written.observers[0]] })).toEqual([
    "observers need at least one with a login other than same, or nothing is learned",
  ])
  const observer = { name: "it", login: form("it"), readers: "everybody" }
  expect(withObserver(observer)).toEqual([])
  expect(withObserver({ ...observer, name: "staff" })).toEqual([
    "observers[1].name is already used by another observer, staff",
  ])
  expect(withObserver({ ...observer, readers: { allow: ["hr"] } })).toEqual([
    "observers[1].readers.allow[0] must be user:NAME, group:NAME or signed-in",
  ])
  expect(withObserver({ ...observer, readers: { allow: [], deny: ["user:a"] } }).join()).toContain(
    "observers[1].readers.deny isn't a field of",
  )
  expect(withObserver({ ...observer, login: "same" })).toEqual([
    "observers[1].readers must name users, groups or signed-in if login is same; otherwise everybody could read every page",
  ])
  expect(withObserver({ ...observer, readers: "all" })).toEqual([
    "observers[1].readers must be one of everybody",
  ])
  expect(withObserver({ ...observer, login: "staff" })).toEqual([
    "observers[1].login must be one of same, none",
  ])
  expect(withObserver({ ...observer, login: null })).toEqual([
    "observers[1].login is empty; use none for an observer that doesn't log in",
  ])
  expect(withObserver({ name: "it", readers: "everybody" })).toEqual(["observers[1].login is missing"])
  expect(withObserver({ ...observer, login: form("it", { proof: null }) })[0]).toMatch(
    /^observers\[1\]\.login\.proof is missing: /,
  )
  expect(withObserver({ ...observer, login: form("it", { fields: { password: "secret" } }) })).toEqual([
    "observers[1].login.fields.password must name a secret, not contain it: ${NAME} for an environment variable, or file:/path",
  ])
  expect(problemsOf({ observersMaxAgeDays: 0 })).toHaveLength(1)
  expect(
    problemsOf({ folder: "/srv/files", login: null, seeds: ["https://files.example/"] }).join(),
  ).toContain("observers has no effect with folder")
})

test("plans and lists show observers without their secrets", () => {
  const spec = readSourceSpec(written) as SourceSpec
  const [hr, staff, anyone] = spec.observers!
  const leaked = { ...staff!, login: { ...(staff!.login as object), fields: { password: "secret" } } }
  const shown = JSON.stringify(withoutSecrets({ observers: [leaked as never] }))
  expect(shown).not.toContain("secret")
  expect(shown).toContain("(hidden)")
  const from = defineSource({ ...spec, observers: [hr!, staff!] })
  const to = defineSource({ ...spec, observers: [hr!, staff!, anyone!] })
  expect(fieldChanges(from, to)).toEqual([
    {
      field: "observers",
      from: ["hr, login same, for group:hr", "staff, login form (values not shown), for group:staff"],
      to: [
        "hr, login same, for group:hr",
        "staff, login form (values not shown), for group:staff",
        "anyone, login none, for everybody",
      ],
    },
  ])
})
