import { textFormat } from "../text-format.ts"
import { LANGUAGES } from "../code/languages.ts"

/** Source files of programming languages, and settings and data files that are read like them. */
export const code = textFormat({
  name: "code",
  types: [
    "text/x-python",
    "text/x-python-script",
    "text/x-java",
    "text/x-java-source",
    "text/x-c",
    "text/x-csrc",
    "text/x-chdr",
    "text/x-c++src",
    "text/x-c++hdr",
    "text/x-csharp",
    "text/x-go",
    "text/x-rust",
    "text/rust",
    "text/x-ruby",
    "application/x-ruby",
    "text/x-php",
    "text/x-sh",
    "text/x-shellscript",
    "application/x-sh",
    "text/x-sql",
    "application/sql",
    "text/x-typescript",
    "application/typescript",
    "text/x-kotlin",
    "text/x-scala",
    "text/x-lua",
    "text/x-perl",
  ],
  extensions: LANGUAGES.flatMap(({ endings }) => endings),
  fileNames: LANGUAGES.flatMap(({ fileNames = [] }) => fileNames),
  startsAs: (start) => start.startsWith("#!"),
  async load() {
    const { readCode } = await import("../code/read-code.ts")
    return readCode
  },
})
