import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Camera, GitBranch, GitBranchPlus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Checkbox, Input, Select } from '../components/field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { tellDone, tellFailure } from '../components/toast.tsx'
import {
  type BranchChange,
  branchesQuery,
  changeBranches,
  keepWaited,
  type RunningBranches,
  takeWaited,
} from '../features/branches/branches.ts'
import { type ConfirmedChange, doneText, isReached, questionOf } from '../features/branches/change-text.ts'
import { DifferenceDialog } from '../features/branches/difference-dialog.tsx'
import { BranchPanel, SnapshotPanel } from '../features/branches/state-panels.tsx'
import { ApiError, refresh } from '../lib/api.ts'
import { counted } from '../lib/format.ts'

const route = getRouteApi('/branches')

/** Branches of the project's data, and snapshots of it. */
export function Branches() {
  const { data, error, refetch } = useQuery(branchesQuery)
  useTellRestarted(data)
  if (data) return <BranchLists branches={data} />
  return (
    <Page title="Branches">
      {error instanceof ApiError && error.status === 409 ? (
        <Empty icon={GitBranch} title="This backend has no branches">
          {error.message}
        </Empty>
      ) : (
        <Pending error={error} onRetry={refetch} />
      )}
    </Page>
  )
}

function BranchLists({ branches: found }: { branches: RunningBranches }) {
  const { branches, snapshots, restartRefusal } = found
  const navigate = route.useNavigate()
  const [asked, setAsked] = useState<ConfirmedChange>()
  const current = branches.find((one) => one.current)
  const change = (next: object) => void navigate({ search: (before) => ({ ...before, ...next }) })
  // The dialog that requested the change is part of the address.
  const { run, isRestarting } = useBranchChanges(current?.folder ?? '', () => navigate({ search: {}, replace: true }))
  return (
    <Page
      title="Branches"
      subtitle={`${counted(branches.length, 'branch', 'branches')}, ${counted(snapshots.length, 'snapshot')}`}
      actions={
        <>
          <Button icon={Camera} onClick={() => change({ add: 'snapshot' })}>
            Take a snapshot
          </Button>
          <Button icon={GitBranchPlus} look="primary" onClick={() => change({ add: 'branch' })}>
            New branch
          </Button>
        </>
      }
    >
      <div className="mx-auto grid max-w-5xl gap-6 p-4">
        {restartRefusal ? <p className="rounded-md bg-warn-soft p-3 text-[13px] text-warn">{restartRefusal}</p> : null}
        <FollowedGit branches={found} onAsk={setAsked} />
        <BranchPanel branches={found} onAsk={setAsked} onCompare={(name) => change({ compare: name })} />
        <SnapshotPanel branches={found} onAsk={setAsked} onTake={() => change({ add: 'snapshot' })} />
      </div>
      <Dialogs branches={found} run={run} onChange={change} />
      {asked ? <ConfirmChange change={asked} current={current?.name ?? ''} run={run} onClose={setAsked} /> : null}
      {isRestarting ? (
        <Dialog title="Restarting" onClose={() => undefined}>
          <p role="status" className="text-[13px]">
            The backend is restarting with other data. This page reloads when it is ready.
          </p>
        </Dialog>
      ) : null}
    </Page>
  )
}

type FollowedGitProps = { branches: RunningBranches; onAsk: (change: ConfirmedChange) => void }

/** git's checked-out branch, if branches follow it. */
function FollowedGit({ branches: { branches, restartRefusal, git }, onAsk }: FollowedGitProps) {
  if (git === null) return null
  const branch = branches.find(({ name }) => name === git)
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-md bg-panel p-3 text-[13px]">
      <p>Branches follow git, which has checked out {git}.</p>
      {branch?.current ? null : (
        <Button
          disabled={restartRefusal !== null}
          onClick={() => onAsk({ do: 'switch', name: git, ...(branch ? {} : { create: true }) })}
        >
          Switch to {git}
        </Button>
      )}
    </div>
  )
}

