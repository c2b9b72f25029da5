import { queryOptions } from '@tanstack/react-query'
import type { BranchChange as AnyChange } from '../../../../src/runtime/branches/change.ts'
import type { RunningBranches } from '../../../../src/runtime/branches/control.ts'
import type { BranchDifference } from '../../../../src/runtime/branches/difference.ts'
import { ApiError, api, type ProjectFacts, service, serviceResponse } from '../../lib/api.ts'

export type { BranchDifference, RunningBranches }
/** Those offered here. */
export type BranchChange = Exclude<AnyChange, { do: 'fork' | 'keep-fork' | 'keep' | 'empty' | 'undo' }>

export const branchesQuery = queryOptions({
  queryKey: ['branches'],
  queryFn: ({ signal }) => service<RunningBranches>('/undock/v1/branches', { signal }),
  // A refusal is about the backend, and stays.
  retry: false,
})

/** What another branch has that the current one doesn't. Starts a copy of it to compare. */
export const differenceQuery = (other: string) =>
  queryOptions({
    queryKey: ['branches', 'difference', other],
    queryFn: ({ signal }) =>
      service<BranchDifference>(`/undock/v1/branches/difference?${new URLSearchParams({ branch: other })}`, { signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })

/** Milliseconds between checks whether the backend is back, and until giving up. */
const LOOK_AGAIN = 150
const RESTART_LIMIT = 60_000

/** Changes branches or snapshots. Reloads the page after a restart of the backend, which ends the console's session.
 *  @param onRestart Called before the restart. @returns whether the backend restarts. @throws {ApiError} */
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
  // The backend restarts when no request is reading from it.
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
      'The backend has not restarted within a minute. Its terminal says why, or logs/undock.log in supabase/.undock.',
  })
}

const WAITED = 'undock-branches'

/** The reason for a restart. @property folder The previous data's folder. */
export type Waited = { readonly change: BranchChange; readonly folder: string }

/** Stores the reason for a restart until the page is reloaded. */
export const keepWaited = (waited: Waited): void => sessionStorage.setItem(WAITED, JSON.stringify(waited))

/** Returns and removes the reason for the last restart. */
export function takeWaited(): Waited | null {
  const stored = sessionStorage.getItem(WAITED)
  sessionStorage.removeItem(WAITED)
  return stored === null ? null : (JSON.parse(stored) as Waited)
}
