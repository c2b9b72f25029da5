import clsx from 'clsx'
import type { ReactNode } from 'react'
import { age, bytes, time } from '../../lib/format.ts'

type StateRow = {
  readonly name: string
  /** The branch whose data was copied. */
  readonly origin: string | null
  readonly createdAt: string | null
  readonly size: number
  readonly isCurrent?: boolean
  readonly actions: ReactNode
}

type StateTableProps = { label: string; originName: string; rows: readonly StateRow[] }

/** Branches or snapshots, each with what can be done with it. */
export function StateTable({ label, originName, rows }: StateTableProps) {
  return (
    <table aria-label={label} className="w-full text-[13px]">
      <thead>
        <tr className="border-b text-left text-ink-faint text-xs">
          <th scope="col" className="px-3 py-1.5 font-normal">
            Name
          </th>
          <th scope="col" className="px-3 py-1.5 font-normal">
            {originName}
          </th>
          <th scope="col" className="px-3 py-1.5 font-normal">
            Created
          </th>
          <th scope="col" className="px-3 py-1.5 text-right font-normal">
            Size
          </th>
          <th scope="col" className="px-3 py-1.5 font-normal">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
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
              <div className="flex justify-end gap-1">{actions}</div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
