import { useState } from 'react'
import * as z from 'zod/mini'

const Tabs = z.array(z.object({ id: z.string(), name: z.string(), text: z.string() })).check(z.minLength(1))
type Tab = z.infer<typeof Tabs>[number]

const KEY = 'undock-scripts'

const newTab = (tabs: readonly Tab[]): Tab => {
  const taken = new Set(tabs.map(({ name }) => name))
  let number = 1
  while (taken.has(`Script ${number}`)) number += 1
  return { id: crypto.randomUUID(), name: `Script ${number}`, text: '' }
}

function load(): Tab[] {
  try {
    return Tabs.parse(JSON.parse(localStorage.getItem(KEY) ?? ''))
  } catch {
    return [newTab([])]
  }
}

/** The open scripts, which this browser keeps. */
export function useTabs() {
  const [tabs, setTabs] = useState(load)
  const change = (next: Tab[]) => {
    localStorage.setItem(KEY, JSON.stringify(next))
    setTabs(next)
  }
  return {
    tabs,
    /** @returns the id of the new tab. */
    open(): string {
      const made = newTab(tabs)
      change([...tabs, made])
      return made.id
    },
    write: (id: string, text: string) => change(tabs.map((one) => (one.id === id ? { ...one, text } : one))),
    /** @returns the id of the tab that takes its place. */
    close(id: string): string | undefined {
      const at = tabs.findIndex((one) => one.id === id)
      const rest = tabs.filter((one) => one.id !== id)
      const next = rest.length > 0 ? rest : [newTab([])]
      change(next)
      return (next[at] ?? next.at(-1))?.id
    },
  }
}
