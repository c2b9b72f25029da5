import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton, TextBlock } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TableHead } from '../../components/page.tsx'
import { Pending } from '../../components/states.tsx'
import { refresh } from '../../lib/api.ts'
import { count } from '../../lib/format.ts'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import { type BranchDifference, branchesQuery, differenceQuery } from './branches.ts'

/** Shows what another branch has that the current one doesn't. */
export function DifferenceDialog({ other, onClose }: { other: string; onClose: () => void }) {
  const { data, error, isFetching, refetch } = useQuery(differenceQuery(other))
  const [isApplying, setIsApplying] = useState(false)
  const [script, ...more] = data?.scripts ?? []
  if (isApplying && script)
    return (
      <ApplyDialog
        title={`Apply the schema of ${other}`}
        sql={script.text}
        name={`merge_${other}`}
        onApplied={() => {
          setIsApplying(false)
          void refresh(branchesQuery.queryKey)
        }}
        onClose={() => setIsApplying(false)}
      />
    )
  return (
    <Dialog
      title={`${other} compared with ${data?.current ?? 'the current branch'}`}
      wide
      onClose={onClose}
      actions={
        <>
          <Button disabled={isFetching} onClick={() => void refetch()}>
            Compare again
          </Button>
          {script && more.length === 0 ? (
            <Button look="primary" onClick={() => setIsApplying(true)}>
              Apply the schema …
            </Button>
          ) : null}
        </>
      }
    >
      {data && !error ? (
        <Difference difference={data} />
      ) : (
        <Pending error={error} onRetry={refetch} label={`Starting a copy of ${other} and comparing`} />
      )}
    </Dialog>
  )
}

function Difference({ difference: { current, other, scripts, rows } }: { difference: BranchDifference }) {
  const sql = scripts.map(({ text }) => text).join('\n\n')
  return (
    <div className="grid gap-4 text-[13px]">
      <section aria-label="Structure" className="grid gap-2">
        <h3 className="flex min-h-8 items-center justify-between font-medium">
          Structure
          {sql === '' ? null : <CopyButton text={sql} label="Copy the SQL" />}
        </h3>
        {sql === '' ? (
          <p className="text-ink-soft">
            {other} has the same schema as {current}.
          </p>
        ) : (
          <>
            <p className="text-ink-soft">
              This SQL gives {current} the structure of {other}.
              {scripts.length > 1
                ? ` It takes ${scripts.length} transactions: \`undock branch merge-schema ${other}\` writes them as migrations.`
                : ''}
            </p>
            <TextBlock label="SQL" text={sql} className="max-h-80 rounded-md border bg-raised" />
          </>
        )}
      </section>
      <section aria-label="Rows" className="grid gap-2">
        <h3 className="font-medium">Rows</h3>
        {rows.length === 0 ? (
          <p className="text-ink-soft">All tables have the same number of rows.</p>
        ) : (
          <table className="w-full">
            <TableHead cell="py-1" columns={['Table', [current, 'text-right'], [other, 'text-right']]} />
            <tbody>
              {rows.map((one) => (
                <tr key={one.table} className="border-b">
                  <td className="break-all py-1">{one.table}</td>
                  <td className="py-1 text-right tabular-nums">{rowText(one.current)}</td>
                  <td className="py-1 text-right tabular-nums">{rowText(one.other)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
    </div>
  )
}

const rowText = (rows: number | null): string => (rows === null ? 'no table' : count(rows))
