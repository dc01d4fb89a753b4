import { readFileSync } from "node:fs"
import { Ajv, type JTDDataType, type SomeJTDSchemaType, type ValidateFunction } from "ajv/dist/jtd.js"

const ajv = new Ajv()

/**
 * The value in a JSON file.
 * @param shape a JSON Type Definition (RFC 8927)
 * @throws Error that names the file, and the first place with a different shape
 */
export function readJson<const Shape extends SomeJTDSchemaType>(file: URL, shape: Shape): JTDDataType<Shape> {
  return checkerOf(shape)(readFileSync(file, "utf8"), file.pathname)
}

/**
 * The values in a JSON Lines file.
 * @param shape shape of each line, a JSON Type Definition (RFC 8927)
 * @throws Error that names the file and the line, and the first place with a different shape
 */
export function readJsonLines<const Shape extends SomeJTDSchemaType>(
  file: URL,
  shape: Shape,
): JTDDataType<Shape>[] {
  const check = checkerOf(shape)
  return readTextLines(file).map((line, at) => check(line, `${file.pathname}, line ${at + 1}`))
}

/** The lines of a plain text file, unchanged. */
export const readTextLines = (file: URL): string[] =>
  readFileSync(file, "utf8").replace(/\n$/, "").split("\n")

function checkerOf<Shape extends SomeJTDSchemaType>(shape: Shape) {
  const validate: ValidateFunction = ajv.compile(shape)
  return (text: string, place: string): JTDDataType<Shape> => {
    const value: unknown = JSON.parse(text)
    if (validate(value)) return value as JTDDataType<Shape>
    throw new Error(`${place}: ${ajv.errorsText(validate.errors)}`)
  }
}
