import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Camera, GitBranch, GitBranchPlus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Page } from '../components/page.tsx'
import { Panel } from '../components/panel.tsx'
import { Empty, Failure, Loading } from '../components/states.tsx'
import { tellDone, tellFailure } from '../components/toast.tsx'
import {
  type BranchChange,
  branchesQuery,
  changeBranches,
  keepWaited,
  type RunningBranches,
  takeWaited,
} from '../features/branches/branches.ts'
import { DifferenceDialog } from '../features/branches/difference-dialog.tsx'
import { NewBranch, TakeSnapshot } from '../features/branches/name-dialog.tsx'
import { StateTable } from '../features/branches/state-table.tsx'
import { ApiError } from '../lib/api.ts'
import { count, counted } from '../lib/format.ts'

const route = getRouteApi('/branches')

/** Branches of the project's data, and snapshots of it. */
export function Branches() {
  const { data, error, refetch } = useQuery(branchesQuery)
  useTellRestarted(data)
  if (data) return <Found branches={data} />
  return (
    <Page title="Branches">
      {error instanceof ApiError && error.status === 409 ? (
        <Empty icon={GitBranch} title="This backend has no branches">
          {error.message}
        </Empty>
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading />
      )}
    </Page>
  )
}

/** Says what a new start has led to. */
function useTellRestarted(branches: RunningBranches | undefined): void {
  useEffect(() => {
    const waited = branches && takeWaited()
    if (!waited) return
    const { change, folder } = waited
    const current = branches.branches.find((one) => one.current)
    const isDone = change.do === 'switch' ? current?.name === change.name : current?.folder !== folder
    if (isDone) tellDone(doneText(change))
    else
      tellFailure(
        'The backend started again with the data that it had. Its terminal says why, or logs/undock.log in supabase/.undock.',
      )
  }, [branches])
}

function doneText(change: BranchChange): string {
  switch (change.do) {
    case 'create':
      return `Branch ${change.name} is made.`
    case 'switch':
      return `The backend works on the data of branch ${change.name}.`
    case 'delete':
      return `Branch ${change.name} is deleted.`
    case 'save-snapshot':
      return `Snapshot ${change.name} is kept.`
    case 'restore-snapshot':
      return `The backend works on the data of snapshot ${change.name}.`
    case 'delete-snapshot':
      return `Snapshot ${change.name} is deleted.`
  }
}

type ConfirmedChange = Extract<BranchChange, { do: 'switch' | 'delete' | 'restore-snapshot' | 'delete-snapshot' }>

