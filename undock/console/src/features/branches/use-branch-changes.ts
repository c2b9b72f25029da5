import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import {
  type BranchChange,
  branchesQuery,
  changeBranches,
  keepWaited,
  type RunningBranches,
  takeWaited,
} from './branches.ts'
import { doneText, isReached } from './change-text.ts'

/** Reports the result of a restart. */
export function useTellRestarted(branches: RunningBranches | undefined): void {
  useEffect(() => {
    const waited = branches && takeWaited()
    if (!waited) return
    if (isReached(waited, branches)) tellDone(doneText(waited.change))
    else
      tellFailure(
        'The backend started again with the data that it had. Its terminal says why, or logs/undock.log in supabase/.undock.',
      )
  }, [branches])
}

/** Changes branches and snapshots.
 *  @param folder Of the current data.
 *  @param onRestart Called before the backend starts again, and the page is loaded again. */
export function useBranchChanges(folder: string, onRestart: () => Promise<void>) {
  const queryClient = useQueryClient()
  const [isRestarting, setIsRestarting] = useState(false)
  /** @throws {ApiError} */
  const run = async (change: BranchChange): Promise<void> => {
    const isRestarted = await changeBranches(change, async () => {
      setIsRestarting(true)
      keepWaited({ change, folder })
      await onRestart()
    }).catch((error: unknown) => {
      setIsRestarting(false)
      throw error
    })
    if (isRestarted) return
    await queryClient.invalidateQueries({ queryKey: branchesQuery.queryKey })
    tellDone(doneText(change))
  }
  return { run, isRestarting }
}
