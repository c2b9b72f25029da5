import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Page } from '../../components/page.tsx'
import { count, duration } from '../../lib/format.ts'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import { NotEnabled, type SqlChange } from '../objects/not-enabled.tsx'
import { FigureTable, StatementText } from './figure-table.tsx'
import { activityKey, resetStatements, statementsQuery } from './queries.ts'
import { percent, Report } from './report.tsx'

/** How often each statement has run, and how long it took. */
export function StatementReport() {
  const queryClient = useQueryClient()
  const query = useQuery(statementsQuery)
  const [change, setChange] = useState<SqlChange | null>(null)
  const [isReset, setIsReset] = useState(false)
  const { data } = query
  if (data === null)
    return (
      <Page title="Statements">
        <NotEnabled
          extension="pg_stat_statements"
          about="It counts how often each statement runs and how long it takes."
          onEnable={setChange}
        />
        {change ? <ApplyDialog {...change} onApplied={() => setChange(null)} onClose={() => setChange(null)} /> : null}
      </Page>
    )
  return (
    <Report
      title="Statements"
      query={{ ...query, data: data?.rows }}
      textOf={({ query: text, role }) => `${text} ${role}`}
      none="No statement has run since the counts began"
      actions={<Button onClick={() => setIsReset(true)}>Count again from 0</Button>}
    >
      {(rows) => (
        <>
          <FigureTable
            label="Statements"
            rows={rows}
            rowKey={({ id }) => id}
            columns={[
              {
                name: 'Statement',
                value: ({ query: text }) => text,
                show: (row) => <StatementText text={row.query} />,
              },
              { name: 'Role', value: ({ role }) => role, className: 'text-ink-soft' },
              { name: 'Calls', isNumber: true, value: ({ calls }) => calls, show: ({ calls }) => count(calls) },
              {
                name: 'Time in all',
                isNumber: true,
                value: ({ total }) => total,
                show: ({ total, share }) => `${duration(total)} · ${Math.round(100 * share)} %`,
              },
              { name: 'Mean', isNumber: true, value: ({ mean }) => mean, show: ({ mean }) => duration(mean) },
              { name: 'Longest', isNumber: true, value: ({ max }) => max, show: ({ max }) => duration(max) },
              { name: 'Rows', isNumber: true, value: (row) => row.rows, show: (row) => count(row.rows) },
              { name: 'In memory', isNumber: true, value: ({ hit }) => hit, show: ({ hit }) => percent(hit) },
            ]}
            actions={({ query: text }) => <CopyButton text={text} label="Copy the statement" />}
          />
          {isReset && data ? (
            <Confirm
              title="Count again from 0"
              action="Count again"
              run={async () => {
                await resetStatements(data.schema)
                await queryClient.invalidateQueries({ queryKey: activityKey })
              }}
              onClose={() => setIsReset(false)}
            >
              The figures of all statements are lost; the statements and the data stay.
            </Confirm>
          ) : null}
        </>
      )}
    </Report>
  )
}
