import { operations } from "../../../server/operation/operation.ts"
import { filled } from "../../../server/operation/shared-fields.ts"
import { text } from "../../../server/schema/schemas.ts"

/** The originals of pages that don't come from websites. */
export const fileOperations = operations("Stored pages", "key", {
  getFile: {
    at: "GET /files/{source}/{path}",
    summary: "Open an original",
    description:
      "The file, thread or document itself, for results from a source that isn't a website and whose seed is the appliance. You can open it while its page is in the index and the key may see it. Free.",
    path: {
      source: filled("Name of the source."),
      path: filled("Its path in the source, with slashes; each name is percent-encoded."),
    },
    answers: { 200: { description: "The file.", schema: text(), type: "text/plain" } },
    refusals: [404],
    examples: [{ summary: "A file", path: { source: "handbook", path: "travel/hotels.md" }, status: 404 }],
  },
})
