import { getHeapStatistics } from 'node:v8'

/** Workers since the start: those that take requests, and those that no longer do. */
export type WorkerCounts = { readonly active: number; readonly retired: number }

export type InternalRoutes = {
  /** Counts a request, and its end once it is answered. */
  count(answer: () => Promise<Response>): Promise<Response>
  /** Answers a path below `/functions/v1`; null for one that belongs to a function. */
  answer(path: string): Response | null
}

/** `/_internal/health` and `/_internal/metric`, which need no key.
 *  @see supabase/cli internal/functions/serve/templates/main.ts, supabase/edge-runtime types/global.d.ts (RuntimeMetrics) */
export function createInternalRoutes(workerCounts: () => WorkerCounts): InternalRoutes {
  let received = 0
  let handled = 0

  function metrics() {
    const { active, retired } = workerCounts()
    return {
      mainWorkerHeapStats: heapStatistics(),
      activeUserWorkersCount: active,
      retiredUserWorkersCount: retired,
      receivedRequestsCount: received,
      handledRequestsCount: handled,
    }
  }

  return {
    async count(answer) {
      received++
      try {
        return await answer()
      } finally {
        handled++
      }
    },
    answer(path) {
      if (path === '/_internal/health') return Response.json({ message: 'ok' })
      return path === '/_internal/metric' ? Response.json(metrics()) : null
    },
  }
}

/** The heap of this process: it routes requests to the functions, as upstream's main worker does. */
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
