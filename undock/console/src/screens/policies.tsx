import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { SearchX, ShieldCheck } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { SearchFilter, SelectFilter } from '../components/filters.tsx'
import { PageLink } from '../components/link.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { Matrix } from '../features/policies/matrix.tsx'
import { isShown, matrixQuery, SHOWN } from '../features/policies/queries.ts'
import { projectQuery } from '../lib/api.ts'
import { count, counted } from '../lib/format.ts'
import { useTextFilter } from '../lib/state.ts'

const route = getRouteApi('/policies')

export function Policies() {
  const { schema, search, show } = route.useSearch()
  const navigate = route.useNavigate()
  const project = useQuery(projectQuery)
  const { data, error, refetch } = useQuery({
    ...matrixQuery(project.data?.schemas ?? []),
    enabled: project.data !== undefined,
  })
  const isFound = useTextFilter(search)
  const rows = (data ?? []).filter(
    (row) =>
      (schema === undefined || row.schema === schema) && isFound(`${row.schema}.${row.name}`) && isShown(row, show),
  )
  return (
    <Page
      title="Policies"
      subtitle={
        data
          ? rows.length < data.length
            ? `${count(rows.length)} of ${counted(data.length, 'table')}`
            : counted(data.length, 'table')
          : null
      }
      actions={
        <>
          <SearchFilter name="search" label="Filter tables" className="w-44!" />
          <SelectFilter
            name="schema"
            label="Schema"
            none="Any schema"
            options={[...new Set(data?.map((row) => row.schema))]}
          />
          <SelectFilter name="show" label="Show">
            <option value="">All tables</option>
            {Object.entries(SHOWN).map(([value, { name, title }]) => (
              <option key={value} value={value} title={title}>
                {name}
              </option>
            ))}
          </SelectFilter>
          <PageLink to="/policies/explain">Explain access</PageLink>
        </>
      }
    >
      {data === undefined ? (
        <Pending error={error ?? project.error} onRetry={() => Promise.all([project.refetch(), refetch()])} />
      ) : data.length === 0 ? (
        <Empty icon={ShieldCheck} title="There are no tables yet">
          Tables of the schemas that the Data API exposes are shown here, with what each role may do with them.
        </Empty>
      ) : rows.length === 0 ? (
        <Empty
          icon={SearchX}
          title="No matching tables"
          action={<Button onClick={() => void navigate({ search: {} })}>Show all tables</Button>}
        />
      ) : (
        <Matrix rows={rows} />
      )}
    </Page>
  )
}
