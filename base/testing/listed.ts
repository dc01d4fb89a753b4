/** All items of an asynchronous iterable, in their order. */
export async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
