import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import clsx from 'clsx'
import { PanelLeft, Plus, X } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import * as z from 'zod/mini'
import { IconButton } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Page } from '../components/page.tsx'
import { SplitPane } from '../components/split-pane.tsx'
import { Pending } from '../components/states.tsx'
import { tellFailure } from '../components/toast.tsx'
import { Script } from '../features/sql/script.tsx'
import { SnippetFiles } from '../features/sql/snippet-list.tsx'
import { type Snippet, snippetQuery } from '../features/sql/snippets.ts'
import { closed, newTab, renamed, Tab, taken, withSnippet, written } from '../features/sql/tabs.ts'
import { api, queryClient } from '../lib/api.ts'
import { useStored } from '../lib/state.ts'

const route = getRouteApi('/sql')

/** Scripts in tabs, next to the project's snippets. The address names the snippet or, for a script without a file, the tab. */
export function SqlScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
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
            icon={PanelLeft}
            label="Snippets"
            aria-pressed={list === 'shown'}
            className="max-md:hidden"
            onClick={() => setList(list === 'shown' ? 'hidden' : 'shown')}
          />
        </>
      }
    >
      <SplitPane
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
      </SplitPane>
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

/** Opens the address' snippet in a tab. */
function Opening({ name, onOpened }: { name: string; onOpened: (snippet: Snippet) => void }) {
  const { data, error, refetch } = useQuery({ ...snippetQuery(name), staleTime: 0 })
  const opened = useEffectEvent(onOpened)
  useEffect(() => {
    if (data) opened(data)
  }, [data])
  return <Pending error={error} onRetry={refetch} />
}

type TabStripProps = {
  tabs: readonly Tab[]
  current: Tab | undefined
  onShow: (tab: Tab) => void
  onClose: (tab: Tab) => void
  onOpen: () => void
}

/** The open scripts. A dot marks unsaved ones. */
function TabStrip({ tabs, current, onShow, onClose, onOpen }: TabStripProps) {
  return (
    <nav aria-label="Open scripts" className="flex max-w-full gap-1 overflow-auto">
      {tabs.map((tab) => (
        <div
          key={tab.id}
          className={clsx('flex items-center rounded-md', tab === current ? 'bg-accent-soft' : 'hover:bg-panel')}
        >
          <button
            type="button"
            aria-current={tab === current ? 'page' : undefined}
            title={tab.snippet && `supabase/snippets/${tab.snippet.name}.sql`}
            onClick={() => onShow(tab)}
            className="flex max-w-44 items-center gap-1.5 py-1.5 pl-2.5 text-[13px]"
          >
            <span className="truncate">{tab.name}</span>
            {tab.snippet?.isChanged ? (
              <span title="Not saved" className="size-1.5 shrink-0 rounded-full bg-warn">
                <span className="sr-only">not saved</span>
              </span>
            ) : null}
          </button>
          <IconButton icon={X} label={`Close ${tab.name}`} className="size-6!" onClick={() => onClose(tab)} />
        </div>
      ))}
      <IconButton icon={Plus} label="New script" onClick={onOpen} />
    </nav>
  )
}

const Tabs = z.array(Tab).check(z.minLength(1))

const KEY = 'undock-scripts'

function load(): Tab[] {
  try {
    return Tabs.parse(JSON.parse(localStorage.getItem(KEY) ?? ''))
  } catch {
    return [newTab([])]
  }
}

let isToldOfSize = false

function keep(tabs: readonly Tab[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(tabs))
  } catch {
    if (!isToldOfSize) tellFailure('The open scripts are too large to be kept in this browser: save them as snippets.')
    isToldOfSize = true
  }
}

/** The open scripts, kept in this browser. */
function useTabs() {
  const [tabs, setTabs] = useState<readonly Tab[]>(load)
  useEffect(() => keep(tabs), [tabs])
  const change = (id: string, next: (tab: Tab) => Partial<Tab>) =>
    setTabs((all) => all.map((one) => (one.id === id ? { ...one, ...next(one) } : one)))
  return {
    tabs,
    change,
    /** @returns the id of the new tab. */
    open(): string {
      const tab = newTab(tabs)
      setTabs((all) => [...all, tab])
      return tab.id
    },
    openSnippet: (snippet: Snippet) => setTabs((all) => withSnippet(all, snippet)),
    take: (id: string, snippet: Snippet) => change(id, (tab) => taken(tab, snippet)),
    write: (id: string, text: string) => change(id, (tab) => written(tab, text)),
    rename: (id: string, name: string) => change(id, (tab) => renamed(tab, name)),
    /** @returns the tab to show instead. */
    close(id: string): Tab {
      const { tabs: left, next } = closed(tabs, id)
      setTabs(left)
      return next
    },
  }
}
