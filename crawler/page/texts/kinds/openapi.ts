import { textFormat } from "../text-format.ts"

const ENDINGS = ["json", "yaml", "yml"]

/** Descriptions of HTTP APIs: OpenAPI 3 and Swagger 2 (https://spec.openapis.org/). */
export const openapi = textFormat({
  name: "openapi",
  types: [
    "application/vnd.oai.openapi",
    "application/vnd.oai.openapi+json",
    "application/openapi+json",
    "application/openapi+yaml",
  ],
  looseTypes: ["application/json", "application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"],
  extensions: [],
  fileNames: ["openapi", "swagger", "api-docs"].flatMap((name) =>
    ENDINGS.map((ending) => `${name}.${ending}`),
  ),
  startsAs: (start) =>
    /^["']?(?:openapi|swagger)["']?:\s*["']?[23]\.\d/m.test(start) ||
    /^\s*\{[^]*?"(?:openapi|swagger)"\s*:\s*"[23]\.\d/.test(start),
  isHeavy: true,
  async load() {
    const { readOpenapi } = await import("../data/openapi.ts")
    return readOpenapi
  },
})
