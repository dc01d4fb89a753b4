/** The fields used here, from a package in a lock file. */
export interface Engined {
  readonly engines?: { readonly node?: string } | readonly string[] | undefined
}

/**
 * Whether an npm range (semver) allows a version: alternatives separated by `||`, each like `22`, `22.1.0`, `^22.1.0`
 * or `>=22.1`. A range in any other form allows nothing, so that a person checks it.
 */
export function allows(range: string, version: string): boolean {
  const wanted = numbers(version)
  return range.split("||").some((alternative) => {
    const [, operator, low] = /^(\^|>=)?\s*v?(\d+(?:\.[\dx]+){0,2})$/.exec(alternative.trim()) ?? []
    if (low === undefined) return alternative.trim() === "*"
    const least = numbers(low)
    return isAtLeast(wanted, least) && (operator === ">=" || wanted[0] === least[0])
  })
}

/** Names of locked packages that do not support a version of Node, about which npm warns. */
export const refusing = (packages: Readonly<Record<string, Engined>>, version: string): string[] =>
  Object.entries(packages).flatMap(([path, { engines }]) => {
    const range = engines && "node" in engines ? engines.node : undefined
    return path !== "" && range !== undefined && !allows(range, version) ? [path] : []
  })

const numbers = (version: string): number[] =>
  version.split(".").map((part) => (part === "x" ? 0 : Number(part)))

const isAtLeast = (version: readonly number[], least: readonly number[]): boolean => {
  const at = [0, 1, 2].find((i) => (version[i] ?? 0) !== (least[i] ?? 0))
  return at === undefined || (version[at] ?? 0) > (least[at] ?? 0)
}
