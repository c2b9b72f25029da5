/** Ids are part of a request's address, whose length is limited: a hundred take about four kilobytes. */
const BATCH_SIZE = 100

/** Runs an action for many ids, a hundred at a time, one batch after the other. */
export async function inBatches(
  ids: readonly string[],
  action: (batch: string[]) => PromiseLike<unknown>,
): Promise<void> {
  for (let first = 0; first < ids.length; first += BATCH_SIZE) await action(ids.slice(first, first + BATCH_SIZE))
}
