import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { Button } from '../../components/button.tsx'
import { ApiError } from '../../lib/api.ts'
import { type Snippet, snippetQuery } from './snippets.ts'
import type { Tab } from './tabs.ts'

type SnippetNoticeProps = {
  snippet: NonNullable<Tab['snippet']>
  onTake: (snippet: Snippet) => void
  /** Overwrites the version with the tab's text; null creates the file again. */
  onSave: (version: string | null) => void
  onDetach: () => void
}

/** Reports that another program changed a tab's file. A tab without unsaved changes reloads by itself. */
export function SnippetNotice({ snippet, onTake, onSave, onDetach }: SnippetNoticeProps) {
  const file = `supabase/snippets/${snippet.name}.sql`
  const { data, error } = useQuery(snippetQuery(snippet.name))
  const isGone = error instanceof ApiError && error.status === 404
  const isOther = data !== undefined && data.version !== snippet.version
  const follow = useEffectEvent(() => {
    if (data && isOther) onTake(data)
  })
  useEffect(() => {
    if (isOther && !snippet.isChanged) follow()
  }, [isOther, snippet.isChanged])
  if (isGone)
    return (
      <Notice text={`${file} was deleted or renamed by another program.`}>
        <Button onClick={() => onSave(null)}>Save it again</Button>
        <Button onClick={onDetach}>Keep the text without the file</Button>
      </Notice>
    )
  if (!data || !isOther || !snippet.isChanged) return null
  return (
    <Notice text={`${file} was changed by another program.`}>
      <Button onClick={() => onTake(data)}>Take the file’s text</Button>
      <Button onClick={() => onSave(data.version)}>Overwrite the file</Button>
    </Notice>
  )
}

function Notice({ text, children }: { text: string; children: React.ReactNode }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-2 border-b bg-warn-soft px-3 py-1.5 text-[13px]">
      <p className="min-w-0 flex-1 break-words text-warn">{text}</p>
      {children}
    </div>
  )
}
