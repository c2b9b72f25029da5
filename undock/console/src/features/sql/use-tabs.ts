import { useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { tellFailure } from '../../components/toast.tsx'
import { Chart } from './chart.ts'
import type { Snippet } from './snippets.ts'

/** A script that is open.
 *  @property edition Grows when another text takes the place of the one in the editor.
 *  @property changes Statements that have changed the schema, and that no migration has.
 *  @property snippet The file that it was read from or saved as, in the version of that moment. */
const Tab = z.object({
  id: z.string(),
  name: z.string(),
  text: z.string(),
  edition: z._default(z.number(), 0),
  snippet: z.optional(z.object({ name: z.string(), version: z.string(), isChanged: z.boolean() })),
  changes: z.catch(z.optional(z.array(z.string())), undefined),
  chart: z.catch(z.optional(Chart), undefined),
})
export type Tab = z.infer<typeof Tab>

const Tabs = z.array(Tab).check(z.minLength(1))

const KEY = 'undock-scripts'

const newTab = (tabs: readonly Tab[]): Tab => {
  const taken = new Set(tabs.map(({ name }) => name))
  let number = 1
  while (taken.has(`Script ${number}`)) number += 1
  return { id: crypto.randomUUID(), name: `Script ${number}`, text: '', edition: 0, chart: undefined }
}

/** What a tab is after it was read from a file, or saved as one. */
export const asSnippet = ({ name, version }: Snippet, isChanged = false): Pick<Tab, 'name' | 'snippet'> => ({
  name: name.slice(name.lastIndexOf('/') + 1),
  snippet: { name, version, isChanged },
})

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
  const [tabs, setTabs] = useState(load)
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
    /** Opens a snippet in a tab of its own, unless one has it. */
    openSnippet: (snippet: Snippet) =>
      setTabs((all) =>
        all.some((one) => one.snippet?.name === snippet.name)
          ? all
          : [...all, { ...newTab(all), ...asSnippet(snippet), text: snippet.text }],
      ),
    /** Puts the text of a file in the place of a tab's own. */
    take: (id: string, snippet: Snippet) =>
      change(id, ({ edition }) => ({ ...asSnippet(snippet), text: snippet.text, edition: edition + 1 })),
    write: (id: string, text: string) =>
      change(id, ({ snippet }) => ({ text, ...(snippet && { snippet: { ...snippet, isChanged: true } }) })),
    /** @returns the tab that takes its place. */
    close(id: string): Tab {
      const at = tabs.findIndex((one) => one.id === id)
      const rest = tabs.filter((one) => one.id !== id)
      const next = rest[at] ?? rest.at(-1) ?? newTab([])
      setTabs(rest.length > 0 ? rest : [next])
      return next
    },
  }
}
