import { getRouteApi } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'

const root = getRouteApi('__root__')

/** The session of the person who is signed in.
 *  @throws {Error} on a screen that the guards do not protect. */
export function useSession() {
  const { session } = root.useRouteContext()
  const state = useSyncExternalStore(session.subscribe, session.get)
  if (state.status === 'signed-out') throw new Error('This screen needs somebody to be signed in')
  return state.session
}
