import { basename, isAbsolute } from "node:path"
import { KnownError } from "#base/errors.ts"
import { dataFolderOf } from "#base/store/state-store.ts"
import type { Repository } from "../../../source.ts"
import { checkSecret } from "../../secrets.ts"
import { atOneAddress } from "../addresses-below.ts"
import type { ContentKind, RecognizedStart } from "../content.ts"
import { pathOf } from "../start-path.ts"
import { filesAt, repositoryAt } from "./forges.ts"
import { isLocal, isRepository, Mirror } from "./mirror.ts"

const FIELD = "repository"
/** Names that Git accepts for branches and tags (git-check-ref-format), except names with another meaning on a command line. */
const REF = /^(?![-/.])(?!.*(?:\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)))[^\p{Cc} ~^:?*[\\+]+(?<![/.])$/u
const EVERY_HOURS = 1
const SSH = /^(?:ssh:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/|[^@/\s]+@([^:/\s]+):)(.+)$/

/** The files of a Git repository. */
export const REPOSITORY: ContentKind = {
  field: FIELD,
  problems: (spec) => [...repositoryProblems(spec.repository!), ...atOneAddress(spec, "the files")],
  watchedBy: ({ repository }) => (isLocal(repository!) ? "process" : null),
  async make({ name, repository, seeds: [address] }, { db }) {
    const { RepositoryContent } = await import("./repository-content.ts")
    const whole = repository!
    const dataDir = db && dataFolderOf(db)
    return new RepositoryContent(whole, address!, dataDir === null ? null : new Mirror(dataDir, name, whole))
  },
  async recognize(start) {
    const ssh = SSH.exec(start)
    if (ssh !== null)
      throw new KnownError(
        `Repositories are read over https, not over ssh. Try https://${ssh[1] ?? ssh[2]}/${ssh[3]}, with a token when it is private.`,
      )
    const url = pathOf(start)
    if (url !== null) return (await isRepository(url)) ? recognized({ url, ref: null, paths: [] }) : null
    const found = repositoryAt(start.includes("://") ? start : `https://${start}`)
    return found && recognized(found)
  },
}

function recognized({ url, ref, paths }: Pick<Repository, "url" | "ref" | "paths">): RecognizedStart {
  const address = filesAt({ url, ref })
  const repository = { url, ...(ref !== null && { ref }), ...(paths.length > 0 && { paths }) }
  return {
    fields: { repository },
    name: basename(url, ".git"),
    ...(address !== null && { address }),
    // A repository in a folder is watched for changes.
    ...(!isLocal({ url }) && { schedule: { everyHours: EVERY_HOURS } }),
  }
}

function repositoryProblems({
  url,
  ref = null,
  paths = [],
  token = null,
  user = null,
}: Pick<Repository, "url"> & Partial<Repository>): ReturnType<ContentKind["problems"]> {
  const problem = (path: readonly (string | number)[], message: string | null) =>
    message === null ? [] : [{ path: [FIELD, ...path], message }]
  return [
    ...problem(["url"], urlProblem(url)),
    ...problem(["ref"], ref === null || REF.test(ref) ? null : "isn't the name of a branch or tag"),
    ...paths.flatMap((path, index) => problem(["paths", index], isInside(path) ? null : PATH)),
    ...problem(["token"], token === null ? null : checkSecret(token)),
    ...problem(
      ["token"],
      token !== null && isLocal({ url }) ? "has no effect for a folder; remove it" : null,
    ),
    ...problem(["user"], user !== null && token === null ? "has no effect without a token; remove it" : null),
  ]
}

const PATH = "must be the path of a folder or file from the root of the repository, such as docs"

const isInside = (path: string): boolean =>
  !/^[/:]|\\/.test(path) &&
  path
    .replace(/\/$/, "")
    .split("/")
    .every((name) => name !== "" && name !== "." && name !== "..")

function urlProblem(url: string): string | null {
  if (isAbsolute(url)) return null
  if (SSH.test(url)) return "must begin with https://; ssh is not supported"
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    return "must be an https address, or an absolute path"
  if (parsed.username !== "" || parsed.password !== "")
    return "must not contain a user or password; use the fields user and token"
  return parsed.search === "" && parsed.hash === "" ? null : "must not have a query or fragment"
}
