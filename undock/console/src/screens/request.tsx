import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft, ScrollText, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { ButtonLink, TextLink } from '../components/link.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { tellDone } from '../components/toast.tsx'
import { ExplainAccess } from '../features/requests/explain-access.tsx'
import { type RequestTree, requestQuery } from '../features/requests/queries.ts'
import { asClientCall, asCurl } from '../features/requests/request-code.ts'
import { flatRequests, openFileQuery } from '../features/requests/request-file.ts'
import { Status } from '../features/requests/request-list.tsx'
import { Waterfall } from '../features/requests/waterfall.tsx'
import { ApiError, projectQuery } from '../lib/api.ts'
import { duration, time } from '../lib/format.ts'

const route = getRouteApi('/requests/$id')

/** Services whose requests are decided by grants and policies. */
const EXPLAINED = ['rest', 'storage', 'realtime']

export function RequestScreen() {
  const { id } = route.useParams()
  const { source } = route.useSearch()
  const live = useQuery({ ...requestQuery(id), enabled: source !== 'file' })
  const { data: file } = useQuery(openFileQuery)
  const saved =
    source === 'file' ? (flatRequests(file?.requests ?? []).find((one) => one.id === id) ?? null) : undefined
  const request = source === 'file' ? saved : live.data
  if (request) return <RequestDetails key={request.id} request={request} source={source} />
  if (request === null || (live.error instanceof ApiError && live.error.status === 404))
    return (
      <Empty
        icon={SearchX}
        title="This request is not kept"
        action={
          <TextLink to="/requests" search={{ source }}>
            All requests
          </TextLink>
        }
      >
        {source === 'file'
          ? 'The file that is open does not have it, or no file is open.'
          : 'Only the last requests are kept, until the backend stops.'}
      </Empty>
    )
  return <Pending error={live.error} onRetry={live.refetch} />
}

function RequestDetails({ request, source }: { request: RequestTree; source: 'file' | undefined }) {
  const { id, method, path, status, service, caller, headers, parent } = request
  const { data: project } = useQuery(projectQuery)
  const clientCall = asClientCall(request)
  const copy = (what: string, text: string) =>
    void navigator.clipboard.writeText(text).then(() => tellDone(`Copied as ${what}.`))
  const isHere = source !== 'file'
  return (
    <Page
      title={`${method} ${path.split('?')[0]}`}
      subtitle={
        <>
          <Status status={status} /> after {duration(request.duration)}, {time(request.time)}
        </>
      }
      actions={
        <>
          <ButtonLink icon={ArrowLeft} to="/requests" search={{ source }}>
            All requests
          </ButtonLink>
          <Button
            look="quiet"
            onClick={() => copy('curl', asCurl(request, project?.urls.api ?? '', project?.keys.publishable ?? ''))}
          >
            Copy as curl
          </Button>
          {clientCall === null ? null : (
            <Button look="quiet" onClick={() => copy('supabase-js', clientCall)}>
              Copy as supabase-js
            </Button>
          )}
          {isHere ? (
            <ButtonLink icon={ScrollText} to="/logs" search={{ request: id }}>
              Logs
            </ButtonLink>
          ) : null}
        </>
      }
    >
      <div className="mx-auto grid max-w-6xl gap-6 p-4">
        <Waterfall request={request} source={source} />
        {isHere && EXPLAINED.includes(request.service) ? <ExplainAccess request={request} /> : null}
        <div className="grid gap-6 lg:grid-cols-2">
          <Part title="Request">
            <Value name="Path">{path}</Value>
            <Value name="Service">{service}</Value>
            <Value name="Id">
              {id}
              <CopyButton text={id} label="Copy the id" />
            </Value>
            <Value name="Trace">{request.traceId}</Value>
            {parent === null ? null : (
              <Value name="Caused by">
                <Link
                  to="/requests/$id"
                  params={{ id: parent }}
                  search={{ source }}
                  className="text-accent hover:underline"
                >
                  {parent}
                </Link>
              </Value>
            )}
            {Object.entries(headers).map(([name, value]) => (
              <Value key={name} name={name}>
                {value}
              </Value>
            ))}
          </Part>
          <Part title="Caller">
            {caller ? (
              <>
                <Value name="Role">{caller.role}</Value>
                {Object.entries(caller.claims).map(([name, value]) => (
                  <Value key={name} name={name}>
                    {typeof value === 'object' ? JSON.stringify(value) : String(value)}
                  </Value>
                ))}
              </>
            ) : (
              <p className="px-3 py-2 text-ink-soft">
                Unknown: the response was sent before the caller was checked, or the route is public.
              </p>
            )}
          </Part>
        </div>
      </div>
    </Page>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h2 className="mb-2 font-semibold">{title}</h2>
    <dl className="divide-y rounded-lg border bg-raised text-[13px]">{children}</dl>
  </section>
)

const Value = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex items-center gap-3 px-3 py-1.5">
    <dt className="w-28 shrink-0 truncate text-ink-soft">{name}</dt>
    <dd className="flex min-w-0 flex-1 items-center gap-1 break-all font-mono text-xs">{children}</dd>
  </div>
)
