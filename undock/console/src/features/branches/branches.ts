import { queryOptions } from '@tanstack/react-query'
import type { BranchChange } from '../../../../src/runtime/branches/change.ts'
import type { RunningBranches } from '../../../../src/runtime/branches/control.ts'
import type { BranchDifference } from '../../../../src/runtime/branches/difference.ts'
import { ApiError, api, type ProjectFacts, service, serviceResponse } from '../../lib/api.ts'

export type { BranchChange, BranchDifference, RunningBranches }

export const branchesQuery = queryOptions({
  queryKey: ['branches'],
  queryFn: ({ signal }) => service<RunningBranches>('/undock/v1/branches', { signal }),
  // A refusal is about the backend, and stays.
  retry: false,
})

/** What another branch has beyond the current one. A copy of it is started for that. */
export const differenceQuery = (other: string) =>
  queryOptions({
    queryKey: ['branches', 'difference', other],
    queryFn: ({ signal }) =>
      service<BranchDifference>(`/undock/v1/branches/difference?${new URLSearchParams({ branch: other })}`, { signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })

/** Milliseconds between two looks whether the backend is there again, and that it may take. */
const LOOK_AGAIN = 150
const RESTART_LIMIT = 60_000

/** Changes branches or snapshots. Where the backend needs a new start for it, the page is loaded again when it is there: its session
 *  has ended with the backend that gave it.
 *  @param onRestart Called before it starts again. @returns whether it starts again.
 *  @throws {ApiError} */
export async function changeBranches(change: BranchChange, onRestart: () => Promise<void>): Promise<boolean> {
  const { startedAt } = await api<ProjectFacts>('/project')
  const response = await serviceResponse('/undock/v1/branches', { method: 'POST', body: change })
  if (response.status !== 202) {
    await response.body?.cancel()
    return false
  }
  await onRestart()
  const reader = response.body?.getReader()
  await reader?.read()
  // The backend starts again when nobody reads any more.
  await reader?.cancel()
  await untilRestarted(startedAt)
  location.reload()
  return true
}

async function untilRestarted(before: string): Promise<void> {
  for (const end = Date.now() + RESTART_LIMIT; Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN))
    const response = await fetch('/api/project').catch(() => null)
    if (response?.status === 401) return
    if (response?.ok && ((await response.json()) as ProjectFacts).startedAt !== before) return
  }
  throw new ApiError(0, {
    message:
      'The backend has not started again within a minute. Its terminal says why, or logs/undock.log in supabase/.undock.',
  })
}

const WAITED = 'undock-branches'

/** What a new start was for. @property folder That of the current data before. */
export type Waited = { readonly change: BranchChange; readonly folder: string }

/** Keeps what a new start is for until the page is loaded again. */
export const keepWaited = (waited: Waited): void => sessionStorage.setItem(WAITED, JSON.stringify(waited))

/** What the last new start was for, once. */
export function takeWaited(): Waited | null {
  const kept = sessionStorage.getItem(WAITED)
  sessionStorage.removeItem(WAITED)
  return kept === null ? null : (JSON.parse(kept) as Waited)
}
