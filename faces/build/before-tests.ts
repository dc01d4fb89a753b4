import { buildFaces } from "./build-faces.ts"

/** Before the first test, once for all of them: vitest calls it. */
export const setup = async (): Promise<void> => void (await buildFaces())
