/** Milliseconds in which requests are collected: what one rendering of a page asks for comes at once. */
const WAIT = 10

/** Turns requests for single values, which come at about the same time, into one request for all of them.
 *  @param load Returns the values by their keys; a key without one rejects.
 *  @param most Keys of one request; further ones go into the next. */
export function createBatchLoader<Value>(
  load: (keys: string[]) => Promise<ReadonlyMap<string, Value>>,
  most: number,
): (key: string) => Promise<Value> {
  let waiting: Map<string, PromiseWithResolvers<Value>> | undefined

  const flush = async (batch: ReadonlyMap<string, PromiseWithResolvers<Value>>) => {
    if (waiting === batch) waiting = undefined
    try {
      const values = await load([...batch.keys()])
      for (const [key, { resolve, reject }] of batch) {
        const value = values.get(key)
        if (value === undefined) reject(new Error(`There is no value for ${key}.`))
        else resolve(value)
      }
    } catch (error) {
      for (const { reject } of batch.values()) reject(error)
    }
  }

  return (key) => {
    const known = waiting?.get(key)
    if (known) return known.promise
    if (!waiting || waiting.size >= most) {
      const batch = new Map<string, PromiseWithResolvers<Value>>()
      waiting = batch
      setTimeout(() => void flush(batch), WAIT)
    }
    const added = Promise.withResolvers<Value>()
    waiting.set(key, added)
    return added.promise
  }
}
