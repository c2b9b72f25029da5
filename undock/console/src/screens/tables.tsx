import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { Database, Plus, Trash2, UserRound } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button, IconButton } from '../components/button.tsx'
import { Checkbox, Input, SearchInput, Select } from '../components/field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { SideLink, TextLink } from '../components/link.tsx'
import { SecurityMark } from '../components/page.tsx'
import { SplitPane } from '../components/split-pane.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { type Relation, relationsQuery } from '../features/catalog.ts'
import { ApplyDialog } from '../features/migrations/apply-dialog.tsx'
import { ColumnFields } from '../features/schema/column-fields.tsx'
import {
  type ColumnDraft,
  createTableSql,
  EMPTY_COLUMN,
  NEW_TABLE,
  OWNER_COLUMN,
} from '../features/schema/table-sql.ts'
import { useSearchChange, useStored, useTextFilter } from '../lib/state.ts'
import { useRows } from '../lib/use-rows.ts'

const route = getRouteApi('/tables')
const ROW_HEIGHT = 28

/** The list of tables next to the open one. */
export function Tables() {
  const params = useParams({ strict: false })
  const { data, error, refetch } = useQuery(relationsQuery)
  return (
    <SplitPane
      label="Tables"
      className="w-56"
      isChosen={params.name !== undefined}
      side={data ? <RelationList relations={data} /> : <Pending error={error} onRetry={refetch} />}
    >
      {params.name !== undefined ? (
        <Outlet />
      ) : data?.some(({ schema }) => schema === 'public') === false ? (
        <Empty
          icon={Database}
          title="There are no tables yet"
          action={
            <TextLink to="/tables" search={{ new: true }}>
              Create the first table
            </TextLink>
          }
        >
          A table holds rows of your app. The <TextLink to="/">overview</TextLink> has examples to begin with.
        </Empty>
      ) : (
        <Empty icon={Database} title="Choose a table">
          Its rows, columns and policies are shown here.
        </Empty>
      )}
    </SplitPane>
  )
}

function RelationList({ relations }: { relations: readonly Relation[] }) {
  const [text, setText] = useState('')
  const { new: isAdding = false } = route.useSearch()
  const change = useSearchChange()
  const setIsAdding = (next: boolean) => change({ new: next || undefined })
  const isFound = useTextFilter(text)
  const [schema, setSchema] = useStored('undock-schema', 'public')
  const schemas = useMemo(() => [...new Set(['public', ...relations.map((one) => one.schema)])].sort(), [relations])
  const chosen = schemas.includes(schema) ? schema : 'public'
  const shown = useMemo(
    () => relations.filter((one) => one.schema === chosen && isFound(one.name)),
    [relations, chosen, isFound],
  )
  const { box, items, total } = useRows<HTMLDivElement>({ count: shown.length, height: ROW_HEIGHT, overscan: 10 })
  return (
    <>
      <div className="grid gap-2 border-b p-2">
        <Select aria-label="Schema" value={chosen} onValue={setSchema} options={schemas} />
        <SearchInput label="Filter tables" value={text} onValue={setText} />
      </div>
      <div className="border-b p-2">
        <Button icon={Plus} className="w-full justify-center" onClick={() => setIsAdding(true)}>
          New table
        </Button>
      </div>
      {isAdding ? <NewTable schema={chosen} onClose={() => setIsAdding(false)} /> : null}
      <div ref={box} className="min-h-0 flex-1 overflow-auto p-1">
        {shown.length === 0 ? (
          <p className="p-3 text-ink-faint text-xs">
            {text ? 'No table has that name.' : `The schema ${chosen} has no tables.`}
          </p>
        ) : null}
        <ul className="relative" style={{ height: total }}>
          {items.map(({ index, start }) => {
            const one = shown[index]
            if (!one) return null
            return (
              <li key={one.name} className="absolute inset-x-0 top-0" style={{ transform: `translateY(${start}px)` }}>
                <SideLink to="/tables/$schema/$name" params={{ schema: one.schema, name: one.name }}>
                  <span className="min-w-0 flex-1 truncate">{one.name}</span>
                  <SecurityMark isView={one.kind === 'v' || one.kind === 'm'} isOn={one.rowSecurity} />
                </SideLink>
              </li>
            )
          })}
        </ul>
      </div>
    </>
  )
}

/** Creates a table; shows its SQL before running it. */
function NewTable({ schema, onClose }: { schema: string; onClose: () => void }) {
  const navigate = useNavigate()
  const [draft, setDraft] = useState({ ...NEW_TABLE, schema })
  const [isReady, setIsReady] = useState(false)
  const setColumn = (at: number, column: ColumnDraft) => setDraft({ ...draft, columns: draft.columns.with(at, column) })
  const add = (column: ColumnDraft) => setDraft({ ...draft, columns: [...draft.columns, column] })
  if (isReady)
    return (
      <ApplyDialog
        title={`Create the table ${draft.name}`}
        sql={createTableSql(draft)}
        name={`create_${draft.name}`}
        onClose={() => setIsReady(false)}
        onApplied={() => {
          void navigate({ to: '/tables/$schema/$name', params: { schema: draft.schema, name: draft.name } })
        }}
      />
    )
  return (
    <FormDialog
      title={`New table in ${schema}`}
      action="Show the SQL"
      wide
      mutation={{ mutate: () => setIsReady(true) }}
      onClose={onClose}
    >
      <Input label="Name" required value={draft.name} onValue={(name) => setDraft({ ...draft, name })} />
      <Input label="Description" value={draft.comment} onValue={(comment) => setDraft({ ...draft, comment })} />
      <Checkbox
        label="Row security: the API returns no rows until a policy allows it"
        checked={draft.rowSecurity}
        onChecked={(isChecked) => setDraft({ ...draft, rowSecurity: isChecked })}
      />
      <h3 className="mt-2 font-semibold">Columns</h3>
      {draft.columns.map((column, at) => (
        <fieldset
          key={at}
          aria-label={`Column ${column.name || at + 1}`}
          className="relative rounded-lg border bg-raised p-3 pr-12"
        >
          <ColumnFields draft={column} onChange={(next) => setColumn(at, next)} />
          <IconButton
            icon={Trash2}
            label={`Remove the column ${column.name || at + 1}`}
            className="absolute top-2 right-2"
            onClick={() => setDraft({ ...draft, columns: draft.columns.filter((_, n) => n !== at) })}
          />
        </fieldset>
      ))}
      <div className="flex flex-wrap gap-2">
        <Button icon={Plus} onClick={() => add(EMPTY_COLUMN)}>
          Add a column
        </Button>
        {draft.columns.some(({ name }) => name === OWNER_COLUMN.name) ? null : (
          <Button
            icon={UserRound}
            title="user_id: the user who inserts the row, so that policies can limit users to their own rows."
            onClick={() => add(OWNER_COLUMN)}
          >
            Add the owner of a row
          </Button>
        )}
      </div>
    </FormDialog>
  )
}