function Found({ branches: found }: { branches: RunningBranches }) {
  const { branches, snapshots, restartRefusal, git } = found
  const { add, compare } = route.useSearch()
  const navigate = route.useNavigate()
  const queryClient = useQueryClient()
  const [asked, setAsked] = useState<ConfirmedChange>()
  const [isRestarting, setIsRestarting] = useState(false)
  const current = branches.find((one) => one.current)
  const change = (next: object) => void navigate({ search: (before) => ({ ...before, ...next }) })
  const run = async (wanted: BranchChange) => {
    const isRestarted = await changeBranches(wanted, async () => {
      setIsRestarting(true)
      keepWaited({ change: wanted, folder: current?.folder ?? '' })
      // The dialog that asked for it is a part of the address.
      await navigate({ search: {}, replace: true })
    }).catch((error: unknown) => {
      setIsRestarting(false)
      throw error
    })
    if (isRestarted) return
    await queryClient.invalidateQueries({ queryKey: branchesQuery.queryKey })
    tellDone(doneText(wanted))
  }
  const isFixed = restartRefusal !== null
  return (
    <Page
      title="Branches"
      subtitle={`${count(branches.length)} ${branches.length === 1 ? 'branch' : 'branches'}, ${counted(snapshots.length, 'snapshot')}`}
      actions={
        <>
          <Button onClick={() => change({ add: 'snapshot' })}>
            <Camera aria-hidden />
            Take a snapshot
          </Button>
          <Button look="primary" onClick={() => change({ add: 'branch' })}>
            <GitBranchPlus aria-hidden />
            New branch
          </Button>
        </>
      }
    >
      <div className="mx-auto grid max-w-5xl gap-6 p-4">
        {restartRefusal ? <p className="rounded-md bg-warn-soft p-3 text-[13px] text-warn">{restartRefusal}</p> : null}
        {git === null ? null : (
          <div className="flex flex-wrap items-center gap-3 rounded-md bg-panel p-3 text-[13px]">
            <p>Branches follow git, which has checked out {git}.</p>
            {git === current?.name ? null : (
              <Button
                disabled={isFixed}
                onClick={() =>
                  setAsked({
                    do: 'switch',
                    name: git,
                    ...(branches.some(({ name }) => name === git) ? {} : { create: true }),
                  })
                }
              >
                Switch to {git}
              </Button>
            )}
          </div>
        )}
        <Panel title="Branches">
          <StateTable
            label="Branches"
            originName="Copied from"
            rows={branches.map(({ name, parent, createdAt, size, current: isCurrent }) => ({
              name,
              origin: parent,
              createdAt,
              size,
              isCurrent,
              actions: isCurrent ? null : (
                <>
                  <Button
                    look="quiet"
                    disabled={isFixed || (git !== null && git !== name)}
                    aria-label={`Switch to ${name}`}
                    onClick={() => setAsked({ do: 'switch', name })}
                  >
                    Switch
                  </Button>
                  <Button look="quiet" aria-label={`Compare ${name}`} onClick={() => change({ compare: name })}>
                    Compare
                  </Button>
                  <Button
                    look="quiet"
                    aria-label={`Delete the branch ${name}`}
                    onClick={() => setAsked({ do: 'delete', name })}
                  >
                    Delete
                  </Button>
                </>
              ),
            }))}
          />
        </Panel>
        <Panel title="Snapshots">
          {snapshots.length === 0 ? (
            <Empty
              icon={Camera}
              title="No snapshot is kept"
              action={<Button onClick={() => change({ add: 'snapshot' })}>Take a snapshot</Button>}
            >
              A snapshot keeps rows, users, files and mails. Take one before you try something that cannot be undone.
            </Empty>
          ) : (
            <StateTable
              label="Snapshots"
              originName="Of branch"
              rows={snapshots.map(({ name, branch, createdAt, size }) => ({
                name,
                origin: branch,
                createdAt,
                size,
                actions: (
                  <>
                    <Button
                      look="quiet"
                      disabled={isFixed}
                      aria-label={`Restore ${name}`}
                      onClick={() => setAsked({ do: 'restore-snapshot', name })}
                    >
                      Restore
                    </Button>
                    <Button
                      look="quiet"
                      aria-label={`Delete the snapshot ${name}`}
                      onClick={() => setAsked({ do: 'delete-snapshot', name })}
                    >
                      Delete
                    </Button>
                  </>
                ),
              }))}
            />
          )}
        </Panel>
      </div>
      {add === 'branch' ? <NewBranch branches={found} run={run} onClose={() => change({ add: undefined })} /> : null}
      {add === 'snapshot' ? (
        <TakeSnapshot branches={found} run={run} onClose={() => change({ add: undefined })} />
      ) : null}
      {compare === undefined ? null : (
        <DifferenceDialog other={compare} onClose={() => change({ compare: undefined })} />
      )}
      {asked ? (
        <ConfirmChange
          change={asked}
          current={current?.name ?? ''}
          run={() => run(asked)}
          onClose={() => setAsked(undefined)}
        />
      ) : null}
      {isRestarting ? (
        <Dialog title="Starting again" onClose={() => undefined}>
          <p role="status" className="text-[13px]">
            The backend starts again with other data. This page is loaded again when it is ready.
          </p>
        </Dialog>
      ) : null}
    </Page>
  )
}

type ConfirmChangeProps = { change: ConfirmedChange; current: string; run: () => Promise<void>; onClose: () => void }

function ConfirmChange({ change, current, run, onClose }: ConfirmChangeProps) {
  const { name } = change
  switch (change.do) {
    case 'switch':
      return (
        <Confirm title={`Switch to ${name}`} action="Switch" run={run} onClose={onClose}>
          The backend starts again with the data of {name}. Apps lose their connections for about a second; {current}{' '}
          keeps its data.
        </Confirm>
      )
    case 'delete':
      return (
        <Confirm title={`Delete ${name}`} action="Delete" name={name} run={run} onClose={onClose}>
          This deletes the rows, users, files and mails of branch {name}.
        </Confirm>
      )
    case 'restore-snapshot':
      return (
        <Confirm title={`Restore ${name}`} action="Restore" name={name} run={run} onClose={onClose}>
          The backend starts again, and the rows, users, files and mails of branch {current} are replaced by those of
          the snapshot {name}, which stays. To keep what {current} has now, take a snapshot first.
        </Confirm>
      )
    case 'delete-snapshot':
      return (
        <Confirm title={`Delete ${name}`} action="Delete" run={run} onClose={onClose}>
          This deletes the snapshot {name}. No branch changes.
        </Confirm>
      )
  }
}
