import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FolderInput, FolderOpen, FolderPlus, RefreshCw, SearchX, Trash2, Upload } from 'lucide-react'
import { type DragEvent, useCallback, useRef, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Field, Input } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import { count, counted } from '../../lib/format.ts'
import { EntryList } from './entry-list.tsx'
import { FilePanel } from './file-panel.tsx'
import { ancestorsOf, isFolder, nameOf, PLACEHOLDER, toFolder } from './keys.ts'
import { MoveDialog } from './move-dialog.tsx'
import {
  type Bucket,
  createFolder,
  deleteEntries,
  folderQuery,
  foundQuery,
  refreshFiles,
  type View,
} from './storage.ts'
import { startUploads } from './uploads.ts'

type BrowserState = {
  readonly path?: string | undefined
  readonly file?: string | undefined
  readonly q?: string | undefined
  readonly sort?: string | undefined
}

type BrowserProps = {
  /** Undefined while it is not known, or hidden from the caller. */
  bucket: Bucket | undefined
  view: View
  file: string | undefined
  search: string
  onChange: (state: BrowserState) => void
}

type Question = { readonly kind: 'folder' } | { readonly kind: 'move' | 'delete'; readonly keys: readonly string[] }

/** The files of a bucket as folders. */
export function Browser({ bucket, view, file, search, onChange }: BrowserProps) {
  const queryClient = useQueryClient()
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const [question, setQuestion] = useState<Question | null>(null)
  const [isOver, setIsOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const isSearch = search !== ''
  const pages = useInfiniteQuery({ ...folderQuery(view), enabled: !isSearch })
  const found = useQuery({ ...foundQuery(view.bucket, search, view.as), enabled: isSearch })
  const listed = isSearch ? found.data : pages.data?.pages.flatMap((page) => page.entries)
  const entries = (listed ?? []).filter(({ key }) => nameOf(key) !== PLACEHOLDER)
  const error = isSearch ? found.error : pages.error
  const chosen = entries.filter(({ key }) => marked.has(key)).map(({ key }) => key)

  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages
  const more = useCallback(() => {
    if (!isSearch && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [isSearch, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])

  const open = (key: string) =>
    onChange(isFolder(key) ? { path: key, file: undefined, q: undefined } : { file: key === file ? undefined : key })
  const upload = (files: readonly Dropped[]) =>
    startUploads(
      view,
      files.map(({ file: one, path }) => ({ file: one, key: view.folder + path })),
      () => void refreshFiles(queryClient),
    )
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    void droppedFiles(event.dataTransfer).then(upload).catch(tellFailure)
  }
  const forget = (keys: readonly string[]) => {
    setMarked(new Set())
    if (file !== undefined && keys.includes(file)) onChange({ file: undefined })
  }

  return (
    <div className="flex h-full min-w-0 flex-1">
      <section
        aria-label={`Files of ${view.bucket}`}
        className={`flex min-w-0 flex-1 flex-col ${isOver ? 'bg-accent-soft' : ''}`}
        onDragOver={(event) => {
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false)
        }}
        onDrop={drop}
      >
        <div className="flex flex-wrap items-center gap-2 border-b px-3 py-1.5">
          <Crumbs view={view} onOpen={(path) => onChange({ path: path || undefined, file: undefined, q: undefined })} />
          <Input
            key={search}
            type="search"
            aria-label="Search in the bucket"
            placeholder="Search in the bucket"
            defaultValue={search}
            className="ml-auto w-44!"
            onKeyDown={(event) => {
              if (event.key === 'Enter') onChange({ q: event.currentTarget.value.trim() || undefined })
            }}
            onBlur={({ target }) => onChange({ q: target.value.trim() || undefined })}
          />
          <IconButton label="Read again" onClick={() => void refreshFiles(queryClient)}>
            <RefreshCw aria-hidden />
          </IconButton>
          {chosen.length > 0 ? (
            <>
              <Button onClick={() => setQuestion({ kind: 'move', keys: chosen })}>
                <FolderInput aria-hidden />
                Move {count(chosen.length)}
              </Button>
              <Button look="danger" onClick={() => setQuestion({ kind: 'delete', keys: chosen })}>
                <Trash2 aria-hidden />
                Delete {count(chosen.length)}
              </Button>
            </>
          ) : null}
          <Button onClick={() => setQuestion({ kind: 'folder' })}>
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
              upload([...(target.files ?? [])].map((one) => ({ file: one, path: one.name })))
              target.value = ''
            }}
          />
        </div>
        <div className="min-h-0 flex-1">
          {error && entries.length === 0 ? (
            <Failure error={error} onRetry={() => void refreshFiles(queryClient)} />
          ) : listed === undefined ? (
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
              onOpen={open}
              onEnd={more}
            />
          ) : isSearch ? (
            <Empty icon={SearchX} title="No file is found">
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
      </section>
      {file === undefined ? null : (
        <FilePanel
          key={file}
          view={view}
          fileKey={file}
          isPublic={bucket?.public ?? false}
          onClose={() => onChange({ file: undefined })}
          onMove={() => setQuestion({ kind: 'move', keys: [file] })}
          onDelete={() => setQuestion({ kind: 'delete', keys: [file] })}
        />
      )}
      {question?.kind === 'folder' ? (
        <FolderDialog
          view={view}
          onClose={() => setQuestion(null)}
          onCreated={(path) => {
            setQuestion(null)
            onChange({ path, file: undefined, q: undefined })
          }}
        />
      ) : question?.kind === 'move' ? (
        <MoveDialog
          view={view}
          keys={question.keys}
          onClose={() => setQuestion(null)}
          onMoved={() => {
            setQuestion(null)
            forget(question.keys)
          }}
        />
      ) : question ? (
        <Confirm
          title={
            question.keys.length === 1
              ? `Delete ${nameOf(question.keys[0] ?? '')}?`
              : `Delete ${count(question.keys.length)} entries?`
          }
          action="Delete"
          onClose={() => setQuestion(null)}
          run={async () => {
            const deleted = await deleteEntries(view, question.keys)
            await refreshFiles(queryClient)
            forget(question.keys)
            if (deleted > 0) tellDone(`${counted(deleted, 'file')} deleted.`)
            else
              tellFailure(new Error(`No file was deleted: no policy lets ${view.as ?? 'the secret key'} delete them.`))
          }}
        >
          {question.keys.some(isFolder)
            ? 'All files in the marked folders are deleted. Storage cannot bring them back.'
            : 'Storage cannot bring a deleted file back.'}
        </Confirm>
      ) : null}
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

type Dropped = { readonly file: File; readonly path: string }

/** The files that a person dropped, those of dropped folders too, each with its path within what was dropped. */
async function droppedFiles({ items }: DataTransfer): Promise<Dropped[]> {
  // All at once, because the list of items is empty after the first pause.
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  return (await Promise.all(entries.map((entry) => filesOf(entry, '')))).flat()
}

async function filesOf(entry: FileSystemEntry, folder: string): Promise<Dropped[]> {
  const path = folder + entry.name
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    return [{ file, path }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: Dropped[] = []
  for (;;) {
    // A browser tells of a hundred at a time, and of none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return found
    found.push(...(await Promise.all(some.map((one) => filesOf(one, `${path}/`)))).flat())
  }
}

type FolderDialogProps = { view: View; onClose: () => void; onCreated: (folder: string) => void }

function FolderDialog({ view, onClose, onCreated }: FolderDialogProps) {
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const folder = view.folder + toFolder(name)
  const create = useMutation({
    mutationFn: () => createFolder(view, folder),
    onSuccess: async () => {
      await refreshFiles(queryClient)
      onCreated(folder)
    },
  })
  return (
    <FormDialog
      title="New folder"
      action="Create"
      isReady={toFolder(name) !== ''}
      isPending={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <Field label="Name" hint={view.folder ? `In ${view.bucket}/${view.folder}` : `At the top of ${view.bucket}`}>
        {(id) => <Input id={id} value={name} onChange={({ target }) => setName(target.value)} />}
      </Field>
    </FormDialog>
  )
}
