import { docx } from "./kinds/docx.ts"
import { epub } from "./kinds/epub.ts"
import { odp } from "./kinds/odp.ts"
import { ods } from "./kinds/ods.ts"
import { odt } from "./kinds/odt.ts"
import { pdf } from "./kinds/pdf.ts"
import { picture } from "./kinds/picture.ts"
import { pptx } from "./kinds/pptx.ts"
import { rtf } from "./kinds/rtf.ts"
import { xlsx } from "./kinds/xlsx.ts"

/**
 * Every kind of file that is read as a document. To add one, create a file in kinds/ and add its name here. If bytes
 * fit several kinds, the first wins. Loads none of the readers.
 */
export const FORMATS = [pdf, rtf, epub, docx, pptx, xlsx, odt, odp, ods, picture] as const
