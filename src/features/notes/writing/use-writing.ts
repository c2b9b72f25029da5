import { onlineManager, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { toBase64 } from 'lib0/buffer'
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { describeFailure } from '../../../domain/failure.ts'
import { isBlankText } from '../blank-text.ts'
import { sendWriting } from '../mutations.ts'
import { joinNote } from './note-channel.ts'
import { type Beginning, offlineBeginning, readBeginning, type Unsent } from './note-copy.ts'
import { stateQuery, storeOf } from './note-store.ts'
import { storeUpdate, storeVersionOf, unsentOf, type Written } from './outbox.ts'
import { runWriting, type View, type Writer } from './run-writing.ts'
import type { SavedVersion } from './writing-state.ts'

type Note = { id: string; version: { id: string; body: string } }
type Options = {
  library: string
  note: Note
  name: string
  onSaved: (note: string, version: SavedVersion) => void
  /** Called when a blank note is closed and everything is stored. */
  onLeftBlank: (note: string) => void
}

const OPENING: View = { others: [] }
const subscribeToNothing = () => () => {}

/** Opens a note for collaborative writing until the component unmounts. */
export function useWriting({ library, note, name, onSaved, onLeftBlank }: Options): {
  writer: Writer | undefined
  view: View
} {
  const queryClient = useQueryClient()
  const [writer, setWriter] = useState<Writer>()
  const isSaved = useEffectEvent((text: string) => text === note.version.body)
  const tellSaved = useEffectEvent(onSaved)
  const tellLeftBlank = useEffectEvent(onLeftBlank)
  const isUnopenedBlank = useEffectEvent(() => isBlankText(note.version.body))
  const begin = useEffectEvent(() => beginningFor(queryClient, library, note))

  useEffect(() => {
    const place = { queryClient, library, note: note.id }
    const writing = runWriting({
      store: storeOf(note.id),
      begin: () => begin(),
      send: (unsent, thenSave) => send(place, unsent, thenSave),
      join: (handlers) => joinNote(place, handlers),
      isSaved: (text) => isSaved(text),
      // By id, because it may be saved when another note is already open.
      onSaved: (version) => tellSaved(note.id, version),
    })
    setWriter(writing)
    addEventListener('pagehide', writing.flush)
    return () => {
      removeEventListener('pagehide', writing.flush)
      setWriter(undefined)
      const { open } = writing.view()
      // It may be closed before it was open for writing.
      const isBlank = open ? open.writing.step === 'saved' && isBlankText(writing.text()) : isUnopenedBlank()
      writing.leave()
      if (isBlank) tellLeftBlank(note.id)
    }
  }, [library, note.id, queryClient])

  useEffect(() => writer?.introduce(name), [writer, name])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version may have been saved elsewhere
  useEffect(() => writer?.read(), [writer, note.version.id])
  const view = useSyncExternalStore(writer?.subscribe ?? subscribeToNothing, writer?.view ?? (() => OPENING))
  return { writer, view }
}

/** Continues with what the person wrote offline. */
async function beginningFor(queryClient: QueryClient, library: string, { id, version }: Note): Promise<Beginning> {
  const latest = { id: version.id, text: version.body }
  const waiting = waitingOf(queryClient, id).at(-1)?.state.variables as Written | undefined
  const unsent = waiting && unsentOf(waiting)
  if (onlineManager.isOnline()) {
    try {
      const beginning = await readBeginning(storeOf(id), latest, unsent)
      if (!waiting || waiting.generation === beginning.generation) return beginning
      await storeVersionOf(waiting)
      takeWaiting(queryClient, id)
      return await readBeginning(storeOf(id), latest)
    } catch (error) {
      if (!describeFailure(error).worthRetrying) throw error
    }
  }
  return offlineBeginning(latest, queryClient.getQueryData(stateQuery(library, id).queryKey), unsent)
}

type Place = { queryClient: QueryClient; library: string; note: string }

/** Stores an update, which includes and replaces the one waiting for the network. */
function send({ queryClient, library, note }: Place, { update, state, ...rest }: Unsent, thenSave: boolean) {
  takeWaiting(queryClient, note)
  const written = { library, note, ...rest, update: toBase64(update), state: toBase64(state), thenSave }
  // After the note itself, if its creation is waiting, too.
  const options = { ...queryClient.defaultMutationOptions(sendWriting), mutationFn: store, scope: { id: note } }
  return queryClient.getMutationCache().build(queryClient, options).execute(written)
}

/** Other files can't be loaded when the network is gone. */
const store = (written: Written): Promise<number> => (written.thenSave ? storeVersionOf(written) : storeUpdate(written))

const waitingOf = (queryClient: QueryClient, note: string) =>
  queryClient
    .getMutationCache()
    .findAll({ mutationKey: sendWriting.mutationKey, status: 'pending' })
    .filter(({ state }) => state.isPaused && (state.variables as Written).note === note)

function takeWaiting(queryClient: QueryClient, note: string): void {
  for (const mutation of waitingOf(queryClient, note)) queryClient.getMutationCache().remove(mutation)
}
