import { sep } from "node:path"
import { percentDecoded } from "#base/text/percent-decoded.ts"
import { type PageUrl, toPageUrl } from "#engine/index/page/page-url.ts"
import type { SourceSpec } from "../../source.ts"
import type { ContentKind } from "./content.ts"

/** Whether an address can have other addresses below it. */
const isFolderAddress = (seed: string): boolean => /^[^?#]*\/$/.test(seed)

/** Problems with a source whose pages must all have addresses below one seed. @param pages what messages call the pages: `the files` */
export const atOneAddress = ({ seeds }: SourceSpec, pages: string): ReturnType<ContentKind["problems"]> =>
  seeds.length === 1 && isFolderAddress(seeds[0]!)
    ? []
    : [
        {
          path: ["seeds"],
          message: `must be a single address that ends with /, because the addresses of ${pages} start with it`,
        },
      ]

/** Problems with a source whose pages can have addresses below several seeds. @param pages what messages call the pages: `documents` */
export const atFolderAddresses = (
  { seeds }: SourceSpec,
  pages: string,
): ReturnType<ContentKind["problems"]> =>
  seeds.flatMap((seed, index) =>
    isFolderAddress(seed)
      ? []
      : [{ path: ["seeds", index], message: `must end with /, because ${pages} have addresses below it` }],
  )

/** The address of a file, from the names in its path. @param address ends with `/` */
export const addressBelow = (address: string, names: readonly string[]): PageUrl | null =>
  toPageUrl(address + names.map(encodeURIComponent).join("/"))

/** The names in the path of the file at an address, or null when the address can't be a file's. @param address as in {@link addressBelow} */
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
