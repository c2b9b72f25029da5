/** Collects items and hands them over in batches: the first batch after `wait`, further ones at most every `pace`
 *  milliseconds.
 *  @param pace May change from batch to batch.
 *  @returns functions that add an item, and that drop the waiting ones. */
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
