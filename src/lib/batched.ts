/** Collects items and emits batches: the first after `wait`, further ones at most every `pace` milliseconds.
 *  @param pace May change between batches.
 *  @returns functions to add an item and to drop waiting ones. */
export function batched<T>(
  onBatch: (items: T[]) => void,
  wait: number,
  pace: number | (() => number),
  now: () => number = Date.now,
): { add(item: T): void; cancel(): void } {
  let waiting: T[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = Number.NEGATIVE_INFINITY

  const flush = () => {
    timer = undefined
    last = now()
    const items = waiting
    waiting = []
    onBatch(items)
  }
  return {
    add(item) {
      waiting.push(item)
      timer ??= setTimeout(flush, Math.max(wait, last + (typeof pace === 'number' ? pace : pace()) - now()))
    },
    cancel() {
      clearTimeout(timer)
      timer = undefined
      waiting = []
    },
  }
}
