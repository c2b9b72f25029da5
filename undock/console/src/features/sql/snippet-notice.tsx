import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { Button } from '../../components/button.tsx'
import { ApiError } from '../../lib/api.ts'
import { type Snippet, snippetQuery } from './snippets.ts'
import type { Tab } from './tabs.ts'

type SnippetNoticeProps = {
  snippet: NonNullable<Tab['snippet']>
  onTake: (snippet: Snippet) => void
  /** Writes the tab's text over the version; null makes the file again. */
  onSave: (version: string | null) => void
  onDetach: () => void
}

/** Says that another program has changed the file of a tab. A tab without changes of its own takes the new text by itself. */
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
