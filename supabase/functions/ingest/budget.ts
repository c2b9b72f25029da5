/** Milliseconds of work in one call. A hosted project ends a call after two seconds of processor time; one step of the work
 *  still follows when the budget is spent. */
const WORK = 1000

export type Budget = {
  isSpent(): boolean
  /** Waits for something that takes no time of the processor, such as a download: that time is not counted. */
  waitFor<Result>(result: Promise<Result>): Promise<Result>
}

/** Counts the time since it was made. */
export function createBudget(now: () => number = () => performance.now()): Budget {
  const start = now()
  let waited = 0
  return {
    isSpent: () => now() - start - waited > WORK,
    async waitFor(result) {
      const from = now()
      try {
        return await result
      } finally {
        waited += now() - from
      }
    },
  }
}
