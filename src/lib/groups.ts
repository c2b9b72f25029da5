/** Ids stand in the address of a request, which has an end: a hundred are about four kilobytes. */
const GROUP = 100

/** Does something to many ids, a hundred at a time, one group after the other. */
export async function inGroups(ids: readonly string[], act: (group: string[]) => PromiseLike<unknown>): Promise<void> {
  for (let first = 0; first < ids.length; first += GROUP) await act(ids.slice(first, first + GROUP))
}
