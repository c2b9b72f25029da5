import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import { ApiError } from '../../lib/api.ts'
import { saveSnippet, snippetQuery, snippetsQuery } from './snippets.ts'
import { asSnippet, type Tab } from './tabs.ts'

type ScriptFile = {
  readonly tab: Tab
  readonly onChange: (next: (tab: Tab) => Partial<Tab>) => void
  /** The script has another file. */
  readonly onMoved: (name: string) => void
}

/** The file of a script: saved by a button or by the keys, as a new snippet when it has none. */
export function useScriptFile({ tab: { text, snippet }, onChange, onMoved }: ScriptFile) {
  const queryClient = useQueryClient()
  const [isNaming, setIsNaming] = useState(false)
  const write = async (name: string, version: string | null) => {
    const saved = await saveSnippet(name, text, version)
    // A look at the file that began before it was written would show the earlier text.
    await queryClient.cancelQueries(snippetQuery(name))
    queryClient.setQueryData(snippetQuery(name).queryKey, saved)
    onChange((now) => asSnippet(saved, now.text !== text))
    void queryClient.invalidateQueries({ queryKey: snippetsQuery.queryKey })
    if (name !== snippet?.name) onMoved(name)
    tellDone(`Saved as supabase/snippets/${name}.sql.`)
  }
  const overwrite = (version: string | null) => {
    if (!snippet) return
    void write(snippet.name, version).catch((error: unknown) => {
      // The notice says what happened to the file, and asks.
      if (error instanceof ApiError && error.status === 409)
        void queryClient.invalidateQueries(snippetQuery(snippet.name))
      else tellFailure(error)
    })
  }
  const save = () => (snippet ? overwrite(snippet.version) : setIsNaming(true))
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 's' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    if (!document.querySelector('dialog[open]')) save()
  })
  useEffect(() => {
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return {
    save,
    overwrite,
    /** Whether a person is asked for the name of a new snippet. */
    isNaming,
    saveAs: (name: string) => write(name, null),
    endNaming: () => setIsNaming(false),
  }
}
