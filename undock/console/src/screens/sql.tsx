import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import clsx from 'clsx'
import { PanelLeft } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { Beside } from '../components/beside.tsx'
import { IconButton } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Page } from '../components/page.tsx'
import { Failure, Loading } from '../components/states.tsx'
import { Script } from '../features/sql/script.tsx'
import { SnippetFiles } from '../features/sql/snippet-list.tsx'
import { type Snippet, snippetQuery } from '../features/sql/snippets.ts'
import { TabStrip } from '../features/sql/tab-strip.tsx'
import type { Tab } from '../features/sql/tabs.ts'
import { useTabs } from '../features/sql/use-tabs.ts'
import { api } from '../lib/api.ts'
import { useStored } from '../lib/use-stored.ts'

const route = getRouteApi('/sql')

/** Scripts in tabs, next to the project's snippets. The address names the snippet or, of a script without a file, the tab. */
export function SqlScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const queryClient = useQueryClient()
  const { tabs, change, open, openSnippet, take, write, rename, close } = useTabs()
  const [closing, setClosing] = useState<Tab>()
  const [list, setList] = useStored('undock-snippet-list', 'shown')
  const current =
    search.snippet === undefined
      ? (tabs.find(({ id }) => id === search.tab) ?? tabs[0])
      : tabs.find(({ snippet }) => snippet?.name === search.snippet)
  const show = ({ id, snippet }: Pick<Tab, 'id' | 'snippet'>) =>
    void navigate({ search: snippet ? { snippet: snippet.name } : { tab: id }, replace: true })
  const end = (tab: Tab) => {
    void api(`/tabs/${tab.id}`, { method: 'DELETE' }).catch(() => undefined)
    const next = close(tab.id)
    if (tab === current) show(next)
  }
  const tabOf = (name: string) => tabs.find(({ snippet }) => snippet?.name === name)
  return (
    <Page
      title="SQL"
      actions={
        <>
          <TabStrip
            tabs={tabs}
            current={current}
            onShow={show}
            onClose={(tab) => (tab.snippet?.isChanged ? setClosing(tab) : end(tab))}
            onOpen={() => show({ id: open(), snippet: undefined })}
          />
          <IconButton
            label="Snippets"
            aria-pressed={list === 'shown'}
            className="max-md:hidden"
            onClick={() => setList(list === 'shown' ? 'hidden' : 'shown')}
          >
            <PanelLeft aria-hidden />
          </IconButton>
        </>
      }
    >
      <Beside
        label="Snippets"
        className={clsx('w-52', list === 'hidden' && 'md:hidden')}
        side={
          <SnippetFiles
            current={current?.snippet?.name}
            onRenamed={(name, to) => {
              queryClient.removeQueries(snippetQuery(name))
              const tab = tabOf(name)
              if (!tab) return
              rename(tab.id, to)
              if (tab === current) void navigate({ search: { snippet: to }, replace: true })
            }}
            onRemoved={(name) => {
              queryClient.removeQueries(snippetQuery(name))
              const tab = tabOf(name)
              if (!tab) return
              change(tab.id, () => ({ snippet: undefined }))
              if (tab === current) show({ id: tab.id, snippet: undefined })
            }}
          />
        }
      >
        {current ? (
          <Script
            key={current.id}
            tab={current}
            onWrite={(text) => write(current.id, text)}
            onChange={(next) => change(current.id, next)}
            onTake={(snippet) => take(current.id, snippet)}
            onMoved={(name) =>
              void navigate({ search: name === undefined ? { tab: current.id } : { snippet: name }, replace: true })
            }
          />
        ) : (
          <Opening key={search.snippet} name={search.snippet ?? ''} onOpened={openSnippet} />
        )}
      </Beside>
      {closing ? (
        <Confirm
          title={`Close ${closing.name}`}
          action="Close without saving"
          run={async () => end(closing)}
          onClose={() => setClosing(undefined)}
        >
          The text of this tab was not saved to its file.
        </Confirm>
      ) : null}
    </Page>
  )
}

/** Reads a snippet that the address names and no tab has. */
function Opening({ name, onOpened }: { name: string; onOpened: (snippet: Snippet) => void }) {
  const { data, error, refetch } = useQuery({ ...snippetQuery(name), staleTime: 0 })
  const opened = useEffectEvent(onOpened)
  useEffect(() => {
    if (data) opened(data)
  }, [data])
  return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />
}
