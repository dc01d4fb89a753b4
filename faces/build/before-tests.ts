import { buildFaces } from "./build-faces.ts"

/** Called by vitest once, before all tests. */
export const setup = async (): Promise<void> => void (await buildFaces())
