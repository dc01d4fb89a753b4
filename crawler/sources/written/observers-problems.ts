import { loginProblems } from "../../fetch/secrets.ts"
import type { Observer, SourceSpec } from "../../source.ts"
import { readersProblems } from "./readers-problems.ts"
import type { SourceProblem } from "./source-problem.ts"

/** Problems with the observers of a source that the schema doesn't catch. */
export function observersProblems({
  observers = [],
  login = null,
  clientCert = null,
}: SourceSpec): SourceProblem[] {
  if (observers.length === 0) return []
  const all = ["observers"]
  const problems: SourceProblem[] = []
  if (login === null)
    problems.push({
      path: all,
      message: "require the source to have a login, because their pages are compared with what it reads",
    })
  if (clientCert !== null)
    problems.push({
      path: all,
      message:
        "don't work with clientCert: the site would treat every observer as the owner of the certificate",
    })
  if (observers.every((one) => one.login === "same"))
    problems.push({
      path: all,
      message: "need at least one with a login other than same, or nothing is learned",
    })
  const names = observers.map(({ name }) => name)
  return [
    ...problems,
    ...observers.flatMap((observer, index) =>
      [...nameProblems(names, index), ...observerProblems(observer)].map(({ path, message }) => ({
        path: ["observers", index, ...path],
        message,
      })),
    ),
  ]
}

const nameProblems = (names: readonly string[], index: number): SourceProblem[] =>
  names.indexOf(names[index]!) === index
    ? []
    : [{ path: ["name"], message: `is already used by another observer, ${names[index]}` }]

function observerProblems({ login, readers }: Observer): SourceProblem[] {
  const wrong =
    readers !== "everybody"
      ? readersProblems(readers)
      : login === "same"
        ? [
            {
              path: [],
              message:
                "must name users, groups or signed-in if login is same; otherwise everybody could read every page",
            },
          ]
        : []
  return [
    ...wrong.map(({ path, message }) => ({ path: ["readers", ...path], message })),
    ...observerLoginProblems(login),
  ]
}

function observerLoginProblems(login: Observer["login"] | null): SourceProblem[] {
  if (login === null)
    return [{ path: ["login"], message: "is empty; use none for an observer that doesn't log in" }]
  if (typeof login === "string") return []
  const problems = loginProblems(login).map(({ path, message }) => ({ path: ["login", ...path], message }))
  if (login.kind !== "form" || login.proof !== null) return problems
  return [
    ...problems,
    {
      path: ["login", "proof"],
      message:
        "is missing: it must be a text that only logged-in visitors see, to tell a refused page from a session that has ended",
    },
  ]
}
