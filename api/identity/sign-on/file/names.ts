import { createHash } from "node:crypto"

import { principalOf } from "#engine/index/page/readers.ts"

import { type ProviderSpec, SignOnError, type Vouched } from "../provider.ts"

type Named = Pick<ProviderSpec, "name"> &
  Partial<Pick<ProviderSpec, "userPrefix" | "userDomains" | "groupPrefix">>

/** Maximum number of a person's groups; a person in more groups is refused, because leaving some out might open a page that is closed to one of them. */
const MOST_GROUPS = 2000
/** Maximum length of a subject; together with the provider's name, it stays within the length limit of a principal. */
const LONGEST_SUBJECT = 150

/** The reasons two providers could vouch for the same names; each text continues `sign-on.yaml: `. */
export function namesProblems(providers: readonly Named[]): readonly string[] {
  const problems: string[] = []
  const domains = new Set<string>()
  for (const [at, { name, userPrefix = "", userDomains, groupPrefix }] of providers.entries()) {
    const where = `providers[${at}]`
    const isTwice = (field: "name" | "userPrefix", value: string) =>
      providers.findIndex((one) => one[field] === value) < at
    if (isTwice("name", name)) problems.push(`${where}.name appears twice`)
    if (at > 0 && userPrefix === "" && userDomains === undefined)
      problems.push(
        `${where} must have userPrefix or userDomains: without either, it could vouch for people of ${providers[0]!.name}`,
      )
    if (at > 0 && groupPrefix === undefined)
      problems.push(
        `${where} must have groupPrefix; an empty one means that its groups are the same as those of ${providers[0]!.name}`,
      )
    if (userPrefix !== "" && isTwice("userPrefix", userPrefix))
      problems.push(`${where}.userPrefix appears twice`)
    for (const domain of userDomains ?? []) {
      const normal = domain.toLowerCase()
      if (domains.has(normal)) problems.push(`${where}.userDomains has ${domain}, which appears twice`)
      domains.add(normal)
    }
  }
  return problems
}

/** The names of a person in this appliance. */
export interface Names {
  readonly user: string
  readonly groups: readonly string[]
}

/**
 * The names that lists of readers use for a person that a provider vouches for. No two providers give the same name to
 * their people: if a name could be another provider's, the person is called `NAME/SUBJECT`.
 * @throws SignOnError if the person is in more groups than can be stored
 */
export function namesOf(
  provider: ProviderSpec,
  { user, subject, groups }: Pick<Vouched, "user" | "subject" | "groups">,
  all: readonly ProviderSpec[],
): Names {
  if (groups.length > MOST_GROUPS)
    throw new SignOnError(
      "You are in more groups than this search engine can keep. Ask its operator.",
      `more than ${MOST_GROUPS} groups`,
    )
  const plain = user === null ? null : namePart("user", provider.userPrefix, user)
  const isOwnGroup = (name: string) => !hasLongerPrefix(name, "groupPrefix", provider, all)
  return {
    user: plain !== null && isOwn(plain, provider, all) ? plain : `${provider.name}/${subjectPart(subject)}`,
    groups: [
      ...new Set(
        groups.flatMap((group) => namePart("group", provider.groupPrefix, group) ?? []).filter(isOwnGroup),
      ),
    ],
  }
}

/** Whether no other provider can give this name to a user. */
function isOwn(name: string, provider: ProviderSpec, all: readonly ProviderSpec[]): boolean {
  const domain = name.slice(name.lastIndexOf("@") + 1)
  const isIn = ({ userDomains }: ProviderSpec) =>
    name.includes("@") && (userDomains?.some((one) => normal(one) === domain) ?? false)
  if (provider.userDomains !== null && !isIn(provider)) return false
  // This applies to the provider's own names, too: a user who chooses a name must not be taken for the user with that
  // subject.
  if (all.some((one) => name.startsWith(`${one.name}/`))) return false
  if (hasLongerPrefix(name, "userPrefix", provider, all)) return false
  return !all.some((one) => one.name !== provider.name && one.userPrefix === provider.userPrefix && isIn(one))
}

/** A name belongs to the provider with the longest prefix that matches it. */
const hasLongerPrefix = (
  name: string,
  field: "userPrefix" | "groupPrefix",
  provider: ProviderSpec,
  all: readonly ProviderSpec[],
): boolean =>
  all.some((one) => one[field].length > provider[field].length && name.startsWith(normal(one[field])))

/** A name in the form that lists of readers use; null if it can't be a name. */
function namePart(kind: "user" | "group", prefix: string, given: string): string | null {
  // Whitespace around the name would be lost, making two names the same.
  if (given === "" || given.trim() !== given) return null
  return principalOf(`${kind}:${prefix}${given}`)?.slice(kind.length + 1) ?? null
}

/** Subjects that differ only in case, or are too long, are hashed, because they belong to different people (OpenID Connect Core 1.0, section 2). */
const subjectPart = (subject: string): string =>
  namePart("user", "", subject) === subject && subject.length <= LONGEST_SUBJECT && !subject.startsWith("~")
    ? subject
    : `~${createHash("sha256").update(subject).digest("hex")}`

const normal = (text: string): string => text.normalize("NFC").toLowerCase()
