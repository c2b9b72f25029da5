/** Milliseconds of work in one call. A hosted project ends a call after two seconds of processor time; one step of the work
 *  still follows when the budget is spent. */
const WORK = 1000

/** Counts the time since it was made. Waiting for the database counts, too, so that the processor's time is always less. */
export function createBudget(now: () => number = () => performance.now()): { isSpent(): boolean } {
  const start = now()
  return { isSpent: () => now() - start > WORK }
}
export type Budget = ReturnType<typeof createBudget>
