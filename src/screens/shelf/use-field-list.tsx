import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { showFailure, useAction } from '../../domain/failure-toast.ts'
import type { Person } from '../../domain/field-conditions.ts'
import { type Field, type FieldInput, valuesOf, withValue } from '../../domain/fields.ts'
import type { Card } from '../../features/documents/card.ts'
import { type Column, factColumns } from '../../features/documents/shelf/fact-columns.tsx'
import { type Columns, resizedColumn, shownColumns } from '../../features/fields/columns.ts'
import { type FieldChange, saveView, setFieldValue } from '../../features/fields/mutations.ts'
import { fieldsQuery, viewQuery } from '../../features/fields/queries.ts'

const FieldCell = lazy(() => import('../../features/fields/field-cell.tsx').then((it) => ({ default: it.FieldCell })))

const FEW_FACTS = ['kind', 'size', 'added']

export type FieldList = {
  /** The open collection's; empty for all documents. */
  fields: readonly Field[]
  columns: readonly Column[]
  /** Available and shown columns; undefined where they can't be chosen. */
  view: { available: readonly Column[]; shown: Columns } | undefined
  setView: (columns: Columns | undefined) => void
  resize: (column: string, width: number) => void
  /** @returns whether it was saved; a failure has been shown. */
  setField: (documents: readonly string[], field: Field, value: FieldInput) => Promise<boolean>
  /** Applies values that are being saved. */
  withPending: (documents: readonly Card[]) => readonly Card[]
}

type FieldListOptions = {
  library: string
  collection: string | undefined
  collectionNames: ReadonlyMap<string, string>
  people: readonly Person[]
  canEdit: boolean
}

const NO_FIELDS: readonly Field[] = []
const NOTHING: readonly FieldChange[] = []

/** An open collection's fields and columns. Pending values are layered over fetched data until they are saved, so
 *  neither the response to an earlier change nor its failure reverts a later one. */
export function useFieldList({ library, collection, collectionNames, people, canEdit }: FieldListOptions): FieldList {
  const queryClient = useQueryClient()
  const isOpen = { enabled: collection !== undefined }
  const { data: fields = NO_FIELDS } = useQuery({ ...fieldsQuery(library, collection ?? ''), ...isOpen })
  const { data: chosen } = useQuery({ ...viewQuery(library, collection ?? ''), ...isOpen })
  const [pending, setPending] = useState(NOTHING)
  const { mutateAsync: set } = useMutation({
    ...setFieldValue,
    // Serialized, so that the last value wins.
    scope: { id: `fields of ${library}` },
    onMutate: (change) => setPending((before) => [...before, change]),
    onSettled: (_answer, _error, change) => setPending((before) => before.filter((one) => one !== change)),
    onError: showFailure,
  })
  const { mutate: keep } = useAction(saveView)

  return useMemo(() => {
    const setField: FieldList['setField'] = (documents, field, value) =>
      set({ library, documents, field, value }).then(
        () => true,
        () => false,
      )
    const withPending: FieldList['withPending'] = (documents) =>
      pending.reduce(
        (cards, { documents: changed, field, value }) =>
          cards.map((card) =>
            changed.includes(card.id) ? { ...card, values: withValue(card.values, field, value) } : card,
          ),
        documents,
      )
    const facts = factColumns(collectionNames, Boolean(chosen))
    if (collection === undefined) {
      const nothing = () => undefined
      return {
        fields: NO_FIELDS,
        columns: facts,
        view: undefined,
        setView: nothing,
        resize: nothing,
        setField,
        withPending,
      }
    }
    const available: Column[] = [
      ...fields.map((field) => ({
        column: field.id,
        label: field.name,
        className: 'max-w-64 min-w-32 text-ink-soft',
        isSortable: true,
        cell: (document: Parameters<Column['cell']>[0]) => (
          <Suspense fallback={null}>
            <FieldCell
              field={field}
              values={valuesOf(document.values, field.id)}
              people={people}
              title={document.title}
              canEdit={canEdit}
              onSet={(value) => void setField([document.id], field, value)}
            />
          </Suspense>
        ),
      })),
      ...facts,
    ]
    const names = available.map(({ column }) => column)
    const shown = shownColumns(
      chosen ??
        (fields.length > 0 ? [...fields.map(({ id }) => id), ...FEW_FACTS].map((column) => ({ column })) : null),
      names,
    )
    const setView = (columns: Columns | undefined) => {
      queryClient.setQueryData(viewQuery(library, collection).queryKey, columns ?? null)
      keep({ library, collection, columns })
    }
    return {
      fields,
      columns: shown.flatMap(({ column, width }) => {
        const one = available.find((each) => each.column === column)
        return one ? [{ ...one, width }] : []
      }),
      view: { available, shown },
      setView,
      resize: (column, width) => setView(resizedColumn(shown, column, width)),
      setField,
      withPending,
    }
  }, [library, collection, collectionNames, people, canEdit, fields, chosen, pending, set, keep, queryClient])
}