type Run = (change: BranchChange) => Promise<void>
type DialogsProps = { branches: RunningBranches; run: Run; onChange: (next: object) => void }

/** The dialog named in the address. */
function Dialogs({ branches, run, onChange }: DialogsProps) {
  const { add, compare } = route.useSearch()
  const end = () => onChange({ add: undefined, compare: undefined })
  if (add === 'branch') return <NewBranch branches={branches} run={run} onClose={end} />
  if (add === 'snapshot') return <TakeSnapshot branches={branches} run={run} onClose={end} />
  return compare === undefined ? null : <DifferenceDialog other={compare} onClose={end} />
}

type ConfirmChangeProps = { change: ConfirmedChange; current: string; run: Run; onClose: (change: undefined) => void }

function ConfirmChange({ change, current, run, onClose }: ConfirmChangeProps) {
  const { text, ...question } = questionOf(change, current)
  return (
    <Confirm {...question} run={() => run(change)} onClose={() => onClose(undefined)}>
      {text}
    </Confirm>
  )
}

/** Reports the result of a restart. */
function useTellRestarted(branches: RunningBranches | undefined): void {
  useEffect(() => {
    const waited = branches && takeWaited()
    if (!waited) return
    if (isReached(waited, branches)) tellDone(doneText(waited.change))
    else
      tellFailure(
        'The backend restarted with the data it had before. Its terminal says why, or logs/undock.log in supabase/.undock.',
      )
  }, [branches])
}

/** Changes branches and snapshots.
 *  @param folder Of the current data. @param onRestart Called before the backend restarts and the page reloads. */
function useBranchChanges(folder: string, onRestart: () => Promise<void>) {
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
    await refresh(branchesQuery.queryKey)
    tellDone(doneText(change))
  }
  return { run, isRestarting }
}

type DialogProps = {
  branches: RunningBranches
  /** @throws {ApiError} */
  run: (change: BranchChange) => Promise<void>
  onClose: () => void
}

/** Creates a branch with a copy of another branch's data. */
function NewBranch({ branches: { branches, restartRefusal, git }, run, onClose }: DialogProps) {
  const [name, setName] = useState('')
  const [from, setFrom] = useState(() => branches.find(({ current }) => current)?.name ?? '')
  const [isSwitched, setIsSwitched] = useState(restartRefusal === null && git === null)
  const chosen = name.trim()
  const create = useMutation({
    mutationFn: () =>
      run(isSwitched ? { do: 'switch', name: chosen, create: true, from } : { do: 'create', name: chosen, from }),
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title="New branch"
      action={create.isPending ? 'Copying …' : 'Create'}
      isReady={chosen !== ''}
      mutation={create}
      onClose={onClose}
    >
      <Input label="Name" hint="Such as that of a branch of git." required value={name} onValue={setName} />
      <Select
        label="Copy the data of"
        hint="Rows, users, files and emails."
        value={from}
        onValue={setFrom}
        options={branches.map((one) => one.name)}
      />
      <Checkbox
        label="Switch to it"
        checked={isSwitched}
        disabled={restartRefusal !== null || git !== null}
        onChecked={setIsSwitched}
      />
    </FormDialog>
  )
}

/** Saves a named copy of the current data. */
function TakeSnapshot({ branches: { branches }, run, onClose }: DialogProps) {
  const [name, setName] = useState('')
  const save = useMutation({ mutationFn: () => run({ do: 'save-snapshot', name: name.trim() }), onSuccess: onClose })
  return (
    <FormDialog
      title="Take a snapshot"
      action={save.isPending ? 'Copying …' : 'Take it'}
      isReady={name.trim() !== ''}
      mutation={save}
      onClose={onClose}
    >
      <p className="text-[13px] text-ink-soft">
        It keeps the rows, users, files and emails of {branches.find(({ current }) => current)?.name}, to go back to.
      </p>
      <Input label="Name" required placeholder="before-import" value={name} onValue={setName} />
    </FormDialog>
  )
}
