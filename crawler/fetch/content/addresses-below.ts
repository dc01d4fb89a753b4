import { sep } from "node:path"
import { percentDecoded } from "#base/text/percent-decoded.ts"
import { type PageUrl, toPageUrl } from "#engine/index/page/page-url.ts"
import type { SourceSpec } from "../../source.ts"
import type { ContentKind } from "./content.ts"

/** An address below which others can be. */
const isFolderAddress = (seed: string): boolean => /^[^?#]*\/$/.test(seed)

/** What is wrong where all pages are to have their addresses below the one seed. @param pages for people: `the files` */
export const atOneAddress = ({ seeds }: SourceSpec, pages: string): ReturnType<ContentKind["problems"]> =>
  seeds.length === 1 && isFolderAddress(seeds[0]!)
    ? []
    : [
        {
          path: ["seeds"],
          message: `must be one address that ends with /, below which ${pages} have theirs`,
        },
      ]

/** What is wrong where pages may have addresses below several seeds. @param pages for people: `documents` */
export const atFolderAddresses = (
  { seeds }: SourceSpec,
  pages: string,
): ReturnType<ContentKind["problems"]> =>
  seeds.flatMap((seed, index) =>
    isFolderAddress(seed)
      ? []
      : [{ path: ["seeds", index], message: `must end with /, because ${pages} have addresses below it` }],
  )

/** The address of a file, by the names that lead to it. @param address ends with `/` */
export const addressBelow = (address: string, names: readonly string[]): PageUrl | null =>
  toPageUrl(address + names.map(encodeURIComponent).join("/"))

/** The names that lead to the file at an address, or null when no file can be meant. @param address as of {@link addressBelow} */
export function namesBelow(address: string, url: string): string[] | null {
  if (!url.startsWith(address) || url.includes("?") || url.includes("#")) return null
  const names = url.slice(address.length).split("/").map(percentDecoded)
  return names.every(isName) ? names : null
}

const isName = (name: string | null): name is string =>
  name !== null &&
  name !== "" &&
  name !== "." &&
  name !== ".." &&
  !name.includes("/") &&
  !name.includes(sep) &&
  !name.includes("\0")
