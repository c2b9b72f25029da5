import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { TextLink } from '../components/link.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { ViewAs } from '../components/view-as.tsx'
import { type RelationDetail, relationQuery } from '../features/catalog.ts'
import { DataGrid } from '../features/grid/data-grid.tsx'
import { filterSearch, nearSearch, type RowSearch, requestOf, sortSearch } from '../features/grid/table-address.ts'
import { Definition } from '../features/schema/definition.tsx'
import { count } from '../lib/format.ts'
import { useSearchChange } from '../lib/state.ts'

const route = getRouteApi('/tables/$schema/$name')

const ImportDialog = lazy(async () => ({
  default: (await import('../features/transfer/import-dialog.tsx')).ImportDialog,
}))
const ExportDialog = lazy(async () => ({
  default: (await import('../features/transfer/export-dialog.tsx')).ExportDialog,
}))

const CountDialog = lazy(async () => ({ default: (await import('../features/grid/count-dialog.tsx')).CountDialog }))
const PlanDialog = lazy(async () => ({ default: (await import('../features/grid/plan-dialog.tsx')).PlanDialog }))

const VIEWS = [
  { view: undefined, name: 'Rows' },
  { view: 'definition', name: 'Definition' },
] as const

export function TableScreen() {
  const { schema, name } = route.useParams()
  const { view, as } = route.useSearch()
  const change = useSearchChange()
  const { data: relation, error, refetch } = useQuery(relationQuery(schema, name))
  if (relation === undefined) return <Pending error={error} onRetry={refetch} />
  if (relation === null)
    return (
      <Empty icon={SearchX} title={`There is no table ${schema}.${name}`}>
        It may have been renamed or dropped.
      </Empty>
    )
  return (
    <Page
      title={`${schema}.${name}`}
      subtitle={relation.rows === null ? relation.comment : `about ${count(relation.rows)} rows`}
      actions={
        <>
          <Views relation={relation} />
          <ViewAs value={as} onChange={(value) => change({ as: value })} />
        </>
      }
    >
      {view === 'definition' ? <Definition relation={relation} /> : <Rows relation={relation} />}
      <Dialogs relation={relation} />
    </Page>
  )
}

const isTable = ({ kind }: RelationDetail): boolean => kind === 'r' || kind === 'p'

function Views({ relation }: { relation: RelationDetail }) {
  const { schema, name } = relation
  return (
    <nav aria-label="Views of the table" className="flex gap-1">
      {VIEWS.map((one) => (
        <Link
          key={one.name}
          from="/tables/$schema/$name"
          search={(before) => ({ ...before, view: one.view })}
          // The default view.
          activeOptions={{ explicitUndefined: true }}
          className="rounded-md px-2 py-1 text-[13px] text-ink-soft hover:bg-panel aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink"
        >
          {one.name}
        </Link>
      ))}
      {isTable(relation) ? (
        <Link
          to="/policies/$schema/$name"
          params={{ schema, name }}
          className="rounded-md px-2 py-1 text-[13px] text-ink-soft hover:bg-panel"
        >
          Policies
        </Link>
      ) : null}
    </nav>
  )
}

function Rows({ relation }: { relation: RelationDetail }) {
  const { schema, name, columns, rowSecurity, policies } = relation
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change: (next: RowSearch) => void = useSearchChange()
  return (
    <div className="flex h-full flex-col">
      {isTable(relation) && rowSecurity && policies.length === 0 ? (
        <p className="border-b bg-panel px-4 py-1.5 text-[13px] text-ink-soft">
          Row security is on, but no policy exists: the API returns and changes no rows.{' '}
          <TextLink to="/policies/$schema/$name" params={{ schema, name }} search={{ new: true }}>
            Write a policy
          </TextLink>
        </p>
      ) : null}
      <div className="min-h-0 flex-1">
        <DataGrid
          // A new grid for another table or changed columns.
          key={`${schema}.${name}.${columns.map((column) => column.name).join()}`}
          {...requestOf(relation, search)}
          onOpen={(dialog) => void navigate({ search: (before) => ({ ...before, dialog }) })}
          onPart={(part) => change({ part: part ?? undefined })}
          onNear={(near) => change(nearSearch(near))}
          onSort={(sort) => change(sortSearch(sort))}
          onFilter={(filters) => change(filterSearch(filters))}
        />
      </div>
    </div>
  )
}

/** The dialog named in the address. */
function Dialogs({ relation }: { relation: RelationDetail }) {
  const search = route.useSearch()
  const { dialog, as } = search
  const navigate = route.useNavigate()
  const change = useSearchChange()
  const close = () => change({ dialog: undefined })
  return (
    <Suspense>
      {dialog === 'import' ? <ImportDialog relation={relation} as={as} onClose={close} /> : null}
      {dialog === 'export' ? <ExportDialog request={requestOf(relation, search)} onClose={close} /> : null}
      {dialog === 'values' ? (
        <CountDialog
          request={requestOf(relation, search)}
          onFilter={(filter) =>
            void navigate({
              search: ({ dialog: _, ...before }) => ({
                ...before,
                ...filterSearch([...requestOf(relation, search).filters, filter]),
              }),
            })
          }
          onClose={close}
        />
      ) : null}
      {dialog === 'plan' ? <PlanDialog request={requestOf(relation, search)} onClose={close} /> : null}
    </Suspense>
  )
}
