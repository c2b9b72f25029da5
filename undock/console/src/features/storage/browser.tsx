import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { FolderInput, FolderOpen, FolderPlus, RefreshCw, SearchX, Trash2, Upload } from 'lucide-react'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { SearchInput } from '../../components/field.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { tellFailure } from '../../components/toast.tsx'
import { count } from '../../lib/format.ts'
import { type BrowserState, opened, openedFolder, shownEntries } from './browser-state.ts'
import { EntryList } from './entry-list.tsx'
import { FileDialogs, type FileTask } from './file-dialogs.tsx'
import { FilePanel } from './file-panel.tsx'
import { ancestorsOf } from './keys.ts'
import { type Bucket, folderQuery, foundQuery, refreshFiles, type View } from './storage.ts'
import { type Dropped, droppedFiles, startUploads } from './uploads.ts'

type BrowserProps = {
  /** Undefined while loading, or if hidden from the caller. */
  bucket: Bucket | undefined
  view: View
  file: string | undefined
  search: string
  onChange: (state: BrowserState) => void
}

/** The files of a bucket as folders. */
export function Browser({ bucket, view, file, search, onChange }: BrowserProps) {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const [task, setTask] = useState<FileTask | null>(null)
  const isSearch = search !== ''
  const { entries, error, more } = useEntries(view, search)
  const chosen = (entries ?? []).filter(({ key }) => marked.has(key)).map(({ key }) => key)
  const upload = (files: readonly Dropped[]) =>
    startUploads(
      view,
      files.map(({ file: one, path }) => ({ file: one, key: view.folder + path })),
      () => void refreshFiles(),
    )

  return (
    <div className="flex h-full min-w-0 flex-1">
      <DropZone label={`Files of ${view.bucket}`} onDropped={upload}>
        <FileToolbar
          view={view}
          search={search}
          chosen={chosen}
          onChange={onChange}
          onTask={setTask}
          onUpload={upload}
        />
        <div className="min-h-0 flex-1">
          {error && !entries?.length ? (
            <Failure error={error} onRetry={() => void refreshFiles()} />
          ) : entries === undefined ? (
            <Loading />
          ) : entries.length > 0 ? (
            <EntryList
              entries={entries}
              sort={view.sort}
              onSort={isSearch ? undefined : (sort) => onChange({ sort: sort === 'name' ? undefined : sort })}
              isFlat={isSearch}
              marked={marked}
              onMark={setMarked}
              shown={file}
              onOpen={(key) => onChange(opened(key, file))}
              onEnd={more}
            />
          ) : isSearch ? (
            <Empty icon={SearchX} title="No matching files">
              No key in {view.bucket} contains “{search}”.
            </Empty>
          ) : (
            <Empty icon={FolderOpen} title="There are no files here">
              {view.as
                ? `Either there are none, or no policy on storage.objects lets ${view.as} see them.`
                : 'Drop files or folders here, or choose Upload.'}
            </Empty>
          )}
        </div>
      </DropZone>
      {file === undefined ? null : (
        <FilePanel
          key={file}
          view={view}
          fileKey={file}
          isPublic={bucket?.public ?? false}
          onClose={() => onChange({ file: undefined })}
          onMove={() => setTask({ do: 'move', keys: [file] })}
          onDelete={() => setTask({ do: 'delete', keys: [file] })}
        />
      )}
      {task ? (
        <FileDialogs
          view={view}
          task={task}
          onClose={() => setTask(null)}
          onFolder={(path) => {
            setTask(null)
            onChange(openedFolder(path))
          }}
          onGone={(keys) => {
            setMarked(new Set())
            if (file !== undefined && keys.includes(file)) onChange({ file: undefined })
          }}
        />
      ) : null}
    </div>
  )
}

/** The entries of a folder, or of a search in the whole bucket; undefined while loading. */
function useEntries(view: View, search: string) {
  const isSearch = search !== ''
  const pages = useInfiniteQuery({ ...folderQuery(view), enabled: !isSearch })
  const results = useQuery({ ...foundQuery(view.bucket, search, view.as), enabled: isSearch })
  const listed = isSearch ? results.data : pages.data?.pages.flatMap((page) => page.entries)
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages
  const more = useCallback(() => {
    if (!isSearch && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [isSearch, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  return { entries: listed && shownEntries(listed), error: isSearch ? results.error : pages.error, more }
}

type DropZoneProps = { label: string; onDropped: (files: readonly Dropped[]) => void; children: ReactNode }

/** Accepts dropped files and folders. */
function DropZone({ label, onDropped, children }: DropZoneProps) {
  const [isOver, setIsOver] = useState(false)
  return (
    <section
      aria-label={label}
      className={`flex min-w-0 flex-1 flex-col ${isOver ? 'bg-accent-soft' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false)
      }}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        void droppedFiles(event.dataTransfer).then(onDropped).catch(tellFailure)
      }}
    >
      {children}
    </section>
  )
}

type FileToolbarProps = {
  view: View
  search: string
  /** The keys of the marked entries. */
  chosen: readonly string[]
  onChange: (state: BrowserState) => void
  onTask: (task: FileTask) => void
  onUpload: (files: readonly Dropped[]) => void
}

/** The current place in a bucket, and its actions. */
function FileToolbar({ view, search, chosen, onChange, onTask, onUpload }: FileToolbarProps) {
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
      <IconButton icon={RefreshCw} label="Read again" onClick={() => void refreshFiles()} />
      {chosen.length > 0 ? (
        <>
          <Button icon={FolderInput} onClick={() => onTask({ do: 'move', keys: chosen })}>
            Move {count(chosen.length)}
          </Button>
          <Button icon={Trash2} look="danger" onClick={() => onTask({ do: 'delete', keys: chosen })}>
            Delete {count(chosen.length)}
          </Button>
        </>
      ) : null}
      <Button icon={FolderPlus} onClick={() => onTask({ do: 'folder' })}>
        New folder
      </Button>
      <Button icon={Upload} look="primary" onClick={() => picker.current?.click()}>
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
