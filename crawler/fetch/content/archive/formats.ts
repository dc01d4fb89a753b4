import type { ArchiveFormat } from "./archive.ts"
import { TAR } from "./tar/tar-archive.ts"
import { WARC } from "./warc/warc-archive.ts"
import { ZIM } from "./zim/zim-archive.ts"
import { ZIP } from "./zip/zip-archive.ts"

const FORMATS: readonly ArchiveFormat[] = [ZIP, TAR, WARC, ZIM]

/** Endings of archives, for people. */
export const ENDINGS = ".zip, .tar, .tar.gz, .tgz, .tar.zst, .warc, .warc.gz, .zim"

/** The format of an archive by its file's name; null: none that is known. */
export const formatOf = (path: string): ArchiveFormat | null =>
  FORMATS.find(({ endings }) => endings.test(path)) ?? null
