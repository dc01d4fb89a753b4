declare module "@xenova/transformers/src/utils/data-structures.js" {
  export { CharTrie } from "@xenova/transformers/types/utils/data-structures.d.ts"
}
