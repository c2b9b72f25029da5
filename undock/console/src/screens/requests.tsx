import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Activity, FileClock, FolderOpen, Save, X } from 'lucide-react'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { matches, summaryOf } from '../../../src/timeline/records.ts'
import { Button, FollowButton, IconButton } from '../components/button.tsx'
import { Checkbox, Select } from '../components/field.tsx'
import { FilterBar, SearchFilter, SelectFilter } from '../components/filters.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { tellFailure } from '../components/toast.tsx'
import {
  type RequestFilter,
  type RequestSummary,
  readAllRequests,
  useLiveRequests,
} from '../features/requests/queries.ts'
import {
  flatRequests,
  type OpenFile,
  openFileKey,
  openFileQuery,
  parseRequestFile,
  saveRequests,
} from '../features/requests/request-file.ts'
import { RequestList } from '../features/requests/request-list.tsx'
import { projectQuery, queryClient } from '../lib/api.ts'
import { counted } from '../lib/format.ts'
import { useSearchChange, useTextFilter } from '../lib/state.ts'

const route = getRouteApi('/requests')

const SLOW = [50, 100, 500, 1_000]

export function Requests() {
  const { source } = route.useSearch()
  return source === 'file' ? <SavedRequests /> : <LiveRequests />
}

function useFilter(): RequestFilter {
  const { failed, slow, service } = route.useSearch()
  return useMemo(() => ({ failed, slow, service }), [failed, slow, service])
}

function LiveRequests() {
  const filter = useFilter()
  const [isFollowing, setIsFollowing] = useState(true)
  const { requests, error, isLive, refetch } = useLiveRequests(filter, isFollowing)
  return (
    <Page
      title="Requests"
      subtitle={isFollowing ? (isLive ? 'live' : null) : 'paused'}
      actions={
        <>
          <FollowButton isFollowing={isFollowing} onClick={() => setIsFollowing(!isFollowing)} />
          <SaveButtons />
          <OpenButton />
        </>
      }
    >
      {requests ? (
        <RequestTable
          requests={requests}
          source={undefined}
          empty={
            <Empty icon={Activity} title="No request has arrived yet">
              Each request to the API appears here as it is answered, with the SQL, the emails and the calls that it
              caused. Send one from your app.
            </Empty>
          }
        />
      ) : (
        <Pending error={error} onRetry={refetch} />
      )}
    </Page>
  )
}

function SavedRequests() {
  const { data: file } = useQuery(openFileQuery)
  const filter = useFilter()
  const navigate = route.useNavigate()
  const requests = useMemo(
    () =>
      flatRequests(file?.requests ?? [])
        .filter((one) => matches(one, filter))
        .map(summaryOf)
        .sort((a, b) => b.time.localeCompare(a.time)),
    [file, filter],
  )
  return (
    <Page
      title="Requests"
      subtitle={file ? `of ${file.name}` : null}
      actions={
        <>
          <OpenButton />
          <IconButton icon={X} label="Close the file" onClick={() => void navigate({ search: {} })} />
        </>
      }
    >
      {file ? (
        <RequestTable
          requests={requests}
          source="file"
          empty={
            <Empty icon={FileClock} title="This file has no requests">
              It was saved before one arrived.
            </Empty>
          }
        />
      ) : (
        <Empty icon={FileClock} title="No file is open">
          This page forgets an opened file when it is loaded again. Open the file once more.
        </Empty>
      )}
    </Page>
  )
}

type RequestTableProps = { requests: readonly RequestSummary[]; source: 'file' | undefined; empty: ReactNode }

/** The requests that contain the text, below the filters. */
function RequestTable({ requests, source, empty }: RequestTableProps) {
  const search = route.useSearch()
  const isFound = useTextFilter(search.text)
  const shown = useMemo(
    () =>
      requests.filter(({ method, path, id, status, caller }) =>
        isFound(`${method} ${path} ${status} ${id} ${caller?.role} ${caller?.claims.sub}`),
      ),
    [requests, isFound],
  )
  const isFiltered = Boolean(search.text || search.failed || search.slow || search.service)
  return (
    <div className="flex h-full flex-col">
      <Filters count={shown.length} />
      <div className="min-h-0 flex-1">
        {shown.length > 0 ? (
          <RequestList requests={shown} source={source} />
        ) : isFiltered ? (
          <Empty icon={Activity} title="No matching requests">
            None of the recorded requests matches all filters.
          </Empty>
        ) : (
          empty
        )}
      </div>
    </div>
  )
}

function Filters({ count }: { count: number }) {
  const { failed, slow, service } = route.useSearch()
  const { data: project } = useQuery(projectQuery)
  const change = useSearchChange()
  return (
    <FilterBar found={counted(count, 'request')}>
      <SearchFilter label="Search requests" placeholder="Path, status, user, id" />
      <Checkbox
        label="Failed"
        checked={failed === true}
        onChecked={(isChecked) => change({ failed: isChecked || undefined })}
      />
      <Select
        aria-label="Duration"
        className="w-auto!"
        value={slow ?? ''}
        onValue={(value) => change({ slow: Number(value) || undefined })}
        none="Any duration"
        options={SLOW.map((one) => [one, `${one} ms and longer`])}
      />
      <SelectFilter
        name="service"
        label="Service"
        none="All services"
        options={[...new Set([...(project?.services ?? []), ...(service ? [service] : [])])]}
      />
    </FilterBar>
  )
}

function SaveButtons() {
  const { data: project } = useQuery(projectQuery)
  const save = (format: 'undock' | 'har') =>
    readAllRequests()
      .then((all) => saveRequests(all, format, project?.urls.api ?? ''))
      .catch(tellFailure)
  return (
    <>
      <Button icon={Save} look="quiet" onClick={() => void save('undock')} title="A file that this console opens again">
        Save
      </Button>
      <Button
        icon={Save}
        look="quiet"
        onClick={() => void save('har')}
        title="An HTTP Archive, for the developer tools of a browser"
      >
        Save as HAR
      </Button>
    </>
  )
}

/** Opens a file of saved requests, such as one attached to a failed test. */
function OpenButton() {
  const input = useRef<HTMLInputElement>(null)
  const navigate = route.useNavigate()
  const open = async (file: File) => {
    try {
      queryClient.setQueryData<OpenFile>(openFileKey, {
        name: file.name,
        requests: parseRequestFile(await file.text()),
      })
      await navigate({ search: { source: 'file' } })
    } catch (error) {
      tellFailure(error)
    }
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        aria-label="File of saved requests"
        tabIndex={-1}
        className="sr-only"
        onChange={({ target }) => {
          const [file] = target.files ?? []
          // Allows choosing the same file again.
          target.value = ''
          if (file) void open(file)
        }}
      />
      <Button icon={FolderOpen} look="quiet" onClick={() => input.current?.click()}>
        Open a file
      </Button>
    </>
  )
}
