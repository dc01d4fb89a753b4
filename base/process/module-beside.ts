import { extname } from "node:path"

/**
 * A module of this project, as a program to run: seen from another one, and with its extension, since what is `.ts` in a
 * clone is `.js` in the npm package.
 *
 * @param from `import.meta.url` of the one that asks
 * @param path relative, without extension: `./job-worker`
 */
export const moduleBeside = (from: string, path: string): URL =>
  new URL(`${path}${extname(new URL(from).pathname)}`, from)
