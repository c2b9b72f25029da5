import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { bytes, count } from '../../lib/format.ts'
import { qualified } from '../../lib/sql.ts'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import { FigureTable, StatementText } from './figure-table.tsx'
import { type IndexFigures, indexesQuery } from './queries.ts'
import { Report, useMaintenance } from './report.tsx'

/** What indexes take, and which are not needed. */
export function IndexReport() {
  const maintenance = useMaintenance()
  const [dropped, setDropped] = useState<IndexFigures | null>(null)
  return (
    <Report
      title="Indexes"
      query={useQuery(indexesQuery)}
      textOf={({ schema, name, table, fault }) => `${schema}.${name} ${table} ${fault ?? ''}`}
      none="There is no index yet"
    >
      {(rows) => (
        <>
          <FigureTable
            label="Indexes"
            rows={rows}
            rowKey={({ id }) => id}
            columns={[
              {
                name: 'Index',
                value: ({ schema, name }) => `${schema}.${name}`,
                show: ({ schema, name, definition }) => (
                  <>
                    <p className="whitespace-nowrap font-medium">
                      {schema}.{name}
                    </p>
                    <StatementText text={definition} />
                  </>
                ),
              },
              { name: 'Size', isNumber: true, value: ({ size }) => size, show: ({ size }) => bytes(size) },
              { name: 'Reads', isNumber: true, value: ({ scans }) => scans, show: ({ scans }) => count(scans) },
              {
                name: 'Remark',
                value: ({ fault }) => fault,
                show: ({ fault }) => <span className="text-warn">{fault}</span>,
              },
            ]}
            actions={(row) => (
              <>
                <Button
                  disabled={maintenance.isPending}
                  aria-label={`Build again: ${row.schema}.${row.name}`}
                  onClick={() => maintenance.mutate({ verb: 'reindex index concurrently', of: row })}
                >
                  Build again
                </Button>
                {row.isKept ? null : (
                  <Button look="danger" aria-label={`Drop ${row.schema}.${row.name}`} onClick={() => setDropped(row)}>
                    Drop
                  </Button>
                )}
              </>
            )}
          />
          {dropped ? (
            <ApplyDialog
              title={`Drop ${dropped.name}`}
              sql={`drop index ${qualified(dropped.schema, dropped.name)};`}
              name={`drop_${dropped.name}`}
              onApplied={() => setDropped(null)}
              onClose={() => setDropped(null)}
            />
          ) : null}
        </>
      )}
    </Report>
  )
}
