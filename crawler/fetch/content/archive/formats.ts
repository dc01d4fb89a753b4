import type { ArchiveFormat } from "./archive.ts"

/** All archive formats. The code that reads a format is loaded only when such an archive is opened. */
const FORMATS: readonly ArchiveFormat[] = [
  {
    endings: /\.zip$/i,
    hasAddresses: false,
    noun: "file",
    index: async (...given) => await (await import("./zip/zip-archive.ts")).indexZip(...given),
  },
  {
    endings: /\.(?:tar(?:\.gz|\.zst)?|tgz|tzst)$/i,
    hasAddresses: false,
    noun: "file",
    index: async (...given) => await (await import("./tar/tar-archive.ts")).indexTar(...given),
  },
  {
    endings: /\.warc(?:\.wet)?(?:\.gz)?$/i,
    hasAddresses: true,
    noun: "page",
    index: async (...given) => await (await import("./warc/warc-archive.ts")).indexWarc(...given),
  },
  {
    endings: /\.zim$/i,
    hasAddresses: false,
    noun: "page",
    index: async (...given) => await (await import("./zim/zim-archive.ts")).indexZim(...given),
  },
]

/** File name endings of archives, for messages. */
export const ENDINGS = ".zip, .tar, .tar.gz, .tgz, .tar.zst, .warc, .warc.gz, .zim"

/** The format of an archive, by its file name; `null` if unknown. */
export const formatOf = (path: string): ArchiveFormat | null =>
  FORMATS.find(({ endings }) => endings.test(path)) ?? null
