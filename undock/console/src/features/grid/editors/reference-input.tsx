import { queryOptions, useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { IconButton } from '../../../components/button.tsx'
import { Input, SearchInput } from '../../../components/field.tsx'
import { Pending } from '../../../components/states.tsx'
import { type Cell, read } from '../../../lib/api.ts'
import { ident, qualified } from '../../../lib/sql.ts'
import { type ForeignKey, type RelationDetail, relationQuery } from '../../catalog.ts'
import type { EditorProps } from '../columns.ts'

type ReferenceInputProps = Omit<EditorProps, 'column'> & {
  reference: { key: ForeignKey; target: string }
  as: string | undefined
  /** Whether the rows to choose from are shown immediately. */
  isOpen?: boolean
}

/** Edits a foreign key by typing its value or choosing a row of the other table. */
export function ReferenceInput({ id, value, onChange, reference, as, isOpen = false }: ReferenceInputProps) {
  const [isListed, setIsListed] = useState(isOpen)
  return (
    <div className="grid gap-1.5">
      <div className="flex items-center gap-1">
        <Input id={id} value={value ?? ''} onValue={onChange} />
        <IconButton
          icon={Search}
          label={`Choose a row of ${reference.key.table}`}
          aria-expanded={isListed}
          onClick={() => setIsListed(!isListed)}
        />
      </div>
      {isListed ? <ReferenceList reference={reference} value={value} as={as} onChoose={onChange} /> : null}
    </div>
  )
}

type ReferenceListProps = {
  reference: { key: ForeignKey; target: string }
  value: Cell
  as: string | undefined
  onChoose: (value: string) => void
}

/** Searches the table that a foreign key refers to, and chooses one of its rows. */
function ReferenceList({ reference: { key, target }, value, as, onChoose }: ReferenceListProps) {
  const [text, setText] = useState('')
  const search = useDeferredValue(text)
  const table = useQuery(relationQuery(key.schema, key.table))
  const words = table.data ? wordColumns(table.data, target) : []
  return (
    <div className="grid gap-1.5 rounded-md border p-2">
      <SearchInput
        data-first
        label={`Search ${key.table}`}
        placeholder={`Search ${key.table} by ${[target, ...words].join(', ')}`}
        value={text}
        onValue={setText}
        // Otherwise Enter in the search would submit the surrounding form.
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault()
        }}
      />
      {table.data ? (
        <Rows table={table.data} target={target} text={search} value={value} as={as} onChoose={onChoose} />
      ) : (
        <Pending error={table.error} />
      )}
    </div>
  )
}

type RowsProps = Omit<ReferenceListProps, 'reference'> & {
  table: Parameters<typeof referenceRowsQuery>[0]
  target: string
  text: string
}

function Rows({ table, target, text, value, as, onChoose }: RowsProps) {
  const { data, error } = useQuery({
    ...referenceRowsQuery(table, target, text, as),
    placeholderData: (before) => before,
  })
  if (error || !data) return <Pending error={error} />
  if (data.length === 0)
    return (
      <p className="p-2 text-ink-soft text-xs">
        {text ? `No row of ${table.name} contains “${text}”.` : `${table.name} has no rows.`}
      </p>
    )
  return (
    <ul aria-label={`Rows of ${table.name}`} className="max-h-56 overflow-auto">
      {data.map((row) => (
        <li key={row.value}>
          <button
            type="button"
            aria-pressed={row.value === value}
            className="flex w-full items-baseline gap-3 rounded-md px-2 py-1 text-left text-[13px] hover:bg-panel aria-pressed:bg-accent-soft"
            onClick={() => onChoose(row.value)}
          >
            {row.words.map((word, n) => (
              <span key={n} className="min-w-0 max-w-56 truncate">
                {word}
              </span>
            ))}
            <span className="ml-auto max-w-72 shrink-0 truncate font-mono text-ink-faint text-xs">{row.value}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** The maximum number of suggested rows. */
const MAX_ROWS = 30
/** Tables with more rows aren't sorted by their words. */
const SORTED_UP_TO = 50_000

/** A row that a foreign key can refer to. @property words A readable description. */
type ReferenceRow = { readonly value: string; readonly words: readonly Cell[] }

/** Columns that describe a row: the first text columns. */
const wordColumns = ({ columns }: RelationDetail, target: string): string[] =>
  columns
    .filter(({ name, category, labels }) => category === 'S' && !labels && name !== target)
    .slice(0, 3)
    .map(({ name }) => name)

/** Rows of a referenced table whose key or words contain a text. */
const referenceRowsQuery = (relation: RelationDetail, target: string, text: string, as: string | undefined) =>
  queryOptions({
    queryKey: ['rows', relation.schema, relation.name, 'references', target, text, as],
    queryFn: async ({ signal }): Promise<ReferenceRow[]> => {
      const [result] = await read([{ ...referenceStatement(relation, target, text), limit: MAX_ROWS }], { as, signal })
      return (result?.rows ?? []).map(([value, ...words]) => ({ value: value ?? '', words }))
    },
  })

function referenceStatement(relation: RelationDetail, target: string, text: string): { text: string; values: Cell[] } {
  const words = wordColumns(relation, target).map(ident)
  const columns = [ident(target), ...words]
  const order = (relation.rows ?? 0) <= SORTED_UP_TO && words[0] ? words[0] : ident(target)
  const isSearched = text.trim() !== ''
  return {
    text: [
      `select ${columns.map((name) => `${name}::text`).join(', ')}`,
      `from ${qualified(relation.schema, relation.name)}`,
      `where ${ident(target)} is not null${isSearched ? ` and (${columns.map((name) => `${name}::text ilike $1`).join(' or ')})` : ''}`,
      `order by ${order}`,
      `limit ${MAX_ROWS}`,
    ].join('\n'),
    values: isSearched ? [`%${text.trim().replaceAll(/[\\%_]/g, '\\$&')}%`] : [],
  }
}
