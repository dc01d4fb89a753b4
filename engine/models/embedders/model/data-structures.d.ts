declare module "@xenova/transformers/src/utils/data-structures.js" {
  export class CharTrie {
    extend(texts: string[]): void
    push(text: string): void
    commonPrefixSearch(text: string): Generator<string, void, unknown>
  }
}
