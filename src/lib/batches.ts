import { createStore, useStore } from './store.ts'

/** Ids are part of the URL, whose length is limited: a hundred take about four kilobytes. */
const BATCH_SIZE = 100
/** Ids in a request's body, which the database changes in about a second. */
export const LARGE_BATCH = 500

export type BatchProgress = { done: number; total: number; isImport?: boolean }
const progress = createStore<BatchProgress | undefined>(undefined)

export const reportBatch = progress.set

/** Progress of an action for many ids; undefined without one. */
export const useBatchProgress = (): BatchProgress | undefined => useStore(progress)

export async function inBatches(
  ids: readonly string[],
  action: (batch: string[]) => PromiseLike<unknown>,
  size = BATCH_SIZE,
): Promise<void> {
  try {
    for (let first = 0; first < ids.length; first += size) {
      if (ids.length > BATCH_SIZE) reportBatch({ done: first, total: ids.length })
      await action(ids.slice(first, first + size))
    }
  } finally {
    reportBatch(undefined)
  }
}

/** The API's limit of rows in a response. */
const PAGE_SIZE = 1000

/** Reads all rows of an ordered query. */
export async function inPages<Row>(
  read: (first: number, last: number) => PromiseLike<{ data: Row[] }>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const { data } = await read(rows.length, rows.length + PAGE_SIZE - 1)
    rows.push(...data)
    if (data.length < PAGE_SIZE) return rows
  }
}
