import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api, refresh } from '../../lib/api.ts'
import { useStored } from '../../lib/state.ts'
import { catalogKey } from '../catalog.ts'
import {
  type ErrorMark,
  errorMarks,
  errorPlace,
  type FailedResult,
  findLosses,
  lineOf,
  runScript,
  type ScriptOutcome,
  type SizedLoss,
} from './run-script.ts'

/** The text to run. @property start Its position in the script. @property line The number of its first line. */
export type ChosenText = { readonly text: string; readonly start: number; readonly line: number }

type Run = ChosenText & { readonly explain: boolean; readonly isConfirmed: boolean; readonly snapshot?: boolean }

type Losses = { readonly losses: readonly SizedLoss[]; readonly run: Run }

export type ScriptRun = ReturnType<typeof useScriptRun>

/** Runs a tab's script. Asks before it permanently destroys data.
 *  @param onSchemaChanges Called with statements that changed the schema. @param onErrors Called with the positions of a run's errors. */
export function useScriptRun(
  id: string,
  onSchemaChanges: (statements: readonly string[]) => void,
  onErrors: (errors: readonly ErrorMark[]) => void,
) {
  const [as, setAs] = useState<string>()
  const [isTrial, setIsTrial] = useState(false)
  const [limit, setLimit] = useStored('undock-row-limit', '5000')
  const [arriving, setArriving] = useState<ScriptOutcome>()
  const [asked, setAsked] = useState<Losses>()
  const startedAt = useRef(0)
  const keepChanges = ({ schemaChanges }: ScriptOutcome) => {
    if (schemaChanges.length > 0) onSchemaChanges(schemaChanges)
  }
  const run = useMutation({
    mutationFn: async (chosen: Run) => {
      startedAt.current = performance.now()
      const { text, explain, snapshot = true } = chosen
      const call = { text, as, snapshot, ending: isTrial || explain ? 'rollback' : 'commit' } as const
      setArriving(undefined)
      const losses = chosen.isConfirmed ? [] : await findLosses(id, call)
      if (losses.length > 0) {
        setAsked({ losses, run: chosen })
        return null
      }
      return runScript(id, { ...call, explain, limit: Number(limit) }, setArriving)
    },
    onSuccess: (outcome, { start }) => {
      if (!outcome) return
      keepChanges(outcome)
      onErrors(errorMarks(outcome.results, start))
      void refresh(catalogKey)
      void refresh(['rows'])
    },
  })
  const { isPending, data, error, submittedAt, variables } = run
  return {
    settings: { as, setAs, isTrial, setIsTrial, limit, setLimit },
    isRunning: isPending,
    startedAt: startedAt.current,
    /** Names the run. */
    submittedAt,
    outcome: isPending ? arriving : (data ?? undefined),
    error,
    transaction: data?.transaction ?? null,
    lineOf: (failed: FailedResult) => lineOf(variables?.text ?? '', errorPlace(failed), variables?.line),
    start(chosen: ChosenText | undefined, explain: boolean) {
      if (!chosen || chosen.text.trim() === '' || isPending) return
      run.mutate({ ...chosen, explain, isConfirmed: false })
    },
    cancel: () => void api(`/tabs/${id}/cancel`, { method: 'POST' }),
    onTransactionEnded(outcome: ScriptOutcome) {
      keepChanges(outcome)
      run.reset()
    },
    /** The losses to confirm. */
    losses: asked?.losses,
    confirm(snapshot: boolean) {
      setAsked(undefined)
      if (asked) run.mutate({ ...asked.run, isConfirmed: true, snapshot })
    },
    refuse: () => setAsked(undefined),
  }
}
