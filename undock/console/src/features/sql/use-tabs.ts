import { useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { tellFailure } from '../../components/toast.tsx'
import type { Snippet } from './snippets.ts'
import { closed, newTab, renamed, Tab, taken, withSnippet, written } from './tabs.ts'

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

/** The open scripts, which this browser keeps. */
export function useTabs() {
  const [tabs, setTabs] = useState<readonly Tab[]>(load)
  useEffect(() => keep(tabs), [tabs])
  const change = (id: string, next: (tab: Tab) => Partial<Tab>) =>
    setTabs((all) => all.map((one) => (one.id === id ? { ...one, ...next(one) } : one)))
  return {
    tabs,
    change,
    /** @returns the id of the new tab. */
    open(): string {
      const made = newTab(tabs)
      setTabs((all) => [...all, made])
      return made.id
    },
    openSnippet: (snippet: Snippet) => setTabs((all) => withSnippet(all, snippet)),
    take: (id: string, snippet: Snippet) => change(id, (tab) => taken(tab, snippet)),
    write: (id: string, text: string) => change(id, (tab) => written(tab, text)),
    rename: (id: string, name: string) => change(id, (tab) => renamed(tab, name)),
    /** @returns the tab that takes its place. */
    close(id: string): Tab {
      const { tabs: left, next } = closed(tabs, id)
      setTabs(left)
      return next
    },
  }
}
