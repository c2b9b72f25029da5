import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { showFailure } from '../../domain/failure-toast.ts'
import { valuesOf, withValue } from '../../domain/fields.ts'
import { FieldCell } from '../../features/fields/field-cell.tsx'
import { setFieldValue } from '../../features/fields/mutations.ts'
import { fieldsQuery } from '../../features/fields/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'
import { documentQuery, type OpenDocument } from '../../features/reader/queries.ts'
import { Fact } from './fact.tsx'

type FieldFactsProps = {
  library: string
  collection: string
  document: OpenDocument
  canEdit: boolean
}

export function FieldFacts({ library, collection, document, canEdit }: FieldFactsProps) {
  const queryClient = useQueryClient()
  const { data: members = [] } = useQuery(membersQuery(library))
  const people = members.map(({ user_id, profile }) => ({ id: user_id, name: profile.display_name }))
  const { data: fields = [] } = useQuery(fieldsQuery(library, collection))
  const { queryKey } = documentQuery(library, document.id)
  const setting = useMutation({
    ...setFieldValue,
    // Serialized, so that the last value wins.
    scope: { id: `fields of ${library}` },
    onMutate: async ({ field, value }) => {
      await queryClient.cancelQueries({ queryKey })
      const before = queryClient.getQueryData(queryKey)
      queryClient.setQueryData(queryKey, (now) => now && { ...now, values: withValue(now.values, field, value) })
      return before
    },
    onError: (error, _change, before) => {
      queryClient.setQueryData(queryKey, before)
      showFailure(error)
    },
  })
  return fields.map((field) => {
    const values = valuesOf(document.values, field.id)
    // Readers see existing values, editors also missing ones.
    return values.length > 0 || canEdit ? (
      <Fact key={field.id} name={field.name}>
        <FieldCell
          field={field}
          values={values}
          people={people}
          title={document.title}
          canEdit={canEdit}
          onSet={(value) => setting.mutate({ library, documents: [document.id], field, value })}
        />
      </Fact>
    ) : null
  })
}
