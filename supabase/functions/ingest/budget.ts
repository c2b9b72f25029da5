/** Milliseconds of work per call. Hosted calls have two seconds of CPU time, and one more step may follow. */
const WORK = 1000

export type Budget = {
  isSpent(): boolean
  startDocument(): void
  /** Whether a step that needs a whole call may run. Only the first document of a call may; for others the budget
   *  counts as spent, so the next call begins with them. */
  allowsLongStep(): boolean
  /** Waits for something that takes no CPU time, such as a download, without counting it. */
  waitFor<Result>(result: Promise<Result>): Promise<Result>
}

/** Creates a budget that starts now. */
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
