/** Milliseconds: collects what one render requests. */
const WAIT = 10

/** Combines concurrent requests for single values into one.
 *  @param load Returns values by key; missing keys reject.
 *  @param most Keys per request; the rest go into the next. */
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
    const pending = waiting?.get(key)
    if (pending) return pending.promise
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
