import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import clsx from 'clsx'
import { Button } from '../../components/button.tsx'
import { age, bytes, count } from '../../lib/format.ts'
import { FigureTable } from './figure-table.tsx'
import { type TableFigures, tablesQuery } from './queries.ts'
import { percent, Report, useMaintenance } from './report.tsx'

/** Bytes and the part of a table that are pointed out when a rewrite would free them. */
const MUCH_WASTED = { bytes: 1024 * 1024, part: 0.3 }

const isBloated = ({ wasted, total, indexes }: TableFigures): boolean =>
  Number(wasted) > MUCH_WASTED.bytes && Number(wasted) > MUCH_WASTED.part * (total - indexes)

/** What tables take, how they are read, and when they were looked after. */
export function TableReport() {
  const maintenance = useMaintenance()
  return (
    <Report
      title="Tables"
      query={useQuery(tablesQuery)}
      textOf={({ schema, name }) => `${schema}.${name}`}
      none="There is no table yet"
    >
      {(rows) => (
        <FigureTable
          label="Tables"
          rows={rows}
          rowKey={({ id }) => id}
          columns={[
            {
              name: 'Table',
              value: ({ schema, name }) => `${schema}.${name}`,
              show: ({ schema, name }) => (
                <Link
                  to="/tables/$schema/$name"
                  params={{ schema, name }}
                  className="whitespace-nowrap font-medium hover:underline"
                >
                  {schema}.{name}
                </Link>
              ),
            },
            { name: 'Size', isNumber: true, value: ({ total }) => total, show: ({ total }) => bytes(total) },
            { name: 'Indexes', isNumber: true, value: ({ indexes }) => indexes, show: (row) => bytes(row.indexes) },
            { name: 'Rows', isNumber: true, value: (row) => row.rows, show: (row) => count(row.rows) },
            { name: 'Dead rows', isNumber: true, value: ({ dead }) => dead, show: ({ dead }) => count(dead) },
            {
              name: 'Bloat, about',
              isNumber: true,
              value: ({ wasted }) => wasted,
              show: (row) => (
                <span className={clsx(isBloated(row) && 'font-medium text-warn')}>
                  {row.wasted === null ? '–' : bytes(row.wasted)}
                </span>
              ),
            },
            { name: 'Read whole', isNumber: true, value: ({ scans }) => scans, show: ({ scans }) => count(scans) },
            { name: 'By index', isNumber: true, value: (row) => row.indexScans, show: (row) => count(row.indexScans) },
            { name: 'In memory', isNumber: true, value: ({ hit }) => hit, show: ({ hit }) => percent(hit) },
            {
              name: 'Vacuumed',
              isNumber: true,
              value: ({ vacuumed }) => vacuumed,
              show: ({ vacuumed }) => (vacuumed ? age(vacuumed) : 'never'),
            },
            {
              name: 'Analyzed',
              isNumber: true,
              value: ({ analyzed }) => analyzed,
              show: ({ analyzed }) => (analyzed ? age(analyzed) : 'never'),
            },
          ]}
          actions={(row) =>
            (['vacuum', 'analyze'] as const).map((verb) => (
              <Button
                key={verb}
                disabled={maintenance.isPending}
                aria-label={`${verb === 'vacuum' ? 'Vacuum' : 'Analyze'} ${row.schema}.${row.name}`}
                onClick={() => maintenance.mutate({ verb, of: row })}
              >
                {verb === 'vacuum' ? 'Vacuum' : 'Analyze'}
              </Button>
            ))
          }
        />
      )}
    </Report>
  )
}
