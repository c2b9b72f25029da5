import clsx from 'clsx'
import { Camera } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Panel, TableHead } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { age, bytes, time } from '../../lib/format.ts'
import type { RunningBranches } from './branches.ts'
import type { ConfirmedChange } from './change-text.ts'

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
          actions: isCurrent
            ? []
            : [
                {
                  text: 'Switch',
                  label: `Switch to ${name}`,
                  isOff: restartRefusal !== null || (git !== null && git !== name),
                  run: () => onAsk({ do: 'switch', name }),
                },
                { text: 'Compare', label: `Compare ${name}`, run: () => onCompare(name) },
                { text: 'Delete', label: `Delete the branch ${name}`, run: () => onAsk({ do: 'delete', name }) },
              ],
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
        <Empty icon={Camera} title="No snapshots yet" action={<Button onClick={onTake}>Take a snapshot</Button>}>
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
            actions: [
              {
                text: 'Restore',
                label: `Restore ${name}`,
                isOff: restartRefusal !== null,
                run: () => onAsk({ do: 'restore-snapshot', name }),
              },
              {
                text: 'Delete',
                label: `Delete the snapshot ${name}`,
                run: () => onAsk({ do: 'delete-snapshot', name }),
              },
            ],
          }))}
        />
      )}
    </Panel>
  )
}

type StateRow = {
  readonly name: string
  /** The branch whose data was copied. */
  readonly origin: string | null
  readonly createdAt: string | null
  readonly size: number
  readonly isCurrent?: boolean
  readonly actions: readonly { text: string; label: string; isOff?: boolean; run: () => void }[]
}

type StateTableProps = { label: string; originName: string; rows: readonly StateRow[] }

/** Branches or snapshots with their actions. */
function StateTable({ label, originName, rows }: StateTableProps) {
  return (
    <table aria-label={label} className="w-full text-[13px]">
      <TableHead columns={['Name', originName, 'Created', ['Size', 'text-right']]} hasActions />
      <tbody>
        {rows.map(({ name, origin, createdAt, size, isCurrent = false, actions }) => (
          <tr
            key={name}
            aria-current={isCurrent || undefined}
            className={clsx('border-b', isCurrent && 'bg-accent-soft')}
          >
            <td className="break-all px-3 py-1.5 font-medium">
              {name}
              {isCurrent ? <span className="ml-2 font-normal text-accent text-xs">current</span> : null}
            </td>
            <td className="break-all px-3 py-1.5 text-ink-soft">{origin ?? '–'}</td>
            <td className="whitespace-nowrap px-3 py-1.5 text-ink-soft" title={createdAt ? time(createdAt) : undefined}>
              {createdAt ? age(createdAt) : '–'}
            </td>
            <td className="whitespace-nowrap px-3 py-1.5 text-right text-ink-soft tabular-nums">{bytes(size)}</td>
            <td className="px-3 py-1">
              <div className="flex justify-end gap-1">
                {actions.map(({ text, label, isOff, run }) => (
                  <Button key={text} look="quiet" disabled={isOff} aria-label={label} onClick={run}>
                    {text}
                  </Button>
                ))}
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
