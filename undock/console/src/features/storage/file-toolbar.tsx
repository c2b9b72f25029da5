import { useQueryClient } from '@tanstack/react-query'
import { FolderInput, FolderPlus, RefreshCw, Trash2, Upload } from 'lucide-react'
import { useRef } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { SearchInput } from '../../components/field.tsx'
import { count } from '../../lib/format.ts'
import { type BrowserState, openedFolder } from './browser-state.ts'
import type { FileTask } from './file-dialogs.tsx'
import { ancestorsOf } from './keys.ts'
import { refreshFiles, type View } from './storage.ts'
import type { Dropped } from './uploads.ts'

type FileToolbarProps = {
  view: View
  search: string
  /** The keys of the marked entries. */
  chosen: readonly string[]
  onChange: (state: BrowserState) => void
  onTask: (task: FileTask) => void
  onUpload: (files: readonly Dropped[]) => void
}

/** Where a person is in a bucket, and what can be done there. */
export function FileToolbar({ view, search, chosen, onChange, onTask, onUpload }: FileToolbarProps) {
  const queryClient = useQueryClient()
  const picker = useRef<HTMLInputElement>(null)
  const find = (text: string) => onChange({ q: text.trim() || undefined })
  return (
    <div className="flex flex-wrap items-center gap-2 border-b px-3 py-1.5">
      <Crumbs view={view} onOpen={(path) => onChange(openedFolder(path))} />
      <SearchInput
        key={search}
        label="Search in the bucket"
        defaultValue={search}
        className="ml-auto w-44!"
        onKeyDown={(event) => {
          if (event.key === 'Enter') find(event.currentTarget.value)
        }}
        onBlur={({ target }) => find(target.value)}
      />
      <IconButton label="Read again" onClick={() => void refreshFiles(queryClient)}>
        <RefreshCw aria-hidden />
      </IconButton>
      {chosen.length > 0 ? (
        <>
          <Button onClick={() => onTask({ do: 'move', keys: chosen })}>
            <FolderInput aria-hidden />
            Move {count(chosen.length)}
          </Button>
          <Button look="danger" onClick={() => onTask({ do: 'delete', keys: chosen })}>
            <Trash2 aria-hidden />
            Delete {count(chosen.length)}
          </Button>
        </>
      ) : null}
      <Button onClick={() => onTask({ do: 'folder' })}>
        <FolderPlus aria-hidden />
        New folder
      </Button>
      <Button look="primary" onClick={() => picker.current?.click()}>
        <Upload aria-hidden />
        Upload
      </Button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ target }) => {
          onUpload([...(target.files ?? [])].map((one) => ({ file: one, path: one.name })))
          target.value = ''
        }}
      />
    </div>
  )
}

function Crumbs({ view: { bucket, folder }, onOpen }: { view: View; onOpen: (path: string) => void }) {
  const parts = [{ name: bucket, path: '' }, ...ancestorsOf(folder)]
  return (
    <nav aria-label="Folder" className="flex min-w-0 flex-wrap items-center gap-1 text-[13px]">
      {parts.map(({ name, path }, index) => (
        <span key={path} className="flex items-center gap-1">
          {index > 0 ? <span className="text-ink-faint">/</span> : null}
          <button
            type="button"
            aria-current={index === parts.length - 1 ? 'page' : undefined}
            onClick={() => onOpen(path)}
            className="max-w-48 truncate rounded px-1 hover:bg-panel aria-[current=page]:font-medium"
          >
            {name}
          </button>
        </span>
      ))}
    </nav>
  )
}
