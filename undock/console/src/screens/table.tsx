import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Page } from '../components/page.tsx'
import { Empty, Failure, Loading } from '../components/states.tsx'
import { ViewAs } from '../components/view-as.tsx'
import { type RelationDetail, relationQuery } from '../features/catalog.ts'
import { DataGrid } from '../features/grid/data-grid.tsx'
import type { Distance, Filter, Near, RowRequest } from '../features/grid/row-source.ts'
import { Definition } from '../features/schema/definition.tsx'
import { count } from '../lib/format.ts'

const route = getRouteApi('/tables/$schema/$name')

const ImportDialog = lazy(async () => ({
  default: (await import('../features/transfer/import-dialog.tsx')).ImportDialog,
}))
const ExportDialog = lazy(async () => ({
  default: (await import('../features/transfer/export-dialog.tsx')).ExportDialog,
}))

const PlanDialog = lazy(async () => ({ default: (await import('../features/grid/plan-dialog.tsx')).PlanDialog }))

const VIEWS = [
  { view: undefined, name: 'Rows' },
  { view: 'definition', name: 'Definition' },
] as const

export function TableScreen() {
  const { schema, name } = route.useParams()
  const { view, dialog, sort, filters, near, part, as } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: relation, error, refetch } = useQuery(relationQuery(schema, name))
  if (error && !relation) return <Failure error={error} onRetry={() => void refetch()} />
  if (relation === undefined) return <Loading />
  if (relation === null)
    return (
      <Empty icon={SearchX} title={`There is no table ${schema}.${name}`}>
        It may have been renamed or dropped.
      </Empty>
    )
  const isTable = relation.kind === 'r' || relation.kind === 'p'
  const order = sort ? { column: sort.replace(/^-/, ''), descending: sort.startsWith('-') } : null
  const request: RowRequest = {
    relation,
    sort: order && relation.columns.some((column) => column.name === order.column) ? order : null,
    filters: (filters ?? []) as readonly Filter[],
    as,
    near: near ? nearOf(relation, near) : null,
    part: part === undefined || near ? null : part,
  }
  const open = (next: typeof dialog) =>
    void navigate({ search: (before) => ({ ...before, dialog: next }), replace: next === undefined })
  return (
    <Page
      title={`${schema}.${name}`}
      subtitle={relation.rows === null ? relation.comment : `about ${count(relation.rows)} rows`}
      actions={
        <>
          <nav aria-label="Views of the table" className="flex gap-1">
            {VIEWS.map((one) => (
              <Link
                key={one.name}
                from="/tables/$schema/$name"
                search={(before) => ({ ...before, view: one.view })}
                // Rows are the view of an address that names none.
                activeOptions={{ explicitUndefined: true }}
                className="rounded-md px-2 py-1 text-[13px] text-ink-soft hover:bg-panel aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink"
              >
                {one.name}
              </Link>
            ))}
            {isTable ? (
              <Link
                to="/policies/$schema/$name"
                params={{ schema, name }}
                className="rounded-md px-2 py-1 text-[13px] text-ink-soft hover:bg-panel"
              >
                Policies
              </Link>
            ) : null}
          </nav>
          <ViewAs
            value={as}
            onChange={(value) => void navigate({ search: (before) => ({ ...before, as: value }), replace: true })}
          />
        </>
      }
    >
      {view === 'definition' ? (
        <Definition relation={relation} />
      ) : (
        <div className="flex h-full flex-col">
          {isTable && relation.rowSecurity && relation.policies.length === 0 ? (
            <p className="border-b bg-panel px-4 py-1.5 text-[13px] text-ink-soft">
              Row security is on and there is no policy: through the API nobody sees or changes a row.{' '}
              <Link
                to="/policies/$schema/$name"
                params={{ schema, name }}
                search={{ new: true }}
                className="text-accent underline"
              >
                Write a policy
              </Link>
            </p>
          ) : null}
          <div className="min-h-0 flex-1">
            <DataGrid
              // Another table, or the same one after a change of its columns, is another grid.
              key={`${schema}.${name}.${relation.columns.map((column) => column.name).join()}`}
              {...request}
              onOpen={open}
              onPart={(next) =>
                void navigate({ search: (before) => ({ ...before, part: next ?? undefined }), replace: true })
              }
              onNear={(next) =>
                void navigate({
                  search: (before) => ({
                    ...before,
                    near: next ? [next.column, next.operator, ...next.key] : undefined,
                  }),
                  replace: true,
                })
              }
              onSort={(next) =>
                void navigate({
                  search: (before) => ({
                    ...before,
                    part: undefined,
                    sort: next ? `${next.descending ? '-' : ''}${next.column}` : undefined,
                  }),
                  replace: true,
                })
              }
              onFilter={(next) =>
                void navigate({
                  search: (before) => ({
                    ...before,
                    part: undefined,
                    filters:
                      next.length > 0
                        ? next.map(([column, operator, value]): [string, string, string] => [column, operator, value])
                        : undefined,
                  }),
                  replace: true,
                })
              }
            />
          </div>
        </div>
      )}
      <Suspense>
        {dialog === 'import' ? <ImportDialog relation={relation} as={as} onClose={() => open(undefined)} /> : null}
        {dialog === 'export' ? <ExportDialog request={request} onClose={() => open(undefined)} /> : null}
        {dialog === 'plan' ? <PlanDialog request={request} onClose={() => open(undefined)} /> : null}
      </Suspense>
    </Page>
  )
}

/** What an address says of near rows; null where this table has no such column or key. */
function nearOf({ columns, key }: RelationDetail, near: readonly (string | null)[]): Near | null {
  const [column, operator, ...values] = near
  const isOfTable = columns.some(({ name }) => name === column) && key.length > 0 && values.length === key.length
  return isOfTable ? { column: column ?? '', operator: operator as Distance, key: values } : null
}
