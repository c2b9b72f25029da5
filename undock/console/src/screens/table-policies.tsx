import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Eye, SearchX } from 'lucide-react'
import { PageLink } from '../components/link.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { type RelationDetail, relationQuery } from '../features/catalog.ts'
import { PolicyEditor } from '../features/policies/policy-editor.tsx'
import { PolicyList } from '../features/policies/policy-list.tsx'

const route = getRouteApi('/policies/$schema/$name')

export function TablePolicies() {
  const { schema, name } = route.useParams()
  const { data: relation, error, refetch } = useQuery(relationQuery(schema, name))
  return (
    <Page
      title={`Policies of ${schema}.${name}`}
      actions={
        <>
          <PageLink to="/tables/$schema/$name" params={{ schema, name }}>
            Rows
          </PageLink>
          <PageLink to="/policies/explain" search={{ as: 'anon', action: 'select', target: `${schema}.${name}` }}>
            Explain access
          </PageLink>
          <PageLink to="/policies">All policies</PageLink>
        </>
      }
    >
      {relation ? (
        <Content relation={relation} />
      ) : relation === null ? (
        <Empty icon={SearchX} title={`There is no table ${schema}.${name}`}>
          It may have been renamed or dropped.
        </Empty>
      ) : (
        <Pending error={error} onRetry={refetch} />
      )}
    </Page>
  )
}

function Content({ relation }: { relation: RelationDetail }) {
  const { policy: chosen, new: isNew, bucket, command, role } = route.useSearch()
  const navigate = route.useNavigate()
  if (relation.kind !== 'r' && relation.kind !== 'p')
    return (
      <Empty icon={Eye} title="A view has no policies">
        With security_invoker = true, the policies of the tables that it reads count for the caller; without it, those
        for the view's owner.
      </Empty>
    )
  const policy = relation.policies.find(({ name }) => name === chosen)
  if (chosen !== undefined && !policy)
    return (
      <Empty icon={SearchX} title={`The table has no policy “${chosen}”`}>
        It may have been renamed or dropped.
      </Empty>
    )
  return (
    <div className="mx-auto grid max-w-5xl p-4">
      {policy || isNew ? (
        <PolicyEditor
          key={chosen}
          relation={relation}
          policy={policy ?? null}
          bucket={bucket}
          command={command}
          role={role}
          onDone={() => void navigate({ search: { bucket } })}
        />
      ) : (
        <PolicyList relation={relation} />
      )}
    </div>
  )
}
