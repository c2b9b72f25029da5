import * as z from 'zod/mini'
import { Chart } from './chart.ts'
import type { Snippet } from './snippets.ts'

/** An open script. @property edition Increases when the editor's text is replaced.
 *  @property changes Schema changes not yet in a migration. @property snippet The file and its version when last read or saved. */
export const Tab = z.object({
  id: z.string(),
  name: z.string(),
  text: z.string(),
  edition: z._default(z.number(), 0),
  snippet: z.optional(z.object({ name: z.string(), version: z.string(), isChanged: z.boolean() })),
  changes: z.catch(z.optional(z.array(z.string())), undefined),
  chart: z.catch(z.optional(Chart), undefined),
})
export type Tab = z.infer<typeof Tab>

/** An empty script with the first unused number. */
export function newTab(tabs: readonly Tab[]): Tab {
  const taken = new Set(tabs.map(({ name }) => name))
  let number = 1
  while (taken.has(`Script ${number}`)) number += 1
  return { id: crypto.randomUUID(), name: `Script ${number}`, text: '', edition: 0, chart: undefined }
}

/** A tab after it was read from or saved to a file. */
export const asSnippet = ({ name, version }: Snippet, isChanged = false): Pick<Tab, 'name' | 'snippet'> => ({
  name: nameInFolder(name),
  snippet: { name, version, isChanged },
})

const nameInFolder = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

/** Adds a tab for a snippet unless it's open. */
export const withSnippet = (tabs: readonly Tab[], snippet: Snippet): readonly Tab[] =>
  tabs.some((one) => one.snippet?.name === snippet.name)
    ? tabs
    : [...tabs, { ...newTab(tabs), ...asSnippet(snippet), text: snippet.text }]

/** A tab after an edit, so that its file is out of date. */
export const written = ({ snippet }: Tab, text: string): Partial<Tab> => ({
  text,
  ...(snippet && { snippet: { ...snippet, isChanged: true } }),
})

/** A tab with its text replaced by a file's. */
export const taken = ({ edition }: Tab, snippet: Snippet): Partial<Tab> => ({
  ...asSnippet(snippet),
  text: snippet.text,
  edition: edition + 1,
})

/** A tab after its file was renamed. */
export const renamed = ({ snippet }: Tab, name: string): Partial<Tab> => ({
  name: nameInFolder(name),
  snippet: snippet && { ...snippet, name },
})

/** Closes a tab, always leaving at least one. Returns the tabs, and the one to show instead. */
export function closed(tabs: readonly Tab[], id: string): { readonly tabs: readonly Tab[]; readonly next: Tab } {
  const at = tabs.findIndex((one) => one.id === id)
  const rest = tabs.filter((one) => one.id !== id)
  const next = rest[at] ?? rest.at(-1) ?? newTab([])
  return { tabs: rest.length > 0 ? rest : [next], next }
}
