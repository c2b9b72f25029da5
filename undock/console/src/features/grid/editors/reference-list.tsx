import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { Input } from '../../../components/field.tsx'
import { Failure, Loading } from '../../../components/states.tsx'
import type { Cell } from '../../../lib/api.ts'
import { type ForeignKey, relationQuery } from '../../catalog.ts'
import { referenceRowsQuery, wordColumns } from '../references.ts'

type ReferenceListProps = {
  reference: { key: ForeignKey; target: string }
  value: Cell
  as: string | undefined
  onChoose: (value: string) => void
}

/** Searches the table that a foreign key refers to, and chooses one of its rows. */
export function ReferenceList({ reference: { key, target }, value, as, onChoose }: ReferenceListProps) {
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text)
  const table = useQuery(relationQuery(key.schema, key.table))
  const words = table.data ? wordColumns(table.data, target) : []
  return (
    <div className="grid gap-1.5 rounded-md border p-2">
      <Input
        type="search"
        data-first
        aria-label={`Search ${key.table}`}
        placeholder={`Search ${key.table} by ${[target, ...words].join(', ')}`}
        value={text}
        onChange={({ target }) => setText(target.value)}
        // Enter in the search would save the form around it.
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault()
        }}
      />
      {table.data ? (
        <Rows table={table.data} target={target} text={wanted} value={value} as={as} onChoose={onChoose} />
      ) : table.error ? (
        <Failure error={table.error} />
      ) : (
        <Loading />
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
  if (error) return <Failure error={error} />
  if (!data) return <Loading />
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
