import { loginProblems } from "../../fetch/secrets.ts"
import type { Observer, SourceSpec } from "../../source.ts"
import { readersProblems } from "./readers-problems.ts"
import type { SourceProblem } from "./source-problem.ts"

/** What is wrong with the observers of a source, beyond what the schema says. */
export function observersProblems({
  observers = [],
  login = null,
  clientCert = null,
}: SourceSpec): SourceProblem[] {
  if (observers.length === 0) return []
  const all = ["observers"]
  const problems: SourceProblem[] = []
  if (login === null)
    problems.push({ path: all, message: "need a login of the source: pages are read with it, and compared" })
  if (clientCert !== null)
    problems.push({
      path: all,
      message: "do not go with clientCert: the site would take every observer for its owner",
    })
  if (observers.every((one) => one.login === "same"))
    problems.push({ path: all, message: "need one whose login is not same, or nothing is learned" })
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
    : [{ path: ["name"], message: `is that of another observer, ${names[index]}` }]

function observerProblems({ login, readers }: Observer): SourceProblem[] {
  const wrong =
    readers !== "everybody"
      ? readersProblems(readers)
      : login === "same"
        ? [{ path: [], message: "must name somebody where login is same, or every page is for everybody" }]
        : []
  return [
    ...wrong.map(({ path, message }) => ({ path: ["readers", ...path], message })),
    ...observerLoginProblems(login),
  ]
}

function observerLoginProblems(login: Observer["login"] | null): SourceProblem[] {
  if (login === null)
    return [{ path: ["login"], message: "is empty; for an observer who is not signed in, write none" }]
  if (typeof login === "string") return []
  const problems = loginProblems(login).map(({ path, message }) => ({ path: ["login", ...path], message }))
  if (login.kind !== "form" || login.proof !== null) return problems
  return [
    ...problems,
    {
      path: ["login", "proof"],
      message:
        "is missing: without a text that only pages of somebody who is logged in hold, a page that is not for the observer looks like a session that has ended",
    },
  ]
}
