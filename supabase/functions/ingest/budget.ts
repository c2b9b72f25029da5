/** Milliseconds of work in one call. A hosted project ends a call after two seconds of processor time; one step of the work
 *  still follows when the budget is spent. */
const WORK = 1000

export type Budget = {
  isSpent(): boolean
  /** Begins the next document of this call. */
  startDocument(): void
  /** Whether a step may be taken that needs a whole call: only the first document of a call may. For any other the budget
   *  counts as spent, so that the next call begins with it. */
  allowsLongStep(): boolean
  /** Waits for something that takes no time of the processor, such as a download: that time is not counted. */
  waitFor<Result>(result: Promise<Result>): Promise<Result>
}

/** Counts the time since it was made. */
export function createBudget(now: () => number = () => performance.now()): Budget {
  const start = now()
  let waited = 0
  let documents = 0
  let isEnded = false
  return {
    isSpent: () => isEnded || now() - start - waited > WORK,
    startDocument() {
      documents += 1
    },
    allowsLongStep() {
      if (documents > 1) isEnded = true
      return !isEnded
    },
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
