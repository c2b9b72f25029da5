import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import clsx from 'clsx'
import { ShieldCheck, Wrench } from 'lucide-react'
import { useState } from 'react'
import type { Finding } from '../../../src/console/advisors.ts'
import { Button } from '../components/button.tsx'
import { FilterBar, SearchFilter, SelectFilter } from '../components/filters.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { advisorsQuery, relationsQuery } from '../features/catalog.ts'
import { ApplyDialog } from '../features/migrations/apply-dialog.tsx'
import { counted } from '../lib/format.ts'
import { useTextFilter } from '../lib/state.ts'

const route = getRouteApi('/advisors')

const LEVELS = ['ERROR', 'WARN', 'INFO'] as const
const LEVEL_NAMES = { ERROR: 'Error', WARN: 'Warning', INFO: 'Note' }

/** Common problems of the schema, with the SQL that fixes them if that's certain. */
export function Advisors() {
  const { category, text } = route.useSearch()
  const { data, error, refetch } = useQuery(advisorsQuery)
  const [fixed, setFixed] = useState<Finding | null>(null)
  const isFound = useTextFilter(text)
  const shown = (data ?? [])
    .filter(
      (one) =>
        (category === undefined || one.categories.includes(category)) &&
        isFound(`${one.title} ${one.detail} ${placeOf(one)}`),
    )
    .sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level))
  return (
    <Page title="Advisors" subtitle={data ? counted(shown.length, 'finding') : null}>
      {data === undefined ? (
        <Pending error={error} onRetry={refetch} />
      ) : (
        <>
          <FilterBar>
            <SearchFilter label="Search findings" placeholder="A table or a problem" />
            <SelectFilter
              name="category"
              label="Category"
              none="All categories"
              options={[
                ['SECURITY', 'Security'],
                ['PERFORMANCE', 'Performance'],
              ]}
            />
          </FilterBar>
          {shown.length === 0 ? (
            <Empty icon={ShieldCheck} title={data.length === 0 ? 'No problems found' : 'No matching findings'}>
              {data.length === 0
                ? 'They look for tables without row security, missing indexes and other common faults.'
                : null}
            </Empty>
          ) : (
            <ul aria-label="Findings" className="divide-y">
              {shown.map((one) => (
                <FindingLine key={`${one.name} ${placeOf(one)} ${one.detail}`} finding={one} onFix={setFixed} />
              ))}
            </ul>
          )}
        </>
      )}
      {fixed ? (
        <ApplyDialog
          title={`Fix: ${fixed.title}`}
          sql={String(fixed.fix)}
          name={`fix_${fixed.name}_${fixed.metadata.name}`}
          onClose={() => setFixed(null)}
        />
      ) : null}
    </Page>
  )
}

const placeOf = ({ metadata: { schema, name } }: Finding): string => `${schema}.${name}`

function FindingLine({ finding, onFix }: { finding: Finding; onFix: (finding: Finding) => void }) {
  const { level, title, description, detail, remediation, metadata, fix } = finding
  const relations = useQuery(relationsQuery)
  const table = relations.data?.find((one) => one.schema === metadata.schema && one.name === metadata.name)
  return (
    <li className="flex items-start gap-4 px-4 py-3 text-[13px]">
      <span
        className={clsx(
          'w-16 shrink-0 font-medium text-xs leading-5',
          level === 'ERROR' ? 'text-danger' : level === 'WARN' ? 'text-warn' : 'text-ink-faint',
        )}
      >
        {LEVEL_NAMES[level]}
      </span>
      <div className="grid min-w-0 flex-1 gap-0.5">
        <p className="break-words">
          <span className="font-medium">{title}</span>{' '}
          {table ? (
            <Link
              to="/tables/$schema/$name"
              params={{ schema: table.schema, name: table.name }}
              search={{ view: 'definition' }}
              className="font-mono text-accent text-xs hover:underline"
            >
              {placeOf(finding)}
            </Link>
          ) : (
            <code className="font-mono text-xs">{placeOf(finding)}</code>
          )}
        </p>
        <p className="text-ink-soft">{description}</p>
        <p className="break-words text-ink-soft">{String(detail)}</p>
        <p className="break-words text-ink-faint text-xs">{remediation}</p>
      </div>
      {fix ? (
        <Button icon={Wrench} onClick={() => onFix(finding)}>
          Fix
        </Button>
      ) : null}
    </li>
  )
}
