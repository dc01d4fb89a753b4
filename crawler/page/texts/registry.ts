import { asciidoc } from "./kinds/asciidoc.ts"
import { code } from "./kinds/code.ts"
import { notebook } from "./kinds/notebook.ts"
import { openapi } from "./kinds/openapi.ts"
import { org } from "./kinds/org.ts"
import { rst } from "./kinds/rst.ts"

/**
 * Every kind of text that has a structure of its own, Markdown apart. A new one is a file in kinds/ and its name here;
 * where a text would fit several, the first is tried first. Loads none of the readers.
 */
export const TEXT_FORMATS = [notebook, openapi, asciidoc, rst, org, code] as const
