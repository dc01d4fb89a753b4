import { asciidoc } from "./kinds/asciidoc.ts"
import { code } from "./kinds/code.ts"
import { notebook } from "./kinds/notebook.ts"
import { openapi } from "./kinds/openapi.ts"
import { org } from "./kinds/org.ts"
import { rst } from "./kinds/rst.ts"

/**
 * Every kind of structured text, except Markdown. To add one, create a file in kinds/ and add its name here. If a text
 * fits several kinds, they are tried in this order. Does not load any of the readers.
 */
export const TEXT_FORMATS = [notebook, openapi, asciidoc, rst, org, code] as const
