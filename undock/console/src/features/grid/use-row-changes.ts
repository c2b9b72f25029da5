import { useMutation } from '@tanstack/react-query'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import type { Cell } from '../../lib/api.ts'
import { queryClient, refresh } from '../../lib/api.ts'
import { counted } from '../../lib/format.ts'
import type { Edit } from './cell-edits.ts'
import { type ColumnChange, changeCells, changeColumn, deleteRows, keyOf } from './changes.ts'
import { type Row, type RowPages, type RowRequest, rowsQuery } from './row-source.ts'

/** Changes a grid's rows, with undo if possible. */
export function useRowChanges(request: RowRequest) {
  const { relation, as } = request
  const { queryKey } = rowsQuery(request)
  const onSettled = () => refresh(['rows', relation.schema, relation.name])

  /** Edits of cells, shown before they're saved. */
  const save = useMutation({
    mutationFn: (edits: readonly Edit[]) => changeCells(relation, edits, as),
    onMutate: (edits) => {
      const before = queryClient.getQueryData(queryKey)
      queryClient.setQueryData(queryKey, (data) => data && withEdits(data, edits))
      return before
    },
    onError: (error, _, before) => {
      queryClient.setQueryData(queryKey, before)
      tellFailure(error)
    },
    onSuccess: (_, edits) => {
      const isKeyChanged = edits.some(({ column }) => column.isKey)
      tellDone(
        `${counted(edits.length, 'value')} saved.`,
        // The row's key changed.
        isKeyChanged ? undefined : () => save.mutate(edits.map((one) => ({ ...one, ...reversed(one) }))),
      )
    },
    onSettled,
  })
  const setColumn = useMutation({
    mutationFn: (change: ColumnChange) => changeColumn(relation, change, as),
    onSuccess: (_, { column, rows }) =>
      tellDone(`${column.name} of ${counted(rows.length, 'row')} changed.`, () =>
        setColumn.mutate(
          { column, rows: rows.map((one) => ({ ...one, ...reversed(one) })) },
          { onError: (error) => tellFailure(error) },
        ),
      ),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: ({ rows, snapshot }: { rows: readonly Row[]; snapshot: boolean }) =>
      deleteRows(
        relation,
        rows.map(({ cells }) => keyOf(relation, cells)),
        { as, snapshot },
      ),
    onSuccess: (_, { rows }) => tellDone(`${counted(rows.length, 'row')} deleted.`),
    onSettled,
  })
  return { save, setColumn, remove }
}

const reversed = ({ before, value }: { readonly before: Cell; readonly value: Cell }) => ({
  before: value,
  value: before,
})

/** Returns the pages with the edits applied. */
function withEdits(data: RowPages, edits: readonly Edit[]): RowPages {
  let first = 0
  return {
    ...data,
    pages: data.pages.map((page) => {
      const from = first
      first += page.rows.length
      const here = edits.filter(({ row }) => row >= from && row < first)
      if (here.length === 0) return page
      const rows = [...page.rows]
      for (const { row, index, value } of here) {
        const before = rows[row - from]
        if (before) rows[row - from] = { ...before, cells: before.cells.with(index, value) }
      }
      return { ...page, rows }
    }),
  }
}
