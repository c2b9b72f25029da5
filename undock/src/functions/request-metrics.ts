import { getHeapStatistics } from 'node:v8'

/** Workers since the start: accepting requests, and retired. */
export type WorkerCounts = { readonly active: number; readonly retired: number }

export type RequestMetrics = {
  /** Counts a request when received and when handled, even if it fails. */
  count(answer: () => Promise<Response>): Promise<Response>
  read(): object
}

/** Creates what `/_internal/metric` reports.
 *  @see supabase/cli internal/functions/serve/templates/main.ts, supabase/edge-runtime types/global.d.ts
 *  (RuntimeMetrics) */
export function createRequestMetrics(workerCounts: () => WorkerCounts): RequestMetrics {
  let received = 0
  let handled = 0

  return {
    async count(answer) {
      received++
      try {
        return await answer()
      } finally {
        handled++
      }
    },
    read() {
      const { active, retired } = workerCounts()
      return {
        mainWorkerHeapStats: heapStatistics(),
        activeUserWorkersCount: active,
        retiredUserWorkersCount: retired,
        receivedRequestsCount: received,
        handledRequestsCount: handled,
      }
    },
  }
}

/** This process's heap, since it routes requests like upstream's main worker. */
function heapStatistics() {
  const heap = getHeapStatistics()
  return {
    totalHeapSize: heap.total_heap_size,
    totalHeapSizeExecutable: heap.total_heap_size_executable,
    totalPhysicalSize: heap.total_physical_size,
    totalAvailableSize: heap.total_available_size,
    totalGlobalHandlesSize: heap.total_global_handles_size,
    usedGlobalHandlesSize: heap.used_global_handles_size,
    usedHeapSize: heap.used_heap_size,
    mallocedMemory: heap.malloced_memory,
    externalMemory: heap.external_memory,
    peakMallocedMemory: heap.peak_malloced_memory,
  }
}
