import { Camera } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import type { RunningBranches } from './branches.ts'
import type { ConfirmedChange } from './change-text.ts'
import { StateTable } from './state-table.tsx'

type BranchPanelProps = {
  branches: RunningBranches
  onAsk: (change: ConfirmedChange) => void
  onCompare: (name: string) => void
}

export function BranchPanel({ branches: { branches, restartRefusal, git }, onAsk, onCompare }: BranchPanelProps) {
  return (
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
                disabled={restartRefusal !== null || (git !== null && git !== name)}
                aria-label={`Switch to ${name}`}
                onClick={() => onAsk({ do: 'switch', name })}
              >
                Switch
              </Button>
              <Button look="quiet" aria-label={`Compare ${name}`} onClick={() => onCompare(name)}>
                Compare
              </Button>
              <Button
                look="quiet"
                aria-label={`Delete the branch ${name}`}
                onClick={() => onAsk({ do: 'delete', name })}
              >
                Delete
              </Button>
            </>
          ),
        }))}
      />
    </Panel>
  )
}

type SnapshotPanelProps = {
  branches: RunningBranches
  onAsk: (change: ConfirmedChange) => void
  onTake: () => void
}

export function SnapshotPanel({ branches: { snapshots, restartRefusal }, onAsk, onTake }: SnapshotPanelProps) {
  return (
    <Panel title="Snapshots">
      {snapshots.length === 0 ? (
        <Empty icon={Camera} title="No snapshot is kept" action={<Button onClick={onTake}>Take a snapshot</Button>}>
          A snapshot keeps rows, users, files and emails. Take one before you try something that cannot be undone.
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
                  disabled={restartRefusal !== null}
                  aria-label={`Restore ${name}`}
                  onClick={() => onAsk({ do: 'restore-snapshot', name })}
                >
                  Restore
                </Button>
                <Button
                  look="quiet"
                  aria-label={`Delete the snapshot ${name}`}
                  onClick={() => onAsk({ do: 'delete-snapshot', name })}
                >
                  Delete
                </Button>
              </>
            ),
          }))}
        />
      )}
    </Panel>
  )
}
