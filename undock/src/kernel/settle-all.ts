/** Like `Promise.all`, but it rejects only after every promise has settled: otherwise the caller could not close what
 *  the other promises still open. */
export async function settleAll<const Work extends readonly unknown[]>(
  work: Work,
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  await Promise.allSettled(work)
  return Promise.all(work)
}
