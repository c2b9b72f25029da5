import { onlineManager, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { toBase64 } from 'lib0/buffer'
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { describeFailure } from '../../../domain/failure.ts'
import { sendWriting } from '../mutations.ts'
import { offlineBeginning, readBeginning, type Unsent } from './beginning.ts'
import { finish, markOpen, unsentOf, type Written } from './delivery.ts'
import { joinNote } from './note-channel.ts'
import type { Beginning, SavedVersion } from './note-history.ts'
import { type NoteRoom, openRoom } from './note-room.ts'
import { storeOf } from './note-store.ts'
import { stateQuery } from './state-query.ts'

type Note = { id: string; version: { id: string; body: string } }
type Options = { library: string; note: Note; name: string; onSaved: (note: string, version: SavedVersion) => void }

/** Milliseconds. */
const RETRY_AFTER = 5_000

/** Opens a note for writing together with others, and leaves it when the component is removed.
 *  @returns the room, or why it cannot be opened; neither while it opens. */
export function useNoteRoom({ library, note, name, onSaved }: Options): { room?: NoteRoom; error?: unknown } {
  const queryClient = useQueryClient()
  const [opened, setOpened] = useState<{ room?: NoteRoom; error?: unknown }>({})
  // Counts the histories: where the database has begun another one, it is opened instead.
  const [count, setCount] = useState(0)
  const isSaved = useEffectEvent((text: string) => text === note.version.body)
  const tellSaved = useEffectEvent(onSaved)
  const begin = useEffectEvent(() => beginningFor(queryClient, library, note))

  // biome-ignore lint/correctness/useExhaustiveDependencies: see count
  useEffect(() => {
    let room: NoteRoom | undefined
    let isMounted = true
    const markClosed = markOpen(note.id)
    const send = ({ update, state, ...rest }: Unsent) =>
      execute(queryClient, { library, note: note.id, ...rest, update: toBase64(update), state: toBase64(state) })

    /** Another history has begun: what was written goes there by its text. */
    const move = async (unsent: Unsent | undefined): Promise<void> => {
      try {
        if (unsent) await send(unsent)
        if (isMounted) setCount((before) => before + 1)
      } catch {
        setTimeout(() => void move(unsent), RETRY_AFTER)
      }
    }
    const open = (beginning: Beginning): void => {
      if (!isMounted) return
      const opening = openRoom({
        store: storeOf(note.id),
        beginning,
        send,
        recall: () => takeWaiting(queryClient, note.id),
        join: (handlers) => joinNote({ queryClient, library, note: note.id }, handlers),
        isSaved: (text) => isSaved(text),
        // By its id: what is left last may be saved when another note is open.
        onSaved: (version) => tellSaved(note.id, version),
      })
      room = opening
      if (beginning.unsent) {
        takeWaiting(queryClient, note.id)
        opening.flush()
      }
      opening.subscribe(() => {
        if (opening.state().writing.step !== 'moved' || !room) return
        room = undefined
        setOpened({})
        markClosed()
        void move(opening.written())
        void opening.leave()
      })
      setOpened({ room: opening })
    }
    begin()
      .then(open)
      .catch((error) => isMounted && setOpened({ error }))
    const flush = () => room?.flush()
    addEventListener('pagehide', flush)
    return () => {
      isMounted = false
      removeEventListener('pagehide', flush)
      setOpened({})
      const left = room?.leave() ?? Promise.resolve()
      void left.finally(markClosed)
    }
  }, [library, note.id, queryClient, count])

  const { room } = opened
  useEffect(() => room?.introduce(name), [room, name])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version may have been saved elsewhere
  useEffect(() => room?.read(), [room, note.version.id])
  return opened
}

/** The state of a room, for a component. */
export const useRoomState = (room: NoteRoom) => useSyncExternalStore(room.subscribe, room.state)

/** What a person wrote before without network is theirs to go on with. */
async function beginningFor(queryClient: QueryClient, library: string, { id, version }: Note): Promise<Beginning> {
  const latest = { id: version.id, text: version.body }
  const waiting = waitingOf(queryClient, id).at(-1)?.state.variables as Written | undefined
  const unsent = waiting && unsentOf(waiting)
  if (onlineManager.isOnline()) {
    try {
      const beginning = await readBeginning(storeOf(id), latest, unsent)
      if (!waiting || waiting.generation === beginning.generation) return beginning
      await finish(waiting)
      takeWaiting(queryClient, id)
      return await readBeginning(storeOf(id), latest)
    } catch (error) {
      if (!describeFailure(error).worthRetrying) throw error
    }
  }
  return offlineBeginning(latest, queryClient.getQueryData(stateQuery(library, id).queryKey), unsent)
}

const execute = (queryClient: QueryClient, written: Written): Promise<number> =>
  queryClient.getMutationCache().build(queryClient, queryClient.defaultMutationOptions(sendWriting)).execute(written)

const waitingOf = (queryClient: QueryClient, note: string) =>
  queryClient
    .getMutationCache()
    .findAll({ mutationKey: sendWriting.mutationKey, status: 'pending' })
    .filter(({ state }) => state.isPaused && (state.variables as Written).note === note)

/** Takes what waits for the network out of the outbox.
 *  @returns whether something waited. */
function takeWaiting(queryClient: QueryClient, note: string): boolean {
  const waiting = waitingOf(queryClient, note)
  for (const mutation of waiting) queryClient.getMutationCache().remove(mutation)
  return waiting.length > 0
}
