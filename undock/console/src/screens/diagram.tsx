import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Workflow } from 'lucide-react'
import { useDeferredValue } from 'react'
import { Input, Select } from '../components/field.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Failure, Loading } from '../components/states.tsx'
import { diagramQuery } from '../features/diagram/queries.ts'
import { SchemaDiagram } from '../features/diagram/schema-diagram.tsx'
import { counted } from '../lib/format.ts'

const route = getRouteApi('/schema/')

export function DiagramScreen() {
  const { schema = 'public', text = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const search = useDeferredValue(text)
  const { data, error, refetch } = useQuery(diagramQuery(schema))
  const update = (next: object) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
  return (
    <Page
      title="Diagram"
      subtitle={data ? counted(data.tables.length, 'table') : null}
      actions={
        <>
          <Input
            type="search"
            aria-label="Find tables and columns"
            placeholder="A table or column"
            className="max-w-56"
            value={text}
            onChange={({ target }) => update({ text: target.value || undefined })}
          />
          <Select
            aria-label="Schema"
            className="max-w-44"
            value={schema}
            onChange={({ target }) => update({ schema: target.value === 'public' ? undefined : target.value })}
          >
            {[...new Set(['public', schema, ...(data?.schemas ?? [])])].sort().map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
        </>
      }
    >
      {data === undefined ? (
        error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : data.tables.length === 0 ? (
        <Empty icon={Workflow} title={`The schema ${schema} has no tables`}>
          Tables and the foreign keys between them are drawn here.{' '}
          <Link to="/tables" className="text-accent underline">
            Make a table
          </Link>
        </Empty>
      ) : (
        <SchemaDiagram key={schema} schema={schema} diagram={data} search={search} />
      )}
    </Page>
  )
}
