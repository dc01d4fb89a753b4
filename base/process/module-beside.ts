import { extname } from "node:path"

/**
 * Path of a module of this project, to run it as a program: relative to another module, and with its extension, since a
 * `.ts` file in a clone is `.js` in the npm package.
 *
 * @param from `import.meta.url` of the calling module
 * @param path relative, without extension: `./job-worker`
 */
export const moduleBeside = (from: string, path: string): URL =>
  new URL(`${path}${extname(new URL(from).pathname)}`, from)
