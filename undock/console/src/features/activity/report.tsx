import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Database } from 'lucide-react'
import type { ReactNode } from 'react'
import { Input } from '../../components/field.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import { count } from '../../lib/format.ts'
import { activityKey, maintain } from './queries.ts'

const route = getRouteApi('/database')

type ReportProps<Row> = {
  title: string
  query: { readonly data: readonly Row[] | undefined; readonly error: Error | null; readonly refetch: () => unknown }
  /** The searchable text of a row. */
  textOf: (row: Row) => string
  actions?: ReactNode
  none: string
  children: (rows: readonly Row[]) => ReactNode
}

/** A list with a search, in each of its states. */
export function Report<Row>({ title, query, textOf, actions, none, children }: ReportProps<Row>) {
  const { text = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, refetch } = query
  const wanted = text.trim().toLowerCase()
  const shown = data?.filter((row) => textOf(row).toLowerCase().includes(wanted))
  return (
    <Page
      title={title}
      subtitle={shown ? count(shown.length) : null}
      actions={
        <>
          <Input
            type="search"
            aria-label={`Search ${title.toLowerCase()}`}
            placeholder="Search"
            className="max-w-56"
            value={text}
            onChange={({ target }) =>
              void navigate({ search: (before) => ({ ...before, text: target.value || undefined }), replace: true })
            }
          />
          {actions}
        </>
      }
    >
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {shown === undefined ? (
        error ? null : (
          <Loading />
        )
      ) : shown.length === 0 ? (
        <Empty icon={Database} title={wanted ? 'None has this text' : none} />
      ) : (
        children(shown)
      )}
    </Page>
  )
}

/** Runs maintenance and reports the result. */
export function useMaintenance() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ verb, of }: { verb: Parameters<typeof maintain>[0]; of: { schema: string; name: string } }) =>
      maintain(verb, of),
    onSuccess: async (_, { verb, of }) => {
      await queryClient.invalidateQueries({ queryKey: activityKey })
      tellDone(`${verb.split(' ')[0]} of ${of.schema}.${of.name} is done.`)
    },
    onError: tellFailure,
  })
}

/** A share from 0 to 1. */
export const percent = (part: number | null): string => (part === null ? '–' : `${Math.round(100 * part)} %`)
