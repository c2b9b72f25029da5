import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { SearchInput } from '../../components/field.tsx'
import { Pending } from '../../components/states.tsx'
import { refresh } from '../../lib/api.ts'
import { useTextFilter } from '../../lib/state.ts'
import { SnippetName } from './snippet-dialogs.tsx'
import { removeSnippet, renameSnippet, snippetsQuery } from './snippets.ts'

type SnippetAction = { readonly kind: 'rename' | 'delete'; readonly name: string }

type SnippetListProps = {
  /** The open snippet. */
  current: string | undefined
  onRenamed: (name: string, to: string) => void
  onRemoved: (name: string) => void
}

/** The files of supabase/snippets by folder. */
export function SnippetFiles({ current, onRenamed, onRemoved }: SnippetListProps) {
  const { data, error, refetch } = useQuery(snippetsQuery)
  const [text, setText] = useState('')
  const [action, setAction] = useState<SnippetAction>()
  const matches = (data?.snippets ?? []).map(({ name }) => name).filter(useTextFilter(text))
  const folders = [...Map.groupBy(matches, folderOf)].sort(([a], [b]) => Number(a === '') - Number(b === ''))
  const renew = () => refresh(snippetsQuery.queryKey)
  return (
    <>
      <div className="border-b p-2">
        <SearchInput label="Filter snippets" value={text} onValue={setText} />
      </div>
      <nav aria-label="Snippets" className="min-h-0 flex-1 overflow-auto p-1">
        {data && !error ? null : <Pending error={error} onRetry={refetch} />}
        {folders.map(([folder, names]) =>
          folder === '' ? (
            <Files key={folder} names={names} current={current} onAction={setAction} />
          ) : (
            <details key={folder} open>
              <summary className="cursor-pointer truncate rounded-md px-2 py-1 text-[13px] text-ink-faint hover:bg-panel">
                {folder}
              </summary>
              <div className="pl-3">
                <Files names={names} current={current} onAction={setAction} />
              </div>
            </details>
          ),
        )}
        {data && matches.length === 0 ? (
          <p className="p-3 text-ink-faint text-xs">
            {text === ''
              ? 'There are no snippets yet. Save a script, and it becomes a file in supabase/snippets.'
              : 'No snippet has that name.'}
          </p>
        ) : null}
        {data?.isPartial ? <p className="p-3 text-ink-faint text-xs">There are more files than are listed.</p> : null}
      </nav>
      {action?.kind === 'rename' ? (
        <SnippetName
          title="Rename the snippet"
          action="Rename"
          initial={action.name}
          run={async (to) => {
            if (to !== action.name) await renameSnippet(action.name, to)
            onRenamed(action.name, to)
            await renew()
          }}
          onClose={() => setAction(undefined)}
        />
      ) : null}
      {action?.kind === 'delete' ? (
        <Confirm
          title="Delete the snippet"
          action="Delete"
          run={async () => {
            await removeSnippet(action.name)
            onRemoved(action.name)
            await renew()
          }}
          onClose={() => setAction(undefined)}
        >
          The file <code className="break-all font-mono text-xs">supabase/snippets/{action.name}.sql</code> is deleted.
        </Confirm>
      ) : null}
    </>
  )
}

const folderOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/')))

type FilesProps = { names: readonly string[]; current: string | undefined; onAction: (action: SnippetAction) => void }

function Files({ names, current, onAction }: FilesProps) {
  return (
    <ul>
      {names.map((name) => (
        <li key={name} className="group flex items-center rounded-md hover:bg-panel">
          <Link
            to="/sql"
            search={{ snippet: name }}
            replace
            preload={false}
            aria-current={name === current ? 'page' : undefined}
            className="min-w-0 flex-1 truncate rounded-md px-2 py-1 text-[13px] text-ink-soft hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink"
            title={name}
          >
            {name.slice(folderOf(name).length).replace('/', '')}
          </Link>
          <span className="flex w-0 overflow-hidden group-focus-within:w-auto group-hover:w-auto">
            <IconButton
              icon={Pencil}
              label={`Rename ${name}`}
              className="size-6!"
              onClick={() => onAction({ kind: 'rename', name })}
            />
            <IconButton
              icon={Trash2}
              label={`Delete ${name}`}
              className="size-6!"
              onClick={() => onAction({ kind: 'delete', name })}
            />
          </span>
        </li>
      ))}
    </ul>
  )
}
