/** Like `Promise.all`, but it fails only when nothing is under way any more: what would still be opened then, nobody would
 *  close. */
export async function allDone<const Work extends readonly unknown[]>(
  work: Work,
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  await Promise.allSettled(work)
  return Promise.all(work)
}
